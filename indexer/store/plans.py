"""Which segments of an index are merged, and when: decisions over what the catalogue says of them, nothing else.

A large segment is written once: during a run small segments wait until they fill one, and later runs leave it alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from indexer.store.entries import Entry

# No segment made by a merge goes beyond these bounds (the first is MAX_VERSIONS, too): what a merge takes
# beside workers that read is the greatest part of what a run needs.
MERGE_VERSIONS, MERGE_OCCURRENCES = 65_536, 53_000_000
# A segment this many times as large as all that would be merged with it stays as it is: else every small run
# would write it anew. Below FREE_VERSIONS that costs so little that it does not count.
FEW_TIMES, FREE_VERSIONS = 4, 4_000
_A_PAGE = 200  # occurrences
# What fits into one segment is merged into up to so many of one size by workers that would have nothing to do, each at
# least of this work: a query takes as long with two segments as with one of twice the size.
PARTS_AT_MOST, LEAST_PART = 4, 6_600_000


def full_group(entries: Iterable[Entry]) -> list[Entry]:
    """Return small segments that fill one large one; [] while there are not enough.

    Small is what is less than half of a large one.
    """
    group: list[Entry] = []
    for entry in entries:
        if not _is_small(entry):
            continue
        if group and not _fits([*group, entry]):
            return group
        group.append(entry)
    return []


def can_wait(entries: Iterable[Entry], growth: float, workers: int, occurrences: int) -> bool:
    """Return whether small segments are better merged when all is read: then each worker has one merge at most.

    growth: by how much they will have grown by then; occurrences: that can be merged at the same time.
    """
    small = [entry for entry in entries if _is_small(entry)]
    versions, size = sum(map(_alive, small)) * growth, sum(map(_size, small)) * growth
    return (
        versions <= workers * MERGE_VERSIONS and size <= workers * MERGE_OCCURRENCES and size <= occurrences
    )


def last_groups(entries: Iterable[Entry], workers: int = 1) -> list[list[Entry]]:
    """Return groups of segments to be merged at the end of a run: neighbours while they fit into one.

    One alone only to drop many removed versions, and a large one only where it grows by a fair share; those beside it
    are then merged with each other, and so are those on both sides of a full one: what a merge during the run makes
    stands behind what came meanwhile. No more groups than are needed or there are workers for, of one size: they are
    merged at the same time.
    """
    left = list(entries)
    while True:
        groups = _neighbours(left)
        left_out = next(filter(None, map(_too_large_for_its_group, groups)), None) or _largest_alone(groups)
        if left_out is None:
            return _evened(groups, workers)
        left.remove(left_out)


def _largest_alone(groups: Iterable[Sequence[Entry]]) -> Entry | None:
    """Return the largest entry that is a group by itself, and is not to be written anew; None if there is none."""
    alone = [group[0] for group in groups if len(group) == 1 and not _has_many_dead(group[0])]
    return max(alone, key=_alive, default=None)


def _neighbours(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return the entries in their order, in groups that fit into one segment."""
    groups: list[list[Entry]] = []
    for entry in entries:
        if groups and _fits([*groups[-1], entry]):
            groups[-1].append(entry)
        else:
            groups.append([entry])
    return groups


def _evened(groups: list[list[Entry]], workers: int) -> list[list[Entry]]:
    """Return as many groups of the same neighbours, as equal as they can be, or more where there are workers for them.

    As they were where that does not fit.
    """
    small = [group for group in groups if len(group) > 1]
    entries = [entry for group in small for entry in group]
    alone = [group for group in groups if len(group) == 1]
    for count in range(min(workers, PARTS_AT_MOST), len(small), -1):
        parts = _parted(entries, count)
        if min(map(len, parts)) > 1 and all(map(_fits, parts)) and _are_peers(*map(_work_of, parts)):
            return alone + parts
    evened = _parted(entries, len(small))
    return alone + evened if all(group and _fits(group) for group in evened) else groups


def _parted(entries: Sequence[Entry], count: int) -> list[list[Entry]]:
    """Return neighbours in so many groups of about the same work."""
    share = max(_work_of(entries), 1) / max(count, 1)  # no work: empty pages, or all of them removed
    parts: list[list[Entry]] = [[] for _ in range(count)]
    before = 0
    for entry in entries:
        parts[min(int((before + _work(entry) / 2) / share), count - 1)].append(entry)
        before += _work(entry)
    return parts


def _are_peers(*works: int) -> bool:
    """Tell whether segments of so much work are left beside each other as they are, as parts made at the same time."""
    return min(works) >= LEAST_PART and 2 * min(works) > max(works)


def _too_large_for_its_group(group: Sequence[Entry]) -> Entry | None:
    """Return the largest of several if the others are too little to write it anew for."""
    largest = max(group, key=_alive)
    others = [entry for entry in group if entry is not largest]
    fewer = [entry for entry in others if not _are_peers(_work(largest), _work(entry))]
    is_part = 0 < len(others) - len(fewer) < PARTS_AT_MOST
    few = FEW_TIMES * sum(map(_alive, fewer if is_part else others))
    is_too_large = _alive(largest) > (few if is_part else max(FREE_VERSIONS, few))
    return largest if others and is_too_large and not _has_many_dead(largest) else None


def whole_groups(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return groups of segments to be merged so that few are left: large ones first, each to where it fits tightest."""
    groups: list[list[Entry]] = []
    for entry in sorted(entries, key=_alive, reverse=True):
        fitting = [group for group in groups if _fits([*group, entry])]
        if fitting:
            max(fitting, key=lambda group: sum(map(_alive, group))).append(entry)
        else:
            groups.append([entry])
    return [group for group in groups if len(group) > 1 or group[0]["dead"]]


def _is_small(entry: Entry) -> bool:
    return 2 * _alive(entry) <= MERGE_VERSIONS and 2 * _size(entry) <= MERGE_OCCURRENCES


def _alive(entry: Entry) -> int:
    return int(entry["versions"]) - len(entry["dead"])


def _size(entry: Entry) -> int:
    """Return the number of occurrences."""
    return int(sum(entry["sums"]))


def _work(entry: Entry) -> int:
    """Return about how long it takes to merge a segment: a page takes about as long as so many occurrences."""
    return _size(entry) + _A_PAGE * _alive(entry)


def _work_of(entries: Iterable[Entry]) -> int:
    return sum(map(_work, entries))


def _has_many_dead(entry: Entry) -> bool:
    return len(entry["dead"]) * 4 > int(entry["versions"])


def _fits(group: Sequence[Entry]) -> bool:
    return sum(map(_alive, group)) <= MERGE_VERSIONS and sum(map(_size, group)) <= MERGE_OCCURRENCES
