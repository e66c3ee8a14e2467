"""A new process answers its first query soon: it imports nothing that a plain query does not need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from shelf import write_shelf

from indexer import IndexOptions, build_index

# What takes long to import, by itself or by what it brings along, and why a search would have it:
UNNEEDED = (
    "sqlitedict",  # for values that are only read
    "logging",  # nothing is logged
    "calendar",  # names of months
    "archiver.warc.charsets",  # their tables, for one name
    "indexer.search.scoring",  # scores of other models
)


def test_a_first_query_imports_what_it_needs_alone(tmp_path: Path) -> None:
    build_index(write_shelf(tmp_path / "arcs", 1, 4), str(tmp_path / "idx"), options=IndexOptions(workers=1))
    program = (
        "import sys; from indexer import open_index\n"
        f"with open_index({str(tmp_path / 'idx')!r}) as index:\n"
        "    index.search('page', with_snippets=False)\n"
        f"print([name for name in {UNNEEDED!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
