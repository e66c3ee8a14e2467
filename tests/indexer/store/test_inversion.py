"""What the core makes of a batch, and of a merge, is byte for byte what the numpy code made that it replaced."""

from __future__ import annotations

from itertools import islice, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from store_batches import Page, colliding_words, columns_of, tokens_of, write_segment

from indexer.core.batch import Batch
from indexer.core.merge import ARRAYS
from indexer.core.tokens import tokenizer
from indexer.store import merging
from indexer.store.arrayfile import ArrayFile
from indexer.store.columns import MAX_VERSIONS, VersionColumns
from indexer.store.inversion import write_batch, write_inverted
from indexer.store.merging import merge_segments
from indexer.store.segment import Segment
from indexer.text.analysis import Tokens, _sections, analyze_pages
from indexer.text.elements import ANCHOR, BODY, EMPHASIS, HEADING, PageText
from tests.indexer.page_structs import join_pieces
from tests.indexer.store import numpy_writer

ENDS = ("word", "pair", "ordinal", "position")

words = st.sampled_from([*"cat cats dog Müller été 日本 日 x c++ a b".split(), *colliding_words()])
# few and many, near and far: runs short and long, gaps of one byte and of two
positions = st.one_of(
    st.sets(st.integers(0, 500), min_size=1, max_size=12),
    st.builds(
        lambda first, step, n: set(range(first, first + step * n, step)),
        st.integers(0, 9),
        st.integers(1, 40),
        st.integers(1, 90),
    ),
    st.sets(st.integers(0, (1 << 22)), min_size=1, max_size=9),
).map(sorted)
page_lists = st.lists(
    st.dictionaries(st.tuples(words, st.integers(0, 9)), positions, max_size=7), min_size=1, max_size=9
)
texts = st.lists(st.sampled_from("alpha beta c++ gamma 日本語 été".split()), max_size=9).map(" ".join)
text_pages = st.builds(
    lambda title, body, anchor, bold: PageText(
        title,
        "",
        "",
        "",
        "",
        *join_pieces([(body, BODY), (anchor, ANCHOR), (bold, EMPHASIS), (body, HEADING)]),
    ),
    texts,
    texts,
    texts,
    texts,
)


def assert_same_file(folder: Path, groups: list[Tokens], columns: VersionColumns) -> None:
    numpy_writer.write_batch(str(folder / "numpy"), groups, columns)
    write_batch(str(folder / "core"), groups, columns)
    assert (folder / "core").read_bytes() == (folder / "numpy").read_bytes()


@settings(max_examples=150, deadline=None)
@given(page_lists, st.lists(st.sampled_from(["en", "de", "", "xx"]), min_size=9, max_size=9))
def test_a_batch_of_any_pages(
    tmp_path_factory: pytest.TempPathFactory, pages: list[Page], languages: list[str]
) -> None:
    named = {f"http://h{n % 3}.example/{n}": page for n, page in enumerate(pages)}
    columns = columns_of(named, dict(zip(named, languages, strict=False)))
    assert_same_file(tmp_path_factory.getbasetemp(), [tokens_of(named)], columns)


@settings(max_examples=60, deadline=None)
@given(st.lists(page_lists, min_size=2, max_size=3))
def test_a_batch_that_was_emptied_is_as_a_new_one(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[Page]]
) -> None:
    folder, batch = tmp_path_factory.getbasetemp(), Batch()
    for pages in batches:
        named = {f"http://a.example/{n}": page for n, page in enumerate(pages)}
        tokens, columns = tokens_of(named), columns_of(named, dict.fromkeys(named, "en"))
        batch.empty()
        batch.add(
            tokens.words, tokens.word, tokens.document, tokens.element, tokens.position, len(tokens.extents)
        )
        write_inverted(str(folder / "again"), batch, columns)
        write_batch(str(folder / "new"), [tokens], columns)
        assert (folder / "again").read_bytes() == (folder / "new").read_bytes()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(text_pages, min_size=1, max_size=3), min_size=1, max_size=4))
@example([[PageText()]])
def test_a_batch_of_groups_of_pages(
    tmp_path_factory: pytest.TempPathFactory, batch: list[list[PageText]]
) -> None:
    groups = [analyze_pages([("http://a.example/x", page) for page in group]) for group in batch]
    columns = columns_of({f"http://a.example/{n}": {} for n in range(sum(map(len, batch)))})
    columns.lengths = np.concatenate([tokens.lengths for tokens in groups])
    columns.extent = np.concatenate([tokens.extents for tokens in groups])
    assert_same_file(tmp_path_factory.getbasetemp(), groups, columns)
    made = Batch()
    for tokens in groups:
        made.add(
            tokens.words, tokens.word, tokens.document, tokens.element, tokens.position, len(tokens.extents)
        )
    by_page = Batch()
    for group in batch:
        for page in group:
            found = tokenizer()
            found.find_words(_sections("http://a.example/x", page))
            by_page.add_page(found)
    assert (by_page.lengths() == columns.lengths).all() and (by_page.extents() == columns.extent).all()
    write_inverted(str(tmp_path_factory.getbasetemp() / "pages"), by_page, columns)
    assert (tmp_path_factory.getbasetemp() / "pages").read_bytes() == (
        tmp_path_factory.getbasetemp() / "core"
    ).read_bytes()
    assert (made.lengths() == columns.lengths).all() and (made.extents() == columns.extent).all()
    assert made.occurrences == columns.lengths.sum() and len(made) == len(columns)


def test_gaps_of_every_size(tmp_path: Path) -> None:
    """A word of every page, of few, of one far behind: lists of one byte, of two, and of one with some of two."""
    rows = []
    for page in range(3000):
        held = {"all"} | ({"rare"} if page in (0, 254, 509, 765, 2999) else set())
        held |= {"mostly"} if page < 900 or page in (1155, 1410, 1411, 2999) else set()
        held |= {f"w{page % 600}"} if page % 7 else {"seven"}
        rows.append({(word, (page + len(word)) % 10): [page % 50, page % 50 + 3] for word in held})
    named = {f"http://a.example/{n}": page for n, page in enumerate(rows)}
    assert_same_file(tmp_path, [tokens_of(named)], columns_of(named))


def test_more_shapes_than_a_byte_tells_and_counts_beyond_63(tmp_path: Path) -> None:
    rows = [
        {
            ("cat", 6): list(range(n + 1)),
            ("cat", n % 6): [900 + n],
            ("dog", n % 10): list(range(0, 3 * n + 3, 3)),
        }
        for n in range(600)
    ]
    named = {f"http://a.example/{n}": page for n, page in enumerate(rows)}
    assert_same_file(tmp_path, [tokens_of(named)], columns_of(named))


@settings(max_examples=80, deadline=None)
@given(st.lists(page_lists, min_size=1, max_size=4), st.data(), st.integers(1, 400))
def test_a_merged_segment_has_the_lists_of_one_written_at_once(
    tmp_path_factory: pytest.TempPathFactory, parts: list[list[Page]], data: st.DataObject, at_once: int
) -> None:
    folder = tmp_path_factory.getbasetemp()
    segments, dead, together = [], [], {}
    for number, pages in enumerate(parts):
        named = {f"http://{number}.example/{place}": page for place, page in enumerate(pages)}
        write_segment(str(folder / f"{number}.seg"), named)
        segments.append(Segment(str(folder / f"{number}.seg")))
        dead.append(sorted(data.draw(st.sets(st.integers(0, len(pages) - 1)))))
        together.update(
            {url: page for place, (url, page) in enumerate(named.items()) if place not in dead[-1]}
        )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_BYTES_AT_ONCE", at_once)  # many parts
        merge_segments(str(folder / "merged.seg"), segments, dead)
    write_segment(str(folder / "together.seg"), together)
    merged, whole = (ArrayFile(str(folder / f"{name}.seg"), "segment") for name in ("merged", "together"))
    kept = {f"{items}_{what}" for items in ENDS for what in ("sizes", "great", "marks")}
    others = set(ARRAYS) - {f"{items}_ends" for items in ENDS}
    for name in {*kept, *others, "shape_ranks", "stem_keys", "stem_words", "lengths"}:
        assert merged.array(name).dtype == whole.array(name).dtype
        assert merged.array(name).tolist() == whole.array(name).tolist(), name
    assert merged.meta["occurrences"] == whole.meta["occurrences"]


def columns(**changed: object) -> dict[str, object]:
    return {
        "words": ["cat", "dog"],
        "word": np.array([0, 1, 0]),
        "page": np.array([0, 0, 1]),
        "element": np.array([6, 6, 6]),
        "position": np.array([0, 1, 0]),
        "pages": 2,
        **changed,
    }


@pytest.mark.parametrize(
    "changed",
    [
        {"word": np.array([0, 2, 0])},
        {"page": np.array([0, 1, 0])},
        {"page": np.array([0, 0, 2])},
        {"element": np.array([6, 10, 6])},
        {"pages": 1},
        {"position": np.array([0, 1])},
    ],
)
def test_columns_that_do_not_fit_each_other_are_refused(changed: dict[str, object]) -> None:
    Batch().add(**columns())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="columns"):
        Batch().add(**columns(**changed))  # type: ignore[arg-type]


def test_what_no_segment_holds_is_refused() -> None:
    for changed in ({"position": np.array([0, 1 << 28, 0])}, {"pages": MAX_VERSIONS + 1}):
        with pytest.raises(OverflowError):
            Batch().add(**columns(**changed))  # type: ignore[arg-type]
    batch = Batch()
    batch.add(**columns(pages=MAX_VERSIONS))  # type: ignore[arg-type]
    with pytest.raises(OverflowError):
        batch.add(**columns())  # type: ignore[arg-type]


def test_a_batch_is_inverted_once() -> None:
    batch = Batch()
    batch.add(**columns())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="1 languages of 2 pages"):
        batch.invert(np.zeros(1))
    assert batch.invert(np.array([0, 255])).column("languages").tolist() == [1, 1]
    for again in (lambda: batch.invert(np.zeros(2)), lambda: batch.add(**columns())):  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="columns"):
            again()


@pytest.mark.parametrize("size", [4, 7, 8, 12, 16, 20])
@pytest.mark.parametrize("is_at_end", [False, True])
def test_words_whose_hashes_begin_alike_are_told_apart(size: int, is_at_end: bool) -> None:
    """Of so many words some ten share the 32 bits of their hashes that a table keeps."""
    letters = "".join(map(chr, range(33, 97)))
    told = ["".join(some) for some in islice(product(letters, repeat=4), 0, None, 64)]
    rest = "-" * (size - 4)
    words = [rest + word if is_at_end else word + rest for word in told]
    batch, count = Batch(), len(words)
    places = np.arange(count)
    for _ in range(2):
        batch.add(words, places, np.zeros(count, int), np.zeros(count, int), places, 1)
    lists = batch.invert(np.zeros(2))
    assert count == 262_144
    assert len(lists.column("word_ends")) == count
    assert len(lists.column("ordinal_ends")) == count
