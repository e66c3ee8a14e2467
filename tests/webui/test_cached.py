"""The cached page: its bar and tabs, marked words, parts, captures, and the exact capture of a hit."""

from __future__ import annotations

import gzip
import re
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from indexer import IndexOptions, build_index
from indexer.store.recent import Recent
from tests.webui.archive_text import PNG, page, record, response, write_archive
from tests.webui.fake_index import client_for
from webui import create_app, rewritten
from webui.settings import Settings, load_settings

URL = "http://site.example/a"
CACHED = f"/cached/20150503140211{{}}/{URL}"


def test_query_words_are_marked_and_counted_with_links_to_each_place(client: FlaskClient) -> None:
    html = client.get(CACHED.format(";q=wombats%20light")).text
    assert "<strong>1 place</strong>" in html
    address = re.search(r'<a href="([^"]+)#finding-aid-hit-1" target="archived-page"', html)
    frame = re.search(r'<iframe [^>]*src="([^"]+)"', html)
    assert address and frame and address[1] == frame[1]
    framed = client.get(unescape(frame[1])).text
    assert framed.count('id="finding-aid-hit-') == 1
    assert re.search(
        r'A <mark class="finding-aid-hit"[^>]* id="finding-aid-hit-1">wombat</mark> at dawn', framed
    )
    assert "<title>First light</title>" in framed


def test_without_a_query_nothing_is_marked(client: FlaskClient) -> None:
    assert "<mark" not in client.get(f"/web/20150503140211mp_/{URL}").text
    assert "data-hits" not in client.get(CACHED.format("")).text


def test_words_that_stand_nowhere_are_told(client: FlaskClient) -> None:
    assert "No word of the query" in client.get(CACHED.format(";q=zebra")).text


def test_the_text_tab_gives_marked_text_and_no_markup(client: FlaskClient) -> None:
    html = client.get(CACHED.format(";q=wombat;view=text")).text
    assert 'A <mark id="hit-1">wombat</mark> at dawn.' in html and "<iframe" not in html
    assert "no text that can be shown" in client.get("/cached/2015;view=text/http://site.example/p.png").text


def test_the_text_tab_has_the_paragraphs_of_the_page(settings: Settings, tmp_path: Path) -> None:
    body = "<p>one\ntwo</p>three<pre>four\nfive</pre><td>six"
    client = client_for(settings, write_archive(tmp_path / "p.warc.gz", response(URL, page("T", body))))
    html = client.get(CACHED.format(";view=text")).text
    assert re.findall('<p dir="auto">(.*?)</p>', html) == ["one two", "three", "four", "five", "six"]


def test_details_tell_record_headers_parts_and_the_same_content_elsewhere(
    settings: Settings, tmp_path: Path
) -> None:
    body = page("T", "<img src=p.png><img src=gone.png>", "<link rel=stylesheet href=s.css>")
    file = write_archive(
        tmp_path / "d.warc.gz",
        response(URL, body, headers="X-Odd: <b>\r\n"),
        response("http://site.example/p.png", PNG, "image/png", date="2015-05-03T16:02:11Z"),
        response("http://site.example/s.css", "b { background: url(deep.png) }", "text/css"),
        response("http://site.example/copy", body),
    )
    client = client_for(settings, file)
    html = client.get(CACHED.format(";view=details")).text
    assert "WARC-Target-URI" in html and "X-Odd" in html and "&lt;b&gt;" in html and "<b>" not in html
    assert "d.warc.gz" in html and str(tmp_path) not in html
    assert "2 of 4 parts were not archived; the farthest in time is 2 h apart." in html
    assert ">http://site.example/deep.png</bdi>" in html and "2 h later" in html
    assert ">http://site.example/copy</bdi>" in html
    answer = client.get(CACHED.format(";view=parts")).get_json()
    assert (answer["total"], answer["missing"], answer["widest_s"]) == (4, 2, 7200)


def test_payload_and_record_can_be_kept_as_they_were_stored(client: FlaskClient, archive: Path) -> None:
    payload = client.get(CACHED.format(";view=payload"))
    assert payload.headers["Content-Disposition"].startswith("attachment")
    assert payload.content_type == "application/octet-stream"
    assert b"<img src=/p.png>" in payload.data
    stored = client.get(CACHED.format(";view=record"))
    assert stored.headers["Content-Disposition"].startswith("attachment")
    assert gzip.decompress(archive.read_bytes()).startswith(stored.data)
    assert stored.data.startswith(b"WARC/1.0\r\n") and stored.data.endswith(b"</html>\r\n\r\n")


def test_citations_name_title_time_address_and_a_lasting_link(client: FlaskClient) -> None:
    html = unescape(client.get(CACHED.format(";view=cite")).text)
    link = "http://localhost/web/20150503140211/http://site.example/a"
    assert f"First light. Archived 3 May 2015 14:02:11 UTC from http://site.example/a. {link}" in html
    assert f"note = {{Archived 3 May 2015 14:02:11 UTC: \\url{{{link}}}}}" in html
    assert f"|archive-url={link} |archive-date=2015-05-03" in html
    assert 'data-versiondate="2015-05-03"' in html


def test_a_hostile_title_stays_text_in_every_tab(settings: Settings, tmp_path: Path) -> None:
    title = "</title><script>x()</script>{{cite}} |a=b \\end{x} & \u202egnp"
    file = write_archive(tmp_path / "t.warc.gz", response(URL, page(title.replace("<", "&lt;"), "zebra")))
    client = client_for(settings, file)
    for view in ("", ";view=text", ";view=details", ";view=cite"):
        html = client.get(CACHED.format(view)).text
        assert "<script>x()" not in html and "\u202e" not in html


def test_no_such_tab(client: FlaskClient) -> None:
    assert client.get(CACHED.format(";view=other")).status_code == 404


def test_the_live_page_is_a_link_that_tells_nothing(client: FlaskClient) -> None:
    html = client.get(CACHED.format("")).text
    assert (
        f'<a href="{URL}" rel="noreferrer noopener nofollow external" referrerpolicy="no-referrer">' in html
    )


def test_a_redirect_says_where_it_led(client: FlaskClient) -> None:
    html = client.get("/cached/2015/http://site.example/old").text
    assert "status 301" in html and ">http://site.example/a</bdi>" in html


def test_redirects_in_a_circle_end(settings: Settings, tmp_path: Path) -> None:
    moved = [
        response(f"http://site.example/{a}", "", status="302 Found", headers=f"Location: /{b}\r\n")
        for a, b in ("xy", "yz", "zx")
    ]
    client = client_for(settings, write_archive(tmp_path / "circle.warc.gz", *moved))
    answer = client.get("/web/2015mp_/http://site.example/x")
    assert answer.status_code == 404 and "but not the page itself" in answer.text


def test_the_calendar_counts_captures_by_year_and_month(settings: Settings, tmp_path: Path) -> None:
    days = [("2014-02-03", "a"), ("2014-02-04", "a"), ("2014-03-01", "b"), ("2016-12-31", "a")]
    records = [response(URL, page("T", body), date=f"{day}T00:00:00Z") for day, body in days]
    records.append(response(URL, "no", date="2016-12-30T00:00:00Z", status="404 Not Found"))
    client = client_for(settings, write_archive(tmp_path / "cal.warc.gz", *records))
    html = client.get(f"/captures/*/{URL}").text
    assert "5 captures, 3 versions" in html
    assert 'aria-label="February 2014: 2 captures, 1 new version"' in html
    assert 'aria-label="December 2016: 2 captures, 1 new version, 1 error"' in html
    assert "200 (4), 404 (1)" in html
    assert client.get(f"/captures/201402/{URL}").text.count("<td><a href=") == 2


def test_a_hit_opens_its_own_record_among_those_of_one_second(tmp_path: Path) -> None:
    words = ("alpha", "beta", "gamma")
    file = write_archive(tmp_path / "same.warc.gz", *(response(URL, page(word, word)) for word in words))
    build_index([str(file)], str(tmp_path / "index"), options=IndexOptions(workers=1))
    client = create_app(load_settings(None, {}, {"index": str(tmp_path / "index")})).test_client()
    for word in words:
        [hit] = client.get(f"/search.json?q={word}").get_json()["hits"]
        html = client.get(hit["cached_url"]).text
        assert f"<title>Archived: {word}</title>" in html
        frame = re.search(r'<iframe [^>]*src="([^"]+)"', html)
        assert frame and f"<body>{word}" in client.get(unescape(frame[1])).text
        assert f">{word}<" in client.get(f"/search?q={word}").text


def test_captures_of_one_second_are_all_reached_by_previous_and_next(
    settings: Settings, tmp_path: Path
) -> None:
    words = ("alpha", "beta", "gamma")
    file = write_archive(tmp_path / "same.warc.gz", *(response(URL, page(word, word)) for word in words))
    client = client_for(settings, file)
    address, seen = CACHED.format(""), []
    for _ in words:
        html = client.get(address).text
        seen.append(re.search("<title>Archived: (.*?)</title>", html)[1])  # type: ignore[index]
        link = re.search(r'rel="next" href="([^"]+)"', html)
        address = unescape(link[1]) if link else ""
    assert sorted(seen) == sorted(words) and not address


def test_another_player_is_linked_when_the_settings_say_so(tmp_path: Path, archive: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[replay]\nmode = "external"\nexternal = "http://player.example/{timestamp}/{url}"\n')
    html = client_for(load_settings(str(file), {}, {}), archive).get(CACHED.format("")).text
    assert 'href="http://player.example/20150503140211/http://site.example/a"' in html
    assert "<iframe" not in html


@pytest.mark.parametrize("kind", ["cached", "captures"])
def test_what_is_not_archived_can_be_added_to_a_crawl(client: FlaskClient, kind: str) -> None:
    html = client.get(f"/{kind}/2015/http://nowhere.example/x").text
    assert 'href="/crawl?seed=http://nowhere.example/x"' in unescape(html).replace("%3A", ":").replace(
        "%2F", "/"
    )


def test_a_note_in_an_archive_is_no_live_page(settings: Settings, tmp_path: Path) -> None:
    note = record("resource", "urn:x-note:1", b"<p>zebra", "text/html", "2015-05-03T14:02:11Z")
    build_index([str(write_archive(tmp_path / "n.warc.gz", note))], str(tmp_path / "index"))
    client = create_app(load_settings(None, {}, {"index": str(tmp_path / "index")})).test_client()
    assert "Live page" not in client.get("/cached/2015/urn:x-note:1").text


def test_what_was_found_out_about_a_page_too_large_to_keep_is_kept(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webui.rewritten.LARGEST_KEPT", 0)
    monkeypatch.setattr("webui.rewritten._kept", Recent(0))
    made: list[str] = []
    rewrite = rewritten.rewrite_page
    monkeypatch.setattr(
        rewritten, "rewrite_page", lambda *given, **more: made.append("once") or rewrite(*given, **more)
    )
    told = [client.get("/cached/20150503140211;view=parts/http://site.example/a").text for _ in range(2)]
    assert made == ["once"] and told[0] == told[1] and '"total":2' in told[0]
    assert "A wombat at dawn." in client.get("/web/20150503140211mp_/http://site.example/a").text
