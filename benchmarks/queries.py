"""Make benchmarks/queries.tsv: queries of eleven kinds from the corpus's own vocabulary, by a fixed seed.

    python benchmarks/corpus.py && python benchmarks/queries.py
    python benchmarks/queries.py --arcs /tmp/small/arcs --every 1 --out /tmp/small/queries.tsv

A line is `kind TAB query`; a query is words, "phrases" and OR, which every engine that is measured can be
given in its own syntax. Words are of letters only and of scripts that part words, so that all engines cut
them alike. Needs fastwarc (requirements-peers.txt).
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
SEED = 1994
EACH = 24
# Words that are looked up on purpose in "stop words inside": those of the languages of the corpus.
STOPS = frozenset(
    "a an and are as at be by for from if in is it not of on or that the this to was when which with "
    "das der die ein eine in ist mit nicht oder sie und von zu à de des du en est et la le les ou pour sur un".split()
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--arcs", type=Path, default=HERE / "data" / "arcs", help="archives to take words from"
    )
    parser.add_argument("--every", type=int, default=10, help="look at every Nth page (default 10)")
    parser.add_argument("--out", type=Path, default=HERE / "queries.tsv", help="file to write")
    arguments = parser.parse_args()
    queries = make_queries(read_words(sorted(arguments.arcs.glob("*.warc.gz")), arguments.every))
    arguments.out.write_text("".join(f"{kind}\t{query}\n" for kind, query in queries), encoding="utf-8")
    print(f"{len(queries)} queries in {arguments.out}")


def read_queries(path: Path) -> list[tuple[str, str]]:
    """Return (kind, query) of each line."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [(kind, query) for kind, _, query in (line.partition("\t") for line in lines if line)]


def read_words(files: list[Path], every: int) -> list[list[str]]:
    """Return the words of every Nth page in their order, lower case; "" stands where something parts a phrase."""
    from engines import pages_of

    pages = []
    for file in files:
        for number, (_, _, body) in enumerate(pages_of(str(file), every=every)):
            del number
            words = re.findall(r"[^\W\d_]+|[^\w\s]|\d+|\n", body)
            pages.append([word.lower() if _is_plain(word) else "" for word in words])
    return pages


def _is_plain(word: str) -> bool:
    """Tell whether all engines take this for one word: letters of scripts that part words, not too long."""
    return word.isalpha() and len(word) <= 20 and all(char < "\u0530" for char in word)


def make_queries(pages: list[list[str]]) -> list[tuple[str, str]]:
    """Return EACH queries of each kind; words of one query stand together on a page, so that it has hits."""
    pages = [page for page in pages if sum(map(bool, page)) > 30]
    if not pages:
        sys.exit("queries.py: no page has more than 30 words; is this the right folder?")
    pages_with = Counter(word for page in pages for word in set(page) if len(word) > 2 and word not in STOPS)
    ranked = sorted(pages_with, key=lambda word: (-pages_with[word], word))
    common = ranked[: max(10, len(ranked) // 200)]
    middle = ranked[len(common) : max(2 * len(common), len(ranked) // 10)]
    rare = [word for word in ranked if pages_with[word] <= 2]
    is_common, is_middle, is_rare = set(common), set(middle), set(rare)
    choose = random.Random(SEED)

    def some_of(page: list[str], number: int, *allowed: set[str]) -> list[str]:
        there = sorted({word for word in page if any(word in words for words in allowed)})
        return choose.sample(there, min(number, len(there)))

    def together(number: int, *allowed: set[str]) -> str:
        words: list[str] = []
        while len(words) < number:
            words = some_of(choose.choice(pages), number, *allowed)
        return " ".join(words)

    def in_a_row(number: int, fits: Callable[[list[str]], bool]) -> str:
        for _ in range(200_000):
            page = choose.choice(pages)
            place = choose.randrange(max(1, len(page) - number))
            words = page[place : place + number]
            if len(words) == number and all(words) and len(set(words)) == number and fits(words):
                return " ".join(words)
        sys.exit("queries.py: the corpus has too little running text to take phrases from")

    def holds_stop(words: list[str]) -> bool:
        return any(w in STOPS for w in words) and sum(w in pages_with for w in words) >= 2

    def no_stop(words: list[str]) -> bool:
        return all(w in pages_with for w in words)

    kinds: dict[str, Callable[[], str]] = {
        "rare word": lambda: choose.choice(rare),
        "middle word": lambda: choose.choice(middle),
        "common word": lambda: choose.choice(common),
        "two words": lambda: together(2, is_middle, is_common),
        "rare and common": lambda: f"{together(1, is_common)} {choose.choice(rare)}",
        "three common words": lambda: together(3, is_common),
        "four to six words": lambda: together(choose.randint(4, 6), is_middle, is_common, is_rare),
        "stop words inside": lambda: in_a_row(choose.randint(3, 6), holds_stop),
        "phrase of two": lambda: f'"{in_a_row(2, no_stop)}"',
        "longer phrase": lambda: f'"{in_a_row(choose.randint(3, 5), holds_stop)}"',
        "any of three common": lambda: " OR ".join(choose.sample(common, 3)),
    }
    return [(kind, make()) for kind, make in kinds.items() for _ in range(EACH)]


if __name__ == "__main__":
    main()
