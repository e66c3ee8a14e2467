"""The frontier: which address next, when, and what it costs."""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from archiver.crawl import intake
from archiver.crawl.frontier import Frontier
from archiver.crawl.items import Item, Outlink
from archiver.crawl.job import CrawlJob, change_job
from archiver.crawl.links import LinkKind
from archiver.crawl.queues import RobotsState
from archiver.crawl.scope import Scope
from archiver.crawl.statefile import StateFile


def frontier(folder: Path, *seeds: str, **options: Any) -> Frontier:
    folder.mkdir(exist_ok=True)
    job = change_job(CrawlJob(folder=str(folder)), {"scope": "web", "delay_s": 0.0, **options})
    made = Frontier(StateFile(job.state_path), job, Scope(job, []))
    made.add_seeds(seeds)
    return made


def take_all(front: Frontier) -> list[str]:
    urls = []
    while item := front.take():
        urls.append(item.url)
        front.release(item, 0.0)
        front.done(item)
    return urls


def links(*urls: str, kind: LinkKind = LinkKind.PAGE) -> list[Outlink]:
    return [Outlink(url, kind) for url in urls]


def test_requisites_come_before_pages(tmp_path: Path) -> None:
    front = frontier(tmp_path, "http://a.example/")
    item = front.take()
    assert item
    front.add_links(
        item, [*links("http://a.example/1"), *links("http://a.example/1.png", kind=LinkKind.REQUISITE)]
    )
    front.done(item)
    assert take_all(front) == ["http://a.example/1.png", "http://a.example/1"]


def test_one_request_a_host_and_a_pause_from_its_end(tmp_path: Path) -> None:
    front = frontier(tmp_path, "http://a.example/1", "http://a.example/2", "http://b.example/", delay_s=0.2)
    first, second = front.take(), front.take()
    assert first and second and {first.url, second.url} == {"http://a.example/1", "http://b.example/"}
    time.sleep(0.1)
    front.release(first, 0.1)
    front.done(first)
    front.done(second)
    start = time.monotonic()
    third = front.take()
    assert third and third.url == "http://a.example/2"
    assert 0.19 <= time.monotonic() - start < 1


def test_hosts_that_share_an_address_share_a_queue(tmp_path: Path) -> None:
    front = frontier(tmp_path, "http://a.example/", "http://b.example/", "http://b.example/2", delay_s=0.2)
    first, second = front.take(), front.take()
    assert first and second
    assert front.join_addresses(first, "a.example", ["192.0.2.1"])
    assert not front.join_addresses(second, "b.example", ["192.0.2.9", "192.0.2.1"])
    front.release(first, 0)
    front.done(first)
    start = time.monotonic()
    third = front.take()
    assert third and third.queue == first.queue and time.monotonic() - start >= 0.19


def test_waiting_threads_do_not_spin(tmp_path: Path) -> None:
    """Eight threads wait for one host with many addresses queued: they use next to no processor time."""
    front = frontier(tmp_path, *[f"http://a.example/{n}" for n in range(2000)], delay_s=30.0)
    item = front.take()
    assert item
    front.release(item, 0)
    front.done(item)
    threads = [threading.Thread(target=front.take, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    before = time.process_time()
    time.sleep(1.5)
    assert time.process_time() - before < 0.3
    with front.changed:
        front.stopped = True
        front.changed.notify_all()
    for thread in threads:
        thread.join(3)
        assert not thread.is_alive()


def test_what_was_in_flight_comes_again_after_a_restart_and_waits(tmp_path: Path) -> None:
    front = frontier(tmp_path, "http://a.example/1", "http://a.example/2", delay_s=0.3)
    assert front.take()
    front.file.close()
    start = time.monotonic()
    front = frontier(tmp_path, delay_s=0.3)
    item = front.take()
    assert item and item.url == "http://a.example/1" and time.monotonic() - start >= 0.29


def test_deferred_addresses_come_back(tmp_path: Path) -> None:
    front = frontier(tmp_path, "http://a.example/1", "http://a.example/2")
    item = front.take()
    assert item
    front.defer(item, 0.2, "timeout")
    assert take_all(front) == ["http://a.example/2", "http://a.example/1"]


def test_a_host_waits_for_its_robots_while_others_go_on(tmp_path: Path) -> None:
    front = frontier(tmp_path, "http://a.example/", "http://b.example/")
    item = front.take()
    assert item and item.url == "http://a.example/"
    front.request_robots(item.origin, "http://c.example/robots.txt")
    front.put_back(item, blocked=True)
    robots = front.take()
    assert robots and robots.url == "http://c.example/robots.txt" and robots.for_origin == item.origin
    other = front.take()
    assert other and other.url == "http://b.example/"
    front.queues.set_robots(item.origin, RobotsState.KNOWN, b"", 0, 60)
    again = front.take()
    assert again and again.url == "http://a.example/"


def test_link_found_nearer_while_its_page_is_out(tmp_path: Path) -> None:
    """The page was handed out at depth 2; a link at depth 1 turns up before it is done."""
    front = frontier(tmp_path, "http://a.example/", depth=2)
    seed = front.take()
    assert seed
    front.add_links(seed, links("http://a.example/1"))
    front.done(seed)
    middle = front.take()
    assert middle
    front.add_links(middle, links("http://a.example/far"))
    front.done(middle)
    far = front.take()
    assert far and far.depth == 2
    front.add_links(seed, links("http://a.example/far"))
    front.add_links(far, links("http://a.example/beyond"))
    front.done(far)
    assert take_all(front) == ["http://a.example/beyond"]


def test_page_limit_lets_requisites_pass(tmp_path: Path) -> None:
    front = frontier(tmp_path, "http://a.example/", max_pages=1)
    item = front.take()
    assert item
    front.add_links(
        item, [*links("http://a.example/1"), *links("http://b.example/1.png", kind=LinkKind.REQUISITE)]
    )
    front.done(item)
    assert take_all(front) == ["http://b.example/1.png"]
    assert front.page_limit_reached


@pytest.mark.parametrize("count", [5_000])
def test_cost_does_not_grow_with_what_is_queued(tmp_path: Path, count: int) -> None:
    def seconds_each(front: Frontier, number: int) -> float:
        start = time.process_time()
        for _ in range(number):
            item: Item | None = front.take()
            assert item
            front.release(item, 0)
            front.done(item)
        return (time.process_time() - start) / number

    small = frontier(tmp_path / "small", *[f"http://h{n % 7}.example/{n}" for n in range(200)])
    large = frontier(tmp_path / "large", *[f"http://h{n % 700}.example/{n}" for n in range(count)])
    assert seconds_each(large, 150) < 4 * seconds_each(small, 150)


class OneByOne(Frontier):
    """Looks at each link by itself."""

    def _offer_soon(self, *link: Any) -> int:
        return self._offer(*link)[0]


def tables(front: Frontier) -> dict[str, list[tuple[Any, ...]]]:
    """Return what a frontier holds, addresses by their keys instead of their ids, in the order in which they come."""
    ask = front.file.execute
    return {
        "urls": ask(
            "SELECT u.key, u.url, u.state, u.kind, u.depth, u.embed, u.hops, u.score, u.reason, v.key, u.seed,"
            " u.attempts, o.origin, q.host FROM urls u LEFT JOIN urls v ON v.id = u.via"
            " JOIN origins o ON o.id = u.origin JOIN queues q ON q.id = u.queue ORDER BY u.key"
        ).fetchall(),
        "order": ask("SELECT key FROM urls WHERE state = 0 ORDER BY queue, priority, id").fetchall(),
        "edges": ask(
            "SELECT s.key, t.key, e.kind FROM edges e LEFT JOIN urls s ON s.id = e.source"
            " LEFT JOIN urls t ON t.id = e.target ORDER BY 1, 2, 3"
        ).fetchall(),
        "queues": ask("SELECT host, state, head IS NULL FROM queues ORDER BY host").fetchall(),
        "counts": [(+front.states, +front.skipped)],
    }


offered = st.builds(
    lambda host, path, kind, score: Outlink(f"http://{host}.example/{path}", kind, score),
    st.sampled_from("ab"),
    # spellings of the same address, sessions, what is excluded and what is a trap
    st.sampled_from(["", "1", "%31", "2", "2;jsessionid=7", "2?sid=0123456789abcdef", "no", "x/" * 9 + "y", "a%2fb"]),
    st.sampled_from([LinkKind.PAGE, LinkKind.PAGE, LinkKind.REQUISITE, LinkKind.REDIRECT]),
    st.sampled_from([0.0, 0.5, 1.0]),
)  # fmt: skip


FORGOTTEN_AND_MET_AGAIN = [
    [Outlink("http://a.example/%31", LinkKind.PAGE, 0.0), Outlink("http://b.example/", LinkKind.PAGE, 0.0)],
    [
        Outlink("http://a.example/2", LinkKind.PAGE, 0.0),
        Outlink("http://a.example/", LinkKind.PAGE, 0.0),
        Outlink("http://a.example/2", LinkKind.PAGE, 0.5),
    ],
]


@settings(max_examples=80, deadline=None)
@example(FORGOTTEN_AND_MET_AGAIN, "bfs", 1, "web", 3)
@given(
    st.lists(st.lists(offered, max_size=12), min_size=1, max_size=5),
    st.sampled_from(["bfs", "dfs", "best"]),
    st.sampled_from([0, 1, 2, 5]),
    st.sampled_from(["web", "host", "subtree"]),
    st.sampled_from([1, 3, 50_000]),
)
def test_links_of_a_page_come_in_together_as_they_do_one_by_one(
    pages: list[list[Outlink]], order: str, depth: int, scope: str, remembered: int
) -> None:
    found = []
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(intake, "_KNOWN_URLS", remembered)
        for number, kind in enumerate((Frontier, OneByOne)):
            options = {
                "order": order,
                "topic": "ferries",
                "depth": depth,
                "scope": scope,
                "exclude": ("/no",),
            }
            job = change_job(CrawlJob(folder=f"{folder}/{number}", delay_s=0.0), options)
            Path(job.folder).mkdir()
            front = kind(StateFile(job.state_path), job, Scope(job, []))
            front.add_seeds(["http://a.example/", "http://a.example/1"])
            seen: list[Any] = []
            for page in pages:
                item = front.take()
                if item is None:
                    break
                front.release(item, 0)
                seen.append((item.url, item.depth, front.add_links(item, page)))
                front.done(item)
            found.append((seen, tables(front)))
            front.file.close()
    assert found[0] == found[1]
    assert all(row[:2] != (None, None) for row in found[0][1]["edges"])


def test_what_came_with_a_transaction_that_failed_is_not_remembered(tmp_path: Path) -> None:
    front = frontier(tmp_path, "http://a.example/")
    item = front.take()
    assert item
    page = links("http://b.example/1", "http://a.example/2", "http://a.example/2", "http://c.example/")
    with pytest.raises(ZeroDivisionError), front.file.transaction():
        front.add_links(item, page)
        front.join_addresses(item, "a.example", ["192.0.2.1"])
        raise ZeroDivisionError
    assert [row[1] for row in tables(front)["urls"]] == ["http://a.example/"]
    assert not front.queues.is_joined(item.queue, "a.example")
    assert front.add_links(item, page) == 3
    front.done(item)
    rows = tables(front)
    assert {row[12] for row in rows["urls"]} == {f"http://{host}.example" for host in "abc"}
    assert len(rows["edges"]) == 3 and all(all(row[:2]) for row in rows["edges"])
    assert set(take_all(front)) == {link.url for link in page}
