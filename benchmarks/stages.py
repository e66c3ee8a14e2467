"""CPU of each stage of indexing, in microseconds a page: what `index.py --stages` prints.

Two runs over the same archives, each in this process: one worker alone, with a pipe that says of each version whether
it is new, and then merges of all its segments; then a whole run, of which only the coordinator's part is timed.
A stage does not count what it asks of another one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import indexer.store.links as links
import indexer.store.merging as merging
import indexer.store.segment as segment
import indexer.store.segment_writer as segment_writer
import indexer.store.writer as writer
import indexer.text.documents as documents
import indexer.worker as worker
from indexer.build import IndexOptions, build_index
from indexer.coordinator import Run
from indexer.core.intake import Intake
from indexer.store.columns import MAX_VERSIONS
from indexer.store.fold import FoldTask, WeighTask
from indexer.store.writer import IndexWriter


class Stages:
    """Adds up the CPU time of functions by the name of their stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._open: list[str] = []
        self._since = 0.0
        self._undo: list[Callable[[], None]] = []

    def begin(self, stage: str) -> None:
        self._count()
        self._open.append(stage)

    def end(self) -> None:
        self._count()
        self._open.pop()

    def _count(self) -> None:
        now = time.thread_time()
        if self._open:
            self.seconds[self._open[-1]] += now - self._since
        self._since = now

    def time(self, owner: Any, name: str, stage: str) -> None:
        """Count the calls of a function, or the steps of a generator, as a stage."""
        function = getattr(owner, name)

        def called(*arguments: Any, **options: Any) -> Any:
            self.begin(stage)
            try:
                answer = function(*arguments, **options)
            finally:
                self.end()
            return self._steps(answer, stage) if isinstance(answer, Iterator) else answer

        setattr(owner, name, called)
        self._undo.append(lambda: setattr(owner, name, function))

    def _steps(self, items: Iterator[Any], stage: str) -> Iterator[Any]:
        while True:
            self.begin(stage)
            try:
                item = next(items)
            except StopIteration:
                return
            finally:
                self.end()
            yield item

    def undo(self) -> None:
        while self._undo:
            self._undo.pop()()


class Coordinator:
    """Stands for the coordinator: gives files, and tells which versions are new."""

    def __init__(self, files: list[str]) -> None:
        self._messages: list[tuple[Any, ...]] = [
            ("file", n, path, frozenset(), (0, 1), (0, None)) for n, path in enumerate(files)
        ]
        self._messages += [("flush",), ("stop",)]
        self._claims: deque[list[tuple[str, bytes]]] = deque()
        self.known: dict[tuple[str, bytes], int] = {}

    def send(self, message: tuple[Any, ...]) -> None:
        if message[0] == "claim":
            self._claims.append(message[1])

    def poll(self) -> bool:
        return bool(self._claims)

    def recv(self) -> Any:
        if not self._claims:
            return self._messages.pop(0)
        answers = []
        for claim in self._claims.popleft():
            is_new = claim not in self.known
            number = self.known.setdefault(claim, len(self.known) + 1)
            answers.append((number, number, is_new))
        return "answers", answers


def measure_stages(paths: list[Path]) -> dict[str, Any]:
    """Return {"pages": how many, "us_per_page": {stage: microseconds of CPU}} of indexing archives."""
    files = sorted(
        str(file)
        for path in paths
        for file in (path.rglob("*") if path.is_dir() else [path])
        if file.is_file()
    )
    stages = Stages()
    try:
        pages = _time_worker(files, stages)
        _time_coordinator(files, stages)
    finally:
        stages.undo()
    return {
        "pages": pages,
        "us_per_page": {stage: round(s / max(pages, 1) * 1e6) for stage, s in stages.seconds.items()},
    }


def _time_worker(files: list[str], stages: Stages) -> int:
    for owner, name, stage in (
        (worker, "read_captures", "read"),
        (documents, "html_in_utf8", "decode"),
        (Intake, "take_pages", "texts, words, links and language"),
        (worker.Worker, "_add_rest", "the same of odd pages"),
        (links.LinkCollector, "write", "links"),
        (worker, "write_inverted", "inversion"),
        (segment_writer, "stem_rows", "stems"),
        (segment_writer, "write_arrays", "segment write"),
        (merging, "merge_segments", "merge"),
        (links, "merge_links", "merge of links"),
    ):
        stages.time(owner, name, stage)
    coordinator = Coordinator(files)
    folder = tempfile.mkdtemp()
    try:
        stages.begin("worker, rest")
        status = memoryview(bytearray(8 * worker.Status.SIZE)).cast("q")
        worker.Worker(coordinator, status, folder, "w").run()  # type: ignore[arg-type]
        stages.end()
        _merge_all(folder)
    finally:
        shutil.rmtree(folder)
        stages.undo()
    return len(coordinator.known)


def _merge_all(folder: str) -> None:
    """Merge the segments of a worker as a run does: each into one of as many versions as a segment may hold."""
    names = sorted(name.removesuffix(".new") for name in os.listdir(folder) if ".links" not in name)
    opened = {name: segment.Segment(os.path.join(folder, f"{name}.new")) for name in names}
    for number, group in enumerate(groups_that_fit({name: len(each) for name, each in opened.items()})):
        base = os.path.join(folder, f"merged-{number}")
        parts = [opened[name] for name in group]
        places = merging.merge_segments(f"{base}.seg", parts, [[] for _ in parts])
        of_links = [
            links.Links(os.path.join(folder, f"{name}.links.new"), len(opened[name])) for name in group
        ]
        links.merge_links(f"{base}.links", of_links, places)


def groups_that_fit(versions: Mapping[str, int], most: int = MAX_VERSIONS) -> list[list[str]]:
    """Return the names of segments, each with its number of versions, in groups of neighbours that fit into one."""
    groups: list[list[str]] = []
    held = 0
    for name, count in versions.items():
        if not groups or held + count > most:
            groups.append([])
            held = 0
        groups[-1].append(name)
        held += count
    return groups


def _time_coordinator(files: list[str], stages: Stages) -> None:
    for owner, name, stage in (
        (IndexWriter, "commit", "catalogue rows"),
        (writer, "write_changed_captures", "captures"),
        (FoldTask, "run", "inlinks"),
        (WeighTask, "run", "weights"),
    ):
        stages.time(owner, name, stage)
    # what workers do at the end is done here, to be seen
    stages.time(Run, "_fold_and_weigh", "coordinator, rest")
    setattr(Run, "_fold_and_weigh", lambda run: None)  # noqa: B010  # undone with what is timed
    folder = tempfile.mkdtemp()
    try:
        stages.begin("coordinator, rest")
        build_index(files, os.path.join(folder, "index"), options=IndexOptions(workers=1))
        stages.end()
    finally:
        shutil.rmtree(folder)


def stages_as_text(result: dict[str, Any]) -> str:
    found: dict[str, int] = result["us_per_page"]
    lines = [f"{result['pages']:,} pages; microseconds of CPU a page:"]
    lines += [f"{us:8,}  {stage}" for stage, us in sorted(found.items(), key=lambda item: -item[1])]
    return "\n".join([*lines, f"{sum(found.values()):8,}  together"])
