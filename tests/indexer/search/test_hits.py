"""What is shown of a page captured once is what a look at all captures says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from faults import run_in_one_process
from shelf import page, record

from indexer import IndexOptions, build_index, open_index
from indexer.search.hits import _captured_once, _described, _described_by_all, _parts
from indexer.search.searcher import Found


@pytest.mark.parametrize("seed", range(3))
def test_what_is_shown_of_a_page_is_what_all_its_captures_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    some = random.Random(seed)
    urls = [
        f"http{some.choice(['', 's'])}://{some.choice(['', 'www.'])}h{n % 7}.example/D/p{n}"
        for n in range(60)
    ]
    records = [record(url, page(n), date="2015-01-01T00:00:00Z") for n, url in enumerate(urls)]
    for _ in range(40):
        kind = some.choice(["response", "response", "revisit", "resource"])
        date = some.choice(["2015-01-01T00:00:00Z", "2011-02-03T04:05:06Z", "2016-01-01T00:00:00Z"])
        records.append(record(some.choice(urls), page(some.randrange(70)), kind=kind, date=date))
    some.shuffle(records)
    files = [tmp_path / "a.warc", tmp_path / "b.warc"]
    files[0].write_bytes(b"".join(records[:60]))
    files[1].write_bytes(b"".join(records[50:]))  # some are copies
    run_in_one_process(monkeypatch)
    build_index(list(map(str, files)), str(tmp_path / "index"), options=IndexOptions(workers=1))
    with open_index(str(tmp_path / "index")) as index:
        snapshot = index._current()
        pages = [
            Found(int(live.segment.document[ordinal]), float(ordinal), ((live.number, ordinal),))
            for live, ordinals in zip(snapshot.segments, snapshot.all_versions(), strict=True)
            for ordinal in ordinals.tolist()
        ]
        some.shuffle(pages)
        for oldest in (False, True):
            of_all = _described_by_all(snapshot, pages, oldest=oldest, are_alone=False)
            assert _described(snapshot, pages, oldest=oldest) == list(map(_parts, of_all))
        versions, documents = [found.versions[0] for found in pages], [found.document for found in pages]
        parts = _captured_once(snapshot, versions, documents)
        once = {number for number, own in enumerate(parts) if own is not None}
        assert {number for number, hit in enumerate(of_all) if hit.captures == 1} >= once
        assert 10 < len(once) < len(pages)
