"""A file of named arrays that never changes once written: the container of segments and weights.

Layout, little endian:

    offset  size  meaning
    0       4     "FAid"
    4       4     format version, uint32
    8       4     n: length of the header in bytes, uint32
    12      4     m: number of checksums, uint32
    16      4     CRC-32 of all that stands before it and of the next n + 4 * m bytes, uint32
    20      n     header: JSON {"kind", "meta", "arrays": [{"name", "dtype", "shape", "offset"}], "size"}
    20 + n  4 m   CRC-32 of each block of 16 KiB of each array, one array behind the other, uint32
    ...           the arrays, each at a multiple of 64 bytes, offsets counted from the start of the file

The file ends with 8 spare bytes, so that eight bytes can be loaded at any byte of an array.
What is read of an array is verified before, see blocks.py.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import struct
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from indexer.store import disk
from indexer.store.blocks import Blocks, Column, Values, blocks_of, checksums_of
from indexer.store.errors import (
    DiskFullError,
    IndexCorruptError,
    IndexMissingError,
    IndexVersionError,
    is_disk_full,
)
from indexer.store.spill import Spilled

FORMAT_VERSION = 8  # of the whole index
_MAGIC = b"FAid"
_FIXED = 20  # bytes before the header
_ALIGN = 64
_SPARE = 8

Chunks = NDArray[Any] | list[NDArray[Any]] | Spilled


def write_arrays(
    path: str, kind: str, meta: Mapping[str, Any], arrays: Mapping[str, Chunks], *, is_synced: bool = True
) -> None:
    """Write a file of arrays and sync it; an array may come as chunks, one behind the other.

    The file is written under a temporary name and renamed, so that it is there whole or not at all; its name lasts
    when its folder is synced, which the commit that names it does once for all. is_synced: False where that commit
    syncs the file, too, or none will ever name it. Raises DiskFullError.
    """
    table = []
    checksums: list[int] = []
    offset = 0
    chunked = {name: [value] if isinstance(value, np.ndarray) else value for name, value in arrays.items()}
    for name, chunks in chunked.items():
        entry, nbytes = _described(name, chunks)
        checksums += checksums_of(chunks)
        entry["offset"] = offset
        table.append(entry)
        offset += _aligned(nbytes)
    # offsets depend on the header's length, which depends on the offsets' digits: leave room for them
    header_room = _aligned(
        _FIXED
        + len(json.dumps({"kind": kind, "meta": meta, "arrays": table, "size": 0}))
        + 24 * len(table)
        + 64
        + 4 * len(checksums)
    )
    for entry in table:
        entry["offset"] += header_room
    size = header_room + offset + _SPARE
    header = json.dumps({"kind": kind, "meta": meta, "arrays": table, "size": size}).encode()
    fixed = _MAGIC + struct.pack("<III", FORMAT_VERSION, len(header), len(checksums))
    header += struct.pack(f"<{len(checksums)}I", *checksums)
    crc = struct.pack("<I", zlib.crc32(header, zlib.crc32(fixed)))
    temporary = path + ".tmp"
    try:
        with disk.create(temporary) as file:
            file.write(fixed + crc + header)
            for entry, chunks in zip(table, chunked.values(), strict=True):
                file.write(b"\0" * (entry["offset"] - file.tell()))
                for chunk in chunks:
                    file.write(np.ascontiguousarray(chunk).data)
            file.write(b"\0" * (size - file.tell()))
            if is_synced:
                disk.sync(file)
        disk.rename(temporary, path)
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
    rows = nbytes = 0
    dtype, rest = (
        (chunks.dtype, ()) if isinstance(chunks, Spilled) else (chunks[0].dtype, chunks[0].shape[1:])
    )
    for chunk in chunks:
        rows += len(chunk)
        nbytes += chunk.nbytes
    return {"name": name, "dtype": dtype.str, "shape": (rows, *rest), "offset": 0}, nbytes


_TYPES = {"|u1": 1, "<u2": 2, "<u4": 4, "<u8": 8}


def _checked(entry: dict[str, Any], size: int) -> dict[str, Any]:
    """Return the entry of an array whose bytes lie in the file; raises ValueError for any other. A header may lie."""
    rows, columns = (*entry["shape"], 1)[:2]
    end = entry["offset"] + rows * columns * _TYPES[entry["dtype"]]
    if (
        len(entry["shape"]) not in (1, 2)
        or min(rows, columns) < 0
        or entry["offset"] < _FIXED
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


class PlacedArray(NamedTuple):
    """Where an array lies in memory: its bytes, the checksums of its blocks, and a byte for each verified block.

    size: in bytes; block: bytes of a block, a power of two; width: bytes of an item.
    """

    data: int
    size: int
    sums: int
    verified: int
    block: int
    width: int


class ArrayFile:
    """The arrays of a file, mapped into memory; array(name) is a view, nothing is loaded before it is used."""

    def __init__(self, path: str, kind: str) -> None:
        """Open and check the header and the size. Raises the errors of indexer.store.errors."""
        self.path = path
        try:
            with open(path, "rb") as file:
                start = file.read(_FIXED)
                if start[:4] != _MAGIC or len(start) < _FIXED:
                    raise IndexCorruptError(
                        f"{path}: starts with {start[:4]!r}, expected {_MAGIC!r};"
                        " index the archives again with --rebuild"
                    )
                version, length, blocks, crc = struct.unpack("<IIII", start[4:])
                if version != FORMAT_VERSION:
                    raise IndexVersionError(
                        f"{path}: index format {version}, this program reads format {FORMAT_VERSION};"
                        " index the archives again with --rebuild"
                    )
                # one open file for all: a merge may take the name away at any moment
                self.size = os.fstat(file.fileno()).st_size
                header = file.read(min(length + 4 * blocks, self.size))
                self._mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                self._bytes = np.frombuffer(self._mapped, dtype=np.uint8)
        except FileNotFoundError as error:
            raise IndexMissingError(
                f"{path}: this file of the index is missing; index the archives again with --rebuild"
            ) from error
        if len(header) != length + 4 * blocks or zlib.crc32(header, zlib.crc32(start[:16])) != crc:
            raise IndexCorruptError(
                f"{path}: the header does not fit its checksum; index the archives again with --rebuild"
            )
        self._blocks: dict[str, Blocks] = {}
        try:
            described = json.loads(header[:length])
            self._table = {entry["name"]: _checked(entry, self.size) for entry in described["arrays"]}
            # a copy lies at a multiple of four bytes, as the core wants it
            self._know_blocks(np.frombuffer(header, dtype="<u4", offset=length, count=blocks).copy())
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

    def _know_blocks(self, checksums: NDArray[np.uint32]) -> None:
        """Share the checksums out among the arrays. Raises ValueError when they are not as many as there are blocks."""
        data, before = memoryview(self._mapped), 0
        for name, entry in self._table.items():
            nbytes = math.prod(entry["shape"]) * _TYPES[entry["dtype"]]
            behind = before + blocks_of(nbytes)
            part = data[entry["offset"] : entry["offset"] + nbytes]
            self._blocks[name] = Blocks(self.path, name, part, checksums[before:behind])
            before = behind
        if before != len(checksums):
            raise ValueError(f"{len(checksums)} checksums of {before} blocks")

    def rows(self, name: str) -> int:
        """Return how many rows the array `name` has."""
        return int(self._entry(name)["shape"][0])

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of the array `name`."""
        return tuple(self._entry(name)["shape"])

    def array(self, name: str) -> NDArray[Any]:
        """Return the array `name` as a read-only view of the file, all of it verified. Raises IndexCorruptError."""
        view = self._view(name)
        self._blocks[name].require_all()
        return view

    def column(self, name: str) -> Column:
        """Return the array `name` to be read here and there: what is read is verified then."""
        return Column(self._view(name), self._blocks[name])

    def placed(self, name: str) -> PlacedArray:
        """Return where an array lies, for the core, which verifies what it reads; it stays as long as this."""
        view = self._view(name)
        sums, verified, block = self._blocks[name].placed()
        return PlacedArray(
            int(view.__array_interface__["data"][0]), view.nbytes, sums, verified, block, view.dtype.itemsize
        )

    def eight_bytes_at_each(self, name: str) -> Column:
        """Return a byte array as a column in which item i is the little-endian number of its bytes i to i + 7."""
        entry = self._entry(name)
        view = np.ndarray(
            (entry["shape"][0] + 1,), dtype="<u8", buffer=self._bytes, offset=entry["offset"], strides=(1,)
        )
        return Column(view, self._blocks[name])

    def _view(self, name: str) -> NDArray[Any]:
        entry = self._entry(name)
        return np.ndarray(entry["shape"], dtype=entry["dtype"], buffer=self._bytes, offset=entry["offset"])

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
        """Return one line for each array whose bytes do not fit their checksums."""
        found = []
        for name in self._table:
            try:
                self._blocks[name].require_all()
            except IndexCorruptError as error:
                found.append(str(error))
        return found


def strings_to_arrays(strings: Iterable[str]) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Return (ends, bytes): where each string ends in the joined UTF-8 bytes, and these bytes."""
    encoded = [string.encode("utf-8", "replace") for string in strings]
    ends = (
        np.cumsum([len(item) for item in encoded], dtype=np.uint32)
        if encoded
        else np.zeros(0, dtype=np.uint32)
    )
    return ends, np.frombuffer(b"".join(encoded), dtype=np.uint8)


def string_at(ends: Values, data: Values, index: int) -> str:
    """Return one string of what strings_to_arrays gave."""
    start = int(ends[index - 1]) if index else 0
    return data[start : int(ends[index])].tobytes().decode("utf-8", "replace")


def _aligned(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN
