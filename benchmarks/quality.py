"""Measure how good the hits are, by settings and by judged collection, and tune the settings.

    python benchmarks/quality.py --collections DIR
    python benchmarks/quality.py --collections DIR --cross-validate --write docs/ranking.md

DIR holds a folder for each collection: queries.tsv and qrels.txt, and pages.warc.gz, or docs.jsonl that to_warc.py
beside the folders makes into one (it needs warcio). Each collection is indexed as a web archive like any other.

--cross-validate: settings are chosen without the topics they are measured on, see tuning.py. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import tuning  # noqa: E402
from tuning import changed  # noqa: E402

from indexer import ELEMENTS, Index, IndexOptions, Ranking, build_index, open_index  # noqa: E402
from indexer.evaluation import (  # noqa: E402
    Evaluation,
    Topic,
    compare,
    evaluate,
    read_qrels,
    read_topics,
)
from indexer.search.models import MODELS  # noqa: E402

MARKS = ("<!-- made by benchmarks/quality.py -->", "<!-- end -->")

DEFAULT = Ranking()
# "alike" weighs all elements alike: what a search that knows no elements would do.
ALIKE = Ranking(k1=1.2, slope=1.0, boost=dict.fromkeys(ELEMENTS, 1.0), b=dict.fromkeys(ELEMENTS, 0.75))


SETTINGS: dict[str, Ranking] = {
    "default": DEFAULT,
    "all elements alike, k1 1.2, b 0.75": replace(ALIKE, near=0.0, depth=0.0, linked=0.0),
    "slope 1, k1 2.5": changed(DEFAULT, slope=1.0, k1=2.5),
    "slope 1, k1 6": changed(DEFAULT, slope=1.0, k1=6.0),
    "slope 1, k1 10": changed(DEFAULT, slope=1.0, k1=10.0),
    "slope 0.6, k1 25": changed(DEFAULT, slope=0.6, k1=25.0),
    "k1 40": changed(DEFAULT, k1=40.0),
    "k1 160": changed(DEFAULT, k1=160.0),
    "title 2": changed(DEFAULT, boost_title=2.0),
    "title 5": changed(DEFAULT, boost_title=5.0),
    "heading 2": changed(DEFAULT, boost_heading=2.0),
    "url 3": changed(DEFAULT, boost_url=3.0),
    "inlink 3": changed(DEFAULT, boost_inlink=3.0),
    "inlink 0": changed(DEFAULT, boost_inlink=0.0),
    "b of the body 0.4": changed(DEFAULT, b_body=0.4),
    "other forms 1": replace(DEFAULT, other_forms=1.0),
    "other forms 0.7": replace(DEFAULT, other_forms=0.7),
    "near 0": replace(DEFAULT, near=0.0),
    "near 0.5": replace(DEFAULT, near=0.5),
    "depth 0, linked 0": replace(DEFAULT, depth=0.0, linked=0.0),
    "classic idf": replace(DEFAULT, idf="classic"),
    **{f"model {name}": replace(DEFAULT, model=name) for name in MODELS if name != "bm25f"},
}
EXPANSIONS = ("rocchio", "cooccur", "wordnet", "lsi")


@dataclass
class Collection:
    """A judged collection, indexed."""

    name: str
    index: Index
    topics: list[Topic]
    judgements: dict[str, dict[str, int]]
    id_prefix: str
    judged_only: (
        bool  # where the judgements name few pages of each topic, the others are left out of the lists
    )

    def evaluate(self, ranking: Ranking, expand: Sequence[str] = ()) -> Evaluation:
        return evaluate(
            self.index, self.topics, self.judgements, ranking=ranking, id_prefix=self.id_prefix,
            judged_only=self.judged_only, expand=expand,
        )  # fmt: skip

    def table(self) -> tuning.Table:
        return tuning.table_of(
            self.name, self.index, self.topics, self.judgements, self.id_prefix, judged_only=self.judged_only
        )


def open_collections(folder: Path, data: Path) -> list[Collection]:
    """Index what is not indexed yet, and return the collections by name."""
    data.mkdir(parents=True, exist_ok=True)
    found = []
    for place in sorted(path.parent for path in folder.glob("*/qrels.txt")):
        archive, is_web = place / "pages.warc.gz", True
        if not archive.exists():
            archive, is_web = data / f"{place.name}.warc.gz", False
            if not archive.exists():
                subprocess.run(
                    [sys.executable, str(folder / "to_warc.py"), str(place), str(archive)],
                    check=True,
                    stdout=sys.stderr,
                )
        index = data / f"{place.name}-index"
        build_index([str(archive)], str(index), options=IndexOptions(workers=1))
        found.append(
            Collection(
                place.name, open_index(str(index)), read_topics(str(place / "queries.tsv")),
                read_qrels(str(place / "qrels.txt")),
                "" if is_web else f"http://collection.example/{place.name}/", is_web,
            )
        )  # fmt: skip
    return found


# The table -----------------------------------------------------------------------------


def numbers_of(evaluation: Evaluation) -> dict[str, float]:
    mean = evaluation.mean
    return {"ndcg@10": mean.ndcg_at[10], "ndcg@3": mean.ndcg_at[3], "map": mean.average_precision}


def measure_all(collections: list[Collection]) -> dict[str, object]:
    """Return all figures, ready for JSON."""
    rows: dict[str, dict[str, dict[str, float]]] = {}
    base: dict[str, Evaluation] = {}
    tried: list[tuple[str, Ranking, Sequence[str]]] = [
        *((name, ranking, ()) for name, ranking in SETTINGS.items()),
        *((f"default, widened by {name}", DEFAULT, (name,)) for name in EXPANSIONS),
    ]
    for name, ranking, expand in tried:
        rows[name] = {}
        for collection in collections:
            found = collection.evaluate(ranking, expand)
            base.setdefault(collection.name, found)
            rows[name][collection.name] = numbers_of(found)
            rows[name][collection.name]["p"] = compare(base[collection.name], found)["ndcg@10"].p_value
    return {
        "collections": {c.name: [c.index.statistics().documents, len(base[c.name].topics)] for c in collections},
        "rows": rows,
    }  # fmt: skip


def as_markdown(result: dict[str, object]) -> str:
    """Return the figures as tables."""
    collections, rows = result["collections"], result["rows"]
    assert isinstance(collections, dict) and isinstance(rows, dict)
    lines = [
        f"Measured on {time.strftime('%Y-%m-%d')}. nDCG@10 / MAP / nDCG@3; `*` where nDCG@10 differs from the"
        " default with p < 0.05.",
        "",
        "| settings | "
        + " | ".join(f"{name} ({size[0]:,} pages, {size[1]} topics)" for name, size in collections.items())
        + " |",
        "|---" * (len(collections) + 1) + "|",
    ]
    for row, values in rows.items():
        cells = []
        for name in collections:
            value = values[name]
            star = " *" if value.get("p", 1) < 0.05 else ""
            cells.append(f"{value['ndcg@10']:.4f} / {value['map']:.4f} / {value['ndcg@3']:.4f}{star}")
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def write_into(path: Path, text: str) -> None:
    """Put the tables between the two marks of a page."""
    page = path.read_text(encoding="utf-8")
    before, _, rest = page.partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    path.write_text(f"{before}{MARKS[0]}\n\n{text}\n{MARKS[1]}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--collections", type=Path, required=True, help="the folder with the judged collections"
    )
    parser.add_argument(
        "--data", type=Path, default=HERE / "data" / "quality", help="where archives and indexes go"
    )
    parser.add_argument(
        "--cross-validate",
        action="store_true",
        help="choose settings without the topics measured, too (minutes)",
    )
    parser.add_argument("--write", type=Path, help="put the tables into this page, between its marks")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    arguments = parser.parse_args()
    collections = open_collections(arguments.collections, arguments.data)
    if not collections:
        sys.exit(f"quality.py: {arguments.collections}: no folder in it has a qrels.txt")
    result = measure_all(collections)
    text = as_markdown(result)
    if arguments.cross_validate:
        tables = [c.table() for c in collections]
        tried = {name: tuning.cross_validate(tables, keys) for name, keys in tuning.CHOICES.items()}
        result["cross_validated"] = {name: found.as_json() for name, found in tried.items()}
        text += "\n" + tuning.as_markdown(tables, tried)
    if arguments.write:
        write_into(arguments.write, text)
    print(json.dumps(result) if arguments.json else text, end="\n" if arguments.json else "")


if __name__ == "__main__":
    main()
