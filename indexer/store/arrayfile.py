"""A file of named arrays that never changes once written: the container of segments and weights.

Layout, little endian:

    offset  size  meaning
    0       4     "FAid"
    4       4     format version, uint32
    8       4     length of the header in bytes, uint32
    12      4     CRC-32 of the header, uint32
    16      n     header: JSON {"kind", "meta", "arrays": [{"name", "dtype", "shape", "offset", "crc32"}], "size"}
    ...           the arrays, each at a multiple of 64 bytes, offsets counted from the start of the file

The file ends with 8 spare bytes, so that eight bytes can be loaded at any byte of an array.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexer.store import disk
from indexer.store.errors import (
    DiskFullError,
    IndexCorruptError,
    IndexMissingError,
    IndexVersionError,
    is_disk_full,
)
from indexer.store.spill import Spilled

FORMAT_VERSION = 3
_MAGIC = b"FAid"
_ALIGN = 64
_SPARE = 8

Chunks = NDArray[Any] | list[NDArray[Any]] | Spilled


def write_arrays(path: str, kind: str, meta: Mapping[str, Any], arrays: Mapping[str, Chunks]) -> None:
    """Write a file of arrays and sync it; an array may come as chunks, one behind the other.

    The file is written under a temporary name and renamed, so that it is there whole or not at all.
    Raises DiskFullError.
    """
    table = []
    offset = 0
    chunked = {name: [value] if isinstance(value, np.ndarray) else value for name, value in arrays.items()}
    for name, chunks in chunked.items():
        entry, nbytes = _described(name, chunks)
        entry["offset"] = offset
        table.append(entry)
        offset += _aligned(nbytes)
    # offsets depend on the header's length, which depends on the offsets' digits: leave room for them
    header_room = _aligned(
        16 + len(json.dumps({"kind": kind, "meta": meta, "arrays": table, "size": 0})) + 24 * len(table) + 64
    )
    for entry in table:
        entry["offset"] += header_room
    size = header_room + offset + _SPARE
    header = json.dumps({"kind": kind, "meta": meta, "arrays": table, "size": size}).encode()
    temporary = path + ".tmp"
    try:
        with disk.create(temporary) as file:
            file.write(_MAGIC + struct.pack("<III", FORMAT_VERSION, len(header), zlib.crc32(header)) + header)
            for entry, chunks in zip(table, chunked.values(), strict=True):
                file.write(b"\0" * (entry["offset"] - file.tell()))
                for chunk in chunks:
                    file.write(np.ascontiguousarray(chunk).data)
            file.write(b"\0" * (size - file.tell()))
            disk.sync(file)
        disk.rename(temporary, path)
        disk.sync_folder(os.path.dirname(path))
    except OSError as error:
        with suppress(OSError):
            disk.remove(temporary)
        if is_disk_full(error):
            raise DiskFullError(
                f"{path}: no space left on the disk after {offset} bytes; free some and run again"
            ) from error
        raise


def _described(name: str, chunks: list[NDArray[Any]] | Spilled) -> tuple[dict[str, Any], int]:
    """Return the entry of an array in the header, as far as its chunks alone tell, and how many bytes they have."""
    crc = rows = nbytes = 0
    dtype, rest = (
        (chunks.dtype, ()) if isinstance(chunks, Spilled) else (chunks[0].dtype, chunks[0].shape[1:])
    )
    for chunk in chunks:
        crc = zlib.crc32(np.ascontiguousarray(chunk).data, crc)
        rows += len(chunk)
        nbytes += chunk.nbytes
    return {"name": name, "dtype": dtype.str, "shape": (rows, *rest), "offset": 0, "crc32": crc}, nbytes


_TYPES = {"|u1": 1, "<u2": 2, "<u4": 4, "<u8": 8}


def _checked(entry: dict[str, Any], size: int) -> dict[str, Any]:
    """Return the entry of an array whose bytes lie in the file; raises ValueError for any other. A header may lie."""
    rows, columns = (*entry["shape"], 1)[:2]
    end = entry["offset"] + rows * columns * _TYPES[entry["dtype"]]
    if (
        len(entry["shape"]) not in (1, 2)
        or min(rows, columns) < 0
        or entry["offset"] < 16
        or end + _SPARE > size
    ):
        place = f"shape {entry['shape']} at byte {entry['offset']}"
        raise ValueError(f"array {entry['name']!r} has {place}, the file {size} bytes")
    return entry


class _Meta(dict[str, Any]):
    """What a header says beside its arrays; a number that is missing is damage."""

    def __init__(self, path: str, values: dict[str, Any]) -> None:
        super().__init__(values)
        self._path = path

    def __missing__(self, name: str) -> Any:
        raise IndexCorruptError(
            f"{self._path}: the header has no {name!r}; index the archives again with --rebuild"
        )


class ArrayFile:
    """The arrays of a file, mapped into memory; array(name) is a view, nothing is loaded before it is used."""

    def __init__(self, path: str, kind: str) -> None:
        """Open and check the header and the size. Raises the errors of indexer.store.errors."""
        self.path = path
        try:
            with open(path, "rb") as file:
                start = file.read(16)
                if start[:4] != _MAGIC or len(start) < 16:
                    raise IndexCorruptError(
                        f"{path}: starts with {start[:4]!r}, expected {_MAGIC!r};"
                        " index the archives again with --rebuild"
                    )
                version, length, crc = struct.unpack("<III", start[4:])
                if version != FORMAT_VERSION:
                    raise IndexVersionError(
                        f"{path}: index format {version}, this program reads format {FORMAT_VERSION};"
                        " index the archives again with --rebuild"
                    )
                header = file.read(length)
                # one open file for all: a merge may take the name away at any moment
                self.size = os.fstat(file.fileno()).st_size
                self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                self._bytes = np.frombuffer(self._mapped, dtype=np.uint8)
        except FileNotFoundError as error:
            raise IndexMissingError(
                f"{path}: this file of the index is missing; index the archives again with --rebuild"
            ) from error
        if len(header) != length or zlib.crc32(header) != crc:
            raise IndexCorruptError(
                f"{path}: the header does not fit its checksum; index the archives again with --rebuild"
            )
        try:
            described = json.loads(header)
            self._table = {entry["name"]: _checked(entry, self.size) for entry in described["arrays"]}
            self.meta = _Meta(path, described["meta"])
            described["size"], described["kind"]
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise IndexCorruptError(
                f"{path}: the header does not describe this file ({error}); index the archives again with --rebuild"
            ) from error
        if described["kind"] != kind or described["size"] != self.size:
            raise IndexCorruptError(
                f"{path}: {self.size} bytes of kind {described['kind']!r}, expected {described['size']} of {kind!r};"
                " index the archives again with --rebuild"
            )

    def array(self, name: str) -> NDArray[Any]:
        """Return the array `name` as a read-only view of the file."""
        entry = self._entry(name)
        return np.ndarray(entry["shape"], dtype=entry["dtype"], buffer=self._bytes, offset=entry["offset"])

    def eight_bytes_at_each(self, name: str) -> NDArray[np.uint64]:
        """Return a view of a byte array in which item i is the little-endian number of its bytes i to i + 7."""
        entry = self._entry(name)
        return np.ndarray(
            (entry["shape"][0] + 1,), dtype="<u8", buffer=self._bytes, offset=entry["offset"], strides=(1,)
        )

    def _entry(self, name: str) -> dict[str, Any]:
        entry = self._table.get(name)
        if entry is None:
            raise IndexCorruptError(
                f"{self.path}: has no array {name!r}; index the archives again with --rebuild"
            )
        return entry

    def let_go(self) -> None:
        """Give back the memory of what was read of the file; what is used again is read again."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._mapped.madvise(mmap.MADV_DONTNEED)

    def problems(self) -> list[str]:
        """Return one line for each array whose bytes do not fit their checksum."""
        return [
            f"{self.path}: the bytes of {name!r} do not fit their checksum; index the archives again with --rebuild"
            for name, entry in self._table.items()
            if zlib.crc32(self.array(name).data if entry["shape"][0] else b"") != entry["crc32"]
        ]


def strings_to_arrays(strings: Iterable[str]) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Return (ends, bytes): where each string ends in the joined UTF-8 bytes, and these bytes."""
    encoded = [string.encode("utf-8", "replace") for string in strings]
    ends = (
        np.cumsum([len(item) for item in encoded], dtype=np.uint32)
        if encoded
        else np.zeros(0, dtype=np.uint32)
    )
    return ends, np.frombuffer(b"".join(encoded), dtype=np.uint8)


def string_at(ends: NDArray[np.uint32], data: NDArray[np.uint8], index: int) -> str:
    """Return one string of what strings_to_arrays gave."""
    start = int(ends[index - 1]) if index else 0
    return data[start : int(ends[index])].tobytes().decode("utf-8", "replace")


def _aligned(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN
