"""Archive files that are still being written: NAME.warc.gz is called NAME.warc.gz.open until it is closed.

The crawler writes them and mends what a crash left; the indexer reads them up to their last whole record, and carries
on from there later. A file that is renamed while it is read, or between two reads, is found under its final name.
"""

from __future__ import annotations

import os
import zlib

from archiver.files import UNFINISHED

_GROWING = ".warc.gz" + UNFINISHED
_BLOCK = 1 << 16


def is_growing(path: str) -> bool:
    """Return whether a file is not closed yet, by its name."""
    return path.endswith(_GROWING)


def final_name(path: str) -> str:
    """Return what a file is called when it is closed; any other name as it is."""
    return path.removesuffix(UNFINISHED) if is_growing(path) else path


def name_now(path: str) -> str:
    """Return what the file with a final name is called now: that name, unless only the growing file is there."""
    growing = path + UNFINISHED
    return growing if is_growing(growing) and not os.path.exists(path) and os.path.exists(growing) else path


def last_member_end(path: str, start: int = 0) -> int:
    """Return the byte after the last whole gzip member; members are counted from `start`, a member's first byte."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if start > size:
            # The file is shorter than what was synced: nothing of it can be trusted.
            start = 0
        end = start
        file.seek(start)
        data, position = b"", start
        while True:
            unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
            while not unpacker.eof:
                if not data:
                    data = file.read(_BLOCK)
                    position += len(data)
                    if not data:
                        return end
                try:
                    rest = data
                    while rest and not unpacker.eof:
                        unpacker.decompress(rest, _BLOCK)
                        rest = unpacker.unconsumed_tail
                except zlib.error:
                    return end
                data = unpacker.unused_data if unpacker.eof else b""
            end = position - len(data)
