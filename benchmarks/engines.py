"""The engines that peers.py measures, each from WARC files to ten hits; every run is a process of its own.

    python benchmarks/engines.py build ENGINE FOLDER WORKERS FILE...    make an index; prints JSON
    python benchmarks/engines.py ask ENGINE FOLDER QUERIES              times the queries; prints a line of JSON
                                                                        for each line that it reads

All but Whoosh are given the same pages: read by FastWARC, title and text as this product finds them. That work is done
in as many processes as there are cores, which hand over chunks of pages through a queue that holds few of them.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
APP = HERE.parent / "app.py"
CHUNK_PAGES = 64
CHUNKS_WAITING = 8
TITLE_BOOST = 3.0

Page = tuple[str, str, str]  # address, title, text
Ask = Callable[[str, bool], list[str]]  # (query, exact count wanted) -> addresses of the ten best


class Engine(Protocol):
    """One way to an index. needs: modules that must be there; what: how it is set up, for the table's notes.

    Each is built by this file, in a process of its own, but ours, which has a command for that: `command_of`.
    """

    needs: tuple[str, ...]
    what: str

    def build(self, files: list[str], folder: Path, workers: int) -> dict[str, Any]:
        """Index the files into a new folder; return figures to keep, among them "pages"."""

    def open(self, folder: Path) -> Ask:
        """Open the index; what is returned answers queries of queries.tsv."""


# ---------------------------------------------------------------- reading and parsing, the same for all


def pages_of(file: str, *, every: int = 1) -> Iterator[Page]:
    """Yield the pages of an archive: read by FastWARC, their text found as this product does it."""
    from indexer.text.charset import decode_html
    from indexer.text.pages import collect_page

    for url, body, content_type in bodies_of(file, every=every):
        page = collect_page(decode_html(body, content_type)[0])
        yield url, page.title or "", page.text


def bodies_of(file: str, *, every: int = 1) -> Iterator[tuple[str, bytes, str]]:
    """Yield (address, body, Content-Type) of the HTML pages of an archive."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    with open(file, "rb") as stream:
        records = ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=True)
        for number, record in enumerate(records):
            if number % every:
                continue
            head = record.http_headers
            if head is None or head.status_code != 200:
                continue
            content_type = record.http_content_type or head.get("Content-Type") or ""
            if "html" in content_type:
                yield record.headers["WARC-Target-URI"].strip("<>"), record.reader.read(), content_type


def pages_of_soup(file: str) -> Iterator[Page]:
    """Yield the pages of an archive as warcio and BeautifulSoup (over lxml) give them."""
    import warnings

    from bs4 import BeautifulSoup, XMLParsedAsHTMLWarning
    from warcio.archiveiterator import ArchiveIterator

    warnings.filterwarnings("ignore", category=XMLParsedAsHTMLWarning)

    with open(file, "rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type != "response" or record.http_headers is None:
                continue
            if record.http_headers.get_statuscode() != "200":
                continue
            if "html" not in (record.http_headers.get_header("Content-Type") or ""):
                continue
            soup = BeautifulSoup(record.content_stream().read(), "lxml")
            for useless in soup(["script", "style", "template"]):
                useless.decompose()
            title = soup.title.get_text() if soup.title else ""
            body = soup.body.get_text(" ") if soup.body else ""
            yield record.rec_headers.get_header("WARC-Target-URI"), title, body


def chunks(pages: Iterator[Page]) -> Iterator[list[Page]]:
    """Yield the pages in lists of CHUNK_PAGES."""
    while chunk := list(islice(pages, CHUNK_PAGES)):
        yield chunk


def in_processes(
    files: list[str], workers: int, read: Callable[[str], Iterator[Page]], make: Callable[[list[Page]], Any]
) -> Iterator[Any]:
    """Yield make(chunk) for all chunks of pages of the files; reading and making happen in `workers` processes."""
    context = multiprocessing.get_context("fork")
    names: Any = context.SimpleQueue()
    results: Any = context.Queue(maxsize=CHUNKS_WAITING)
    for file in sorted(files, key=lambda file: -os.path.getsize(file)):
        names.put(file)
    for _ in range(workers):
        names.put(None)

    def work() -> None:
        try:
            while (file := names.get()) is not None:
                for chunk in chunks(read(file)):
                    results.put(make(chunk))
            results.put(None)
        except BaseException as error:
            results.put(RuntimeError(f"{type(error).__name__}: {error}"))
            raise

    processes = [context.Process(target=work) for _ in range(workers)]
    for process in processes:
        process.start()
    running = workers
    while running:
        item = results.get()
        if item is None:
            running -= 1
        elif isinstance(item, RuntimeError):
            raise item
        else:
            yield item
    for process in processes:
        process.join()


def words_in(query: str) -> list[tuple[str, bool]]:
    """Return (text, whether it is a phrase) of the parts of a query; OR is left out."""
    parts = re.findall(r'"([^"]+)"|(\S+)', query)
    return [(phrase or word, bool(phrase)) for phrase, word in parts if word != "OR"]


# ---------------------------------------------------------------- the engines


class FindingAid:
    """This project, built by the command that its users give."""

    needs = ()
    what = "findingaid index; words side by side must all stand on the page, stop words aside"

    def open(self, folder: Path) -> Ask:
        import inspect

        from indexer import open_index

        index = open_index(str(folder))
        options: dict[str, Any] = {"with_snippets": False}
        # an engine that can leave the count open is asked to; until then both figures are of the exact one
        has_choice = "exact_total" in inspect.signature(index.search).parameters

        def ask(query: str, exact: bool) -> list[str]:
            chosen = {**options, "exact_total": exact} if has_choice else options
            return [hit.url for hit in index.search(query, **chosen).hits]

        return ask


class Floor:
    """Reading and parsing alone: what no indexer can do without."""

    needs = ("fastwarc", "selectolax")
    what = "FastWARC and a Lexbor tree of each page, nothing taken from it"

    def build(self, files: list[str], folder: Path, workers: int) -> dict[str, Any]:
        from selectolax.lexbor import LexborHTMLParser

        def trees_of(file: str) -> Iterator[Page]:
            for url, body, _ in bodies_of(file):
                LexborHTMLParser(body)
                yield url, "", ""

        return {"pages": sum(in_processes(files, workers, trees_of, len))}

    def open(self, folder: Path) -> Ask:
        raise NotImplementedError


class Tantivy:
    needs = ("fastwarc", "selectolax", "tantivy")
    what = "en_stem, positions; 256 MB of heap, one thread a core; all words must stand on the page"

    def build(self, files: list[str], folder: Path, workers: int) -> dict[str, Any]:
        pages = 0
        received = in_processes(files, workers, pages_of, lambda chunk: chunk)
        first = next(received, [])  # the workers are forked before tantivy has threads
        import tantivy

        schema = tantivy.SchemaBuilder()
        schema.add_text_field("url", stored=True, tokenizer_name="raw", index_option="basic")
        schema.add_text_field("title", stored=True, tokenizer_name="en_stem", index_option="position")
        schema.add_text_field("body", tokenizer_name="en_stem", index_option="position")
        writer = tantivy.Index(schema.build(), str(folder)).writer(heap_size=256_000_000, num_threads=workers)
        for chunk in chain([first], received):
            for url, title, body in chunk:
                writer.add_document(tantivy.Document(url=url, title=title, body=body))
            pages += len(chunk)
        writer.commit()
        writer.wait_merging_threads()
        return {"pages": pages}

    def open(self, folder: Path) -> Ask:
        import tantivy

        index = tantivy.Index.open(str(folder))
        index.reload()
        searcher = index.searcher()

        def ask(query: str, exact: bool) -> list[str]:
            parsed = index.parse_query(
                query, ["title", "body"], field_boosts={"title": TITLE_BOOST}, conjunction_by_default=True
            )
            found = searcher.search(parsed, 10, count=exact)
            return [str(searcher.doc(address)["url"][0]) for _, address in found.hits]

        return ask


class Fts5:
    needs = ("fastwarc", "selectolax")
    what = "porter over unicode61, text not kept (content=''), one transaction; optimised before the queries"

    def build(self, files: list[str], folder: Path, workers: int) -> dict[str, Any]:
        pages = 0
        connection = sqlite3.connect(folder / "pages.sqlite", isolation_level=None)
        for statement in (
            "PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -256000",
            "CREATE TABLE pages (id INTEGER PRIMARY KEY, url TEXT NOT NULL, title TEXT NOT NULL)",
            "CREATE VIRTUAL TABLE words USING fts5 (title, body, content='', tokenize='porter unicode61')",
            f"INSERT INTO words (words, rank) VALUES ('rank', 'bm25({TITLE_BOOST}, 1.0)')",
            "BEGIN",
        ):  # fmt: skip
            connection.execute(statement)
        for chunk in in_processes(files, workers, pages_of, lambda chunk: chunk):
            numbered = list(enumerate(chunk, pages + 1))
            connection.executemany(
                "INSERT INTO pages VALUES (?, ?, ?)", [(n, url, title) for n, (url, title, _) in numbered]
            )
            connection.executemany(
                "INSERT INTO words (rowid, title, body) VALUES (?, ?, ?)",
                [(n, t, b) for n, (_, t, b) in numbered],
            )
            pages += len(chunk)
        connection.execute("COMMIT")
        connection.close()
        return {"pages": pages}

    def open(self, folder: Path) -> Ask:
        connection = sqlite3.connect(folder / "pages.sqlite", isolation_level=None)
        # not part of the time to index: it makes queries as fast as they get
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        connection.execute("PRAGMA cache_size = -256000")
        connection.execute("PRAGMA mmap_size = 4000000000")

        def ask(query: str, exact: bool) -> list[str]:
            joiner = " OR " if " OR " in query else " "
            match = joiner.join(f'"{text}"' for text, _ in words_in(query))
            if exact:
                connection.execute("SELECT COUNT(*) FROM words WHERE words MATCH ?", (match,)).fetchone()
            found = connection.execute(
                "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10", (match,)
            ).fetchall()
            return [
                connection.execute("SELECT url, title FROM pages WHERE id = ?", row).fetchone()[0]
                for row in found
            ]

        return ask


class Bm25s:
    needs = ("fastwarc", "selectolax", "bm25s", "Stemmer", "numba")
    what = (
        "Snowball English, English stop words, numba; any of the words, no phrases, no counts, no positions"
    )

    def build(self, files: list[str], folder: Path, workers: int) -> dict[str, Any]:
        import bm25s
        import numpy as np
        import Stemmer

        def make(chunk: list[Page]) -> tuple[list[str], list[str], list[Any]]:
            cut = bm25s.tokenize(
                [f"{title}\n{body}" for _, title, body in chunk],
                stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False,
            )  # fmt: skip
            words = sorted(cut.vocab, key=cut.vocab.__getitem__)
            return [url for url, _, _ in chunk], words, [np.asarray(ids, dtype=np.int32) for ids in cut.ids]

        urls: list[str] = []
        vocabulary: dict[str, int] = {}
        documents: list[Any] = []
        for names, words, ids in in_processes(files, workers, pages_of, make):
            own = np.fromiter(
                (vocabulary.setdefault(word, len(vocabulary)) for word in words),
                dtype=np.int32,
                count=len(words),
            )
            urls += names
            documents += [own[numbers] for numbers in ids]
        retriever = bm25s.BM25(backend="numba", auto_compile=False)
        retriever.index((documents, vocabulary), show_progress=False)
        retriever.save(str(folder), show_progress=False)
        (folder / "urls.json").write_text(json.dumps(urls))
        return {"pages": len(urls)}

    def open(self, folder: Path) -> Ask:
        import bm25s
        import Stemmer

        retriever = bm25s.BM25.load(str(folder), mmap=True)
        retriever.backend = "numba"
        urls = json.loads((folder / "urls.json").read_text())
        stemmer = Stemmer.Stemmer("english")
        most = min(10, len(urls))

        def ask(query: str, exact: bool) -> list[str]:
            text = " ".join(text for text, _ in words_in(query))
            words = bm25s.tokenize(
                text, stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False
            )
            if not words[0]:
                return []  # stop words alone
            found = retriever.retrieve(words, k=most, show_progress=False)
            return [
                urls[number]
                for number, score in zip(found.documents[0], found.scores[0], strict=True)
                if score > 0
            ]

        return ask


class Whoosh:
    needs = ("warcio", "bs4", "lxml", "whoosh")
    what = (
        "warcio, BeautifulSoup over lxml, StemmingAnalyzer, writer with one process a core; on the slice only"
    )

    def build(self, files: list[str], folder: Path, workers: int) -> dict[str, Any]:
        from whoosh import index
        from whoosh.analysis import StemmingAnalyzer
        from whoosh.fields import ID, TEXT, Schema

        schema = Schema(
            url=ID(stored=True), title=TEXT(stored=True, analyzer=StemmingAnalyzer(), field_boost=TITLE_BOOST),
            body=TEXT(analyzer=StemmingAnalyzer()),
        )  # fmt: skip
        pages = 0
        received = in_processes(files, workers, pages_of_soup, lambda chunk: chunk)
        with index.create_in(str(folder), schema).writer(
            procs=workers, limitmb=256, multisegment=True
        ) as writer:
            for chunk in received:
                for url, title, body in chunk:
                    writer.add_document(url=url, title=title, body=body)
                pages += len(chunk)
        return {"pages": pages}

    def open(self, folder: Path) -> Ask:
        from whoosh import index
        from whoosh.qparser import MultifieldParser

        opened = index.open_dir(str(folder))
        searcher = opened.searcher()
        parser = MultifieldParser(["title", "body"], opened.schema)

        def ask(query: str, exact: bool) -> list[str]:
            found = searcher.search(parser.parse(query), limit=10)
            if exact:
                len(found)
            return [hit["url"] for hit in found]

        return ask


ENGINES: dict[str, Engine] = {
    "findingaid": FindingAid(), "floor": Floor(), "tantivy": Tantivy(), "fts5": Fts5(), "bm25s": Bm25s(),
    "whoosh": Whoosh(),
}  # fmt: skip


# ---------------------------------------------------------------- timing


def time_queries(ask: Ask, queries: list[str]) -> dict[str, list[float]]:
    """Ask every query, with an exact count and without; return the times in microseconds."""
    times: dict[str, list[float]] = {}
    for name, exact in (("exact", True), ("no_count", False)):
        times[name] = []
        for query in queries:
            start = time.perf_counter_ns()
            ask(query, exact)
            times[name].append((time.perf_counter_ns() - start) / 1000)
    return times


def own_memory() -> dict[str, float]:
    """Return the resident memory of this process in MB: all of it, and what is not a mapped file."""
    with open("/proc/self/smaps_rollup", encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file if ":" in line and line[0].isupper())
    kb = {name: int(value.split()[0]) for name, value in fields.items() if value.strip().endswith("kB")}
    return {"rss_mb": round(kb["Rss"] / 1000, 1), "not_mapped_mb": round(kb["Anonymous"] / 1000, 1)}


def command_of(name: str, files: list[str], folder: Path, workers: int) -> list[str]:
    """Return the command that indexes files into a folder and prints figures, among them "pages" or "versions"."""
    if name == "findingaid":
        place = ["--index", str(folder), "--workers", str(workers)]
        return [sys.executable, str(APP), "index", *files, *place, "--json", "-q"]
    return [sys.executable, str(HERE / "engines.py"), "build", name, str(folder), str(workers), *files]


def main() -> None:
    command, name, folder, *rest = sys.argv[1:]
    engine = ENGINES[name]
    if command == "build":
        Path(folder).mkdir(parents=True, exist_ok=True)
        print(json.dumps(engine.build(rest[1:], Path(folder), int(rest[0]))))
    elif command == "ask":
        from queries import read_queries

        queries = [query for _, query in read_queries(Path(rest[0]))]
        start = time.perf_counter()
        ask = engine.open(Path(folder))
        ask(queries[0], True)
        first_ms = (time.perf_counter() - start) * 1000
        answered, first_us = 0, []
        for query in queries:
            asked = time.perf_counter()
            answered += bool(ask(query, True))
            first_us.append((time.perf_counter() - asked) * 1e6)
        print(json.dumps({"first_ms": first_ms, "answered": answered, "first_us": first_us}), flush=True)
        for _ in sys.stdin:
            print(json.dumps({"times_us": time_queries(ask, queries), **own_memory()}), flush=True)


if __name__ == "__main__":
    main()
