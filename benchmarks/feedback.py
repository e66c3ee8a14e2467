"""Choose the settings of Rocchio's feedback by two-fold cross-validation over the topics of judged collections.

    python benchmarks/feedback.py --collections DIR

Settings are chosen on one half of the topics of all collections together (the mean of nDCG@10 and MAP) and measured on
the other half, then the other way round. DIR is as benchmarks/quality.py has it; seeds are fixed.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from pathlib import Path
from statistics import fmean

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from quality import Collection, open_collections  # noqa: E402
from tuning import SEED  # noqa: E402

from indexer import Widening  # noqa: E402
from indexer.evaluation import evaluate  # noqa: E402

TRIED = [
    Widening(rocchio_relevant=relevant, rocchio_words=words, rocchio_beta=beta)
    for relevant, words, beta in itertools.product((3, 5, 10), (20, 40), (0.4, 0.7, 1.0))
]
Scores = dict[str, tuple[float, float]]  # by topic: nDCG@10, average precision


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--collections", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=HERE / "data" / "quality")
    options = parser.parse_args()
    collections = [one for one in open_collections(options.collections, options.data) if not one.judged_only]
    measured = {(one.name, tried): scores(one, tried) for one in collections for tried in TRIED}
    fold = folds({one.name: sorted(measured[one.name, TRIED[0]]) for one in collections})

    def value(tried: Widening, half: int) -> float:
        return fmean(
            fmean(
                sum(pair)
                for topic, pair in measured[one.name, tried].items()
                if fold[one.name, topic] != half
            )
            for one in collections
        )

    held_out: dict[str, list[tuple[float, float]]] = {one.name: [] for one in collections}
    for half in (0, 1):
        best = max(TRIED, key=lambda tried: value(tried, half))
        print(
            f"half {half}: {best.rocchio_relevant} pages, {best.rocchio_words} words, beta {best.rocchio_beta}"
        )
        for name, pairs in held_out.items():
            pairs += [pair for topic, pair in measured[name, best].items() if fold[name, topic] == half]
    for name, pairs in held_out.items():
        print(
            f"{name}: held out nDCG@10 {fmean(p[0] for p in pairs):.4f}, MAP {fmean(p[1] for p in pairs):.4f}"
        )


def scores(collection: Collection, tried: Widening) -> Scores:
    """Return the measures of each topic with feedback."""
    found = evaluate(
        collection.index, collection.topics, collection.judgements, id_prefix=collection.id_prefix,
        expand=("rocchio",), widening=tried,
    )  # fmt: skip
    return {topic: (one.ndcg_at[10], one.average_precision) for topic, one in found.topics.items()}


def folds(topics: dict[str, list[str]]) -> dict[tuple[str, str], int]:
    """Return the half of each topic by collection."""
    chance = random.Random(SEED)
    halves = {}
    for name, ids in topics.items():
        chance.shuffle(ids)
        halves |= {(name, topic): place % 2 for place, topic in enumerate(ids)}
    return halves


if __name__ == "__main__":
    main()
