"""Cached pages: frame, bytes, lists of captures, and what is told when there is nothing to show."""

from __future__ import annotations

import gzip
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from indexer import IndexOptions, build_index
from tests.webui.archive_text import PNG, page, record, response, write_archive
from tests.webui.fake_index import FakeIndex, client_for, moved_away
from webui import create_app
from webui.settings import Settings, load_settings


def test_the_frame_page_says_what_and_when_and_holds_no_archived_markup(client: FlaskClient) -> None:
    html = client.get("/cached/20150503140211/http://site.example/a").text
    assert "<title>Archived: First light</title>" in html
    assert '<time datetime="2015-05-03T14:02:11Z"><strong>3 May 2015</strong>' in html
    assert "14:02:11 UTC" in html
    assert (
        '<iframe sandbox="allow-top-navigation-by-user-activation" referrerpolicy="no-referrer" src="/web/20150503140211mp_/http://site.example/a"'
        in html
    )
    assert "2 captures, 2 versions" in html
    assert 'rel="next" href="/cached/20170101000000/http://site.example/a"' in html
    assert "wombat at dawn" not in html


def test_another_date_gives_the_nearest_capture_and_says_so(client: FlaskClient) -> None:
    html = client.get("/cached/20160801/http://site.example/a").text
    assert "First light, again" in html
    assert "no capture of 1 August 2016; this is the nearest" in html
    assert "wombat at dawn" in client.get("/web/2016mp_/http://site.example/a").text


def test_no_date_gives_the_newest(client: FlaskClient) -> None:
    assert "wombat at noon" in client.get("/web/0mp_/http://site.example/a").text


def test_the_page_in_the_frame_gets_its_parts_from_the_archive(client: FlaskClient) -> None:
    html = client.get("/web/20150503140211mp_/http://site.example/a").text
    assert "A wombat at dawn." in html
    assert 'src="/web/20150503140211im_/http://site.example/p.png"' in html
    assert client.get("/web/20150503140211im_/http://site.example/p.png").data == PNG
    css = client.get("/web/20150503140211cs_/http://site.example/s.css")
    assert 'url("/web/20150503140211im_/http://site.example/p.png")' in css.text
    assert css.content_type == "text/css; charset=utf-8"


@pytest.mark.parametrize("modifier", ["mp_", "im_", "cs_", "js_", "if_", "fr_", "oe_"])
def test_all_modifiers_are_understood(client: FlaskClient, modifier: str) -> None:
    assert client.get(f"/web/2015{modifier}/http://site.example/p.png").data == PNG


def test_raw_is_what_was_stored(client: FlaskClient) -> None:
    raw = client.get("/web/20150503140211id_/http://site.example/a")
    assert b"<img src=/p.png>" in raw.data
    assert raw.content_type == "text/html; charset=utf-8"
    assert raw.headers["Content-Disposition"].startswith("attachment")


@pytest.mark.parametrize(
    ("address", "goal"),
    [
        ("/web/2015/http://site.example/a", "/cached/2015/http://site.example/a"),
        ("/web/*/http://site.example/a?b=1", "/captures/*/http://site.example/a?b=1"),
        ("/cached/*/http://site.example/a", "/captures/*/http://site.example/a"),
    ],
)
def test_redirects(client: FlaskClient, address: str, goal: str) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.headers["Location"]) == (302, goal)


@pytest.mark.parametrize(
    ("archived", "sent"),
    [
        (301, 301),
        (302, 302),
        (303, 303),
        (307, 307),
        (308, 308),
        (300, 300),
        (304, 404),
        (400, 400),
        (404, 404),
    ]
    + [(410, 410), (407, 200), (500, 500), (503, 503), (599, 599), (206, 200), (999, 200), (203, 203)],
)
@pytest.mark.parametrize("modifier", ["mp_", "id_"])
def test_a_memento_has_the_status_that_was_archived(
    settings: Settings, tmp_path: Path, archived: int, sent: int, modifier: str
) -> None:
    body = "" if archived == 304 else "words"
    stored = response(
        "http://site.example/x", body, "text/plain", status=f"{archived} Said", headers="Location: /goal\r\n"
    )
    client = client_for(settings, write_archive(tmp_path / "s.warc.gz", stored))
    answer = client.get(f"/web/20150503140211{modifier}/http://site.example/x")
    assert answer.status_code == (200 if (archived, modifier) == (304, "id_") else sent)
    assert answer.headers["X-Archive-Orig-Status"] == str(archived)
    assert answer.headers["Memento-Datetime"] == "Sun, 03 May 2015 14:02:11 GMT"
    assert 'rel="original"' in answer.headers["Link"]
    leads_on = sent in (301, 302, 303, 307, 308)
    goal = f"/web/20150503140211{modifier}/http://site.example/goal" if leads_on else None
    assert answer.headers.get("Location") == goal
    if not leads_on and archived != 304:
        assert answer.text == "words"


def moved(url: str, goal: str, date: str = "2015-05-03T14:02:11Z") -> bytes:
    return response(url, "", status="302 Found", headers=f"Location: {goal}\r\n", date=date)


@pytest.mark.parametrize("modifier", ["mp_", "id_"])
@pytest.mark.parametrize("order", ["redirect first", "page first"])
def test_of_a_page_and_a_redirect_to_itself_in_one_second_the_page_is_shown(
    settings: Settings, tmp_path: Path, modifier: str, order: str
) -> None:
    url = "http://site.example/wall"
    records = [moved(url, url), response(url, page("Behind", "behind the wall"))]
    file = write_archive(tmp_path / "wall.warc.gz", *records[:: 1 if order == "redirect first" else -1])
    build_index([str(file)], str(tmp_path / "index"), options=IndexOptions(workers=1))
    built = create_app(load_settings(None, {}, {"index": str(tmp_path / "index")})).test_client()
    for client in (built, client_for(settings, file)):
        answer = client.get(f"/web/20150503140211{modifier}/{url}")
        assert (answer.status_code, "behind the wall" in answer.text) == (200, True)
        assert "Behind" in client.get(f"/cached/20150503140211/{url}").text


def test_a_redirect_to_itself_leads_to_the_nearest_page_by_its_own_time(
    settings: Settings, tmp_path: Path
) -> None:
    url = "http://site.example/wall"
    records = [moved(url, url)]
    for year in ("2012", "2017"):
        records += [moved(url, url, f"{year}-01-01T00:00:00Z"),
                    response(url, page(year, f"words of {year}"), date=f"{year}-01-01T00:00:00Z")]  # fmt: skip
    client = client_for(settings, write_archive(tmp_path / "walls.warc.gz", *records))
    answer = client.get(f"/web/20150503140211mp_/{url}")
    assert answer.status_code == 302 and answer.headers["Location"].startswith("/web/20170101000000mp_")
    assert "words of 2017" in client.get(answer.headers["Location"]).text


def test_a_circle_of_redirects_ends_in_words_or_in_a_page_of_another_time(
    settings: Settings, tmp_path: Path
) -> None:
    a, b = "http://site.example/a", "http://site.example/b"
    circle = write_archive(tmp_path / "circle.warc.gz", moved(a, b), moved(b, a))
    answer = client_for(settings, circle).get(f"/web/2015mp_/{a}")
    assert answer.status_code == 404 and "lead in a circle" in answer.text
    raw = client_for(settings, circle).get(f"/web/2015id_/{a}")
    assert raw.status_code == 302 and "Location" not in raw.headers
    # the second redirect names itself, and has a page at another time
    itself = [moved(a, b), moved(b, b), response(b, page("B", "page b"), date="2019-01-01T00:00:00Z")]
    client = client_for(settings, write_archive(tmp_path / "itself.warc.gz", *itself))
    answer = client.get(f"/web/2015mp_/{a}", follow_redirects=True)
    assert answer.status_code == 200 and "page b" in answer.text


def test_an_error_without_a_body_is_told_in_words(settings: Settings, tmp_path: Path) -> None:
    for kind in ("text/html", "text/plain"):
        stored = response("http://site.example/x", "", kind, status="502 Bad Gateway")
        client = client_for(settings, write_archive(tmp_path / "e.warc.gz", stored))
        answer = client.get("/web/2015mp_/http://site.example/x", headers={"Sec-Fetch-Dest": "iframe"})
        assert answer.status_code == 502 and "status 502 and sent no page" in answer.text


@pytest.mark.parametrize("purpose", ["document", "iframe"])
def test_not_archived_offers_ways_on_in_the_whole_window(client: FlaskClient, purpose: str) -> None:
    url = "http://site.example/news/ferry-timetable.html"
    in_frame = client.get(f"/web/2015mp_/{url}", headers={"Sec-Fetch-Dest": purpose})
    page = client.get(f"/cached/2015/{url}")
    for answer, window in ((in_frame, "_top"), (page, "_self")):
        assert answer.status_code == 404
        for goal in (
            "/search?q=site%3Asite.example",
            "/search?q=news+ferry+timetable",
            "/",
            "/crawl?seed=http%3A%2F%2Fsite.example%2Fnews%2Fferry-timetable.html",
        ):
            assert f'<a href="{goal}" target="{window}">' in answer.text
        assert f'href="{url}"' not in answer.text and url in answer.text


def test_a_copy_that_cannot_be_read_offers_the_others_in_the_whole_window(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = FakeIndex.closest

    def closest(self: FakeIndex, url: str, timestamp: str | None = None, digest: str = "") -> object:
        found = plain(self, url, timestamp, digest)
        return moved_away(found) if found else None

    monkeypatch.setattr(FakeIndex, "closest", closest)
    answer = client.get("/web/2015mp_/http://site.example/a")
    assert '<a href="/cached/20170101000000/http://site.example/a" target="_top">' in answer.text
    assert '<a href="/captures/*/http://site.example/a" target="_top">' in answer.text


def test_a_place_in_a_page_reaches_the_frame(client: FlaskClient) -> None:
    html = client.get("/cached/2015;at=sec%252%2522/http://site.example/a").text
    assert 'src="/web/20150503140211mp_/http://site.example/a#sec%2%22"' in html
    led = client.get("/web/2015;at=sec/http://site.example/a")
    assert led.headers["Location"] == "/cached/2015;at=sec/http://site.example/a"


SVG = "<svg xmlns='http://www.w3.org/2000/svg'><image href='http://evil.example/x'/></svg>"


@pytest.mark.parametrize(
    ("content_type", "raw_type", "raw_saved", "shown_type", "shown_saved"),
    [
        ("text/html", "text/html", True, "text/html; charset=utf-8", False),
        ("application/xhtml+xml", "application/xhtml+xml", True, "text/html; charset=utf-8", False),
        ("text/xml", "text/xml", True, "text/plain; charset=utf-8", False),
        ("application/mathml+xml", "application/mathml+xml", True, "text/plain; charset=utf-8", False),
        ("image/svg+xml", "image/svg+xml", True, "image/svg+xml", True),
        ("text/css", "text/css", False, "text/css; charset=utf-8", False),
        ("text/x-component", "text/x-component", True, "text/plain; charset=utf-8", False),
        ("text/vtt", "text/vtt", False, "text/vtt", False),
        ("application/json", "application/json", False, "application/json", False),
        ("image/png", "image/png", False, "image/png", False),
        ("video/mp4", "video/mp4", False, "video/mp4", False),
        ("application/pdf", "application/pdf", True, "application/pdf", True),
        (
            "application/vnd.apple.mpegurl",
            "application/vnd.apple.mpegurl",
            True,
            "application/vnd.apple.mpegurl",
            True,
        ),
        ("audio/x-mpegurl", "audio/x-mpegurl", True, "audio/x-mpegurl", True),
        (
            "application/signed-exchange;v=b3",
            "application/octet-stream",
            True,
            "application/octet-stream",
            True,
        ),
        ("application/webbundle", "application/octet-stream", True, "application/octet-stream", True),
        ("multipart/related", "application/octet-stream", True, "application/octet-stream", True),
        ("multipart/x-mixed-replace", "application/octet-stream", True, "application/octet-stream", True),
        ("message/rfc822", "application/octet-stream", True, "application/octet-stream", True),
        (
            "application/x-shockwave-flash",
            "application/x-shockwave-flash",
            True,
            "application/x-shockwave-flash",
            True,
        ),
    ],
)
def test_what_a_browser_might_act_on_is_rewritten_or_a_file_to_be_saved(
    settings: Settings, tmp_path: Path, content_type: str, raw_type: str, raw_saved: bool, shown_type: str,
    shown_saved: bool,
) -> None:  # fmt: skip
    body: str | bytes = {"image/png": PNG, "image/svg+xml": SVG}.get(content_type, "words of nothing")
    stored = response("http://site.example/x", body, content_type)
    client = client_for(settings, write_archive(tmp_path / "t.warc.gz", stored))
    for modifier, kind, is_saved in (("id_", raw_type, raw_saved), ("mp_", shown_type, shown_saved)):
        for purpose in ({}, {"Sec-Fetch-Dest": "image"}):
            answer = client.get(f"/web/2015{modifier}/http://site.example/x", headers=purpose)
            disposition = answer.headers.get("Content-Disposition", "inline")
            assert (answer.content_type, disposition.partition(";")[0]) == (
                kind,
                "attachment" if is_saved else "inline",
            )


@pytest.mark.parametrize("purpose", ["document", "iframe", "frame", "object", "embed"])
def test_a_drawing_in_a_window_or_frame_is_a_picture_on_a_page(
    settings: Settings, tmp_path: Path, purpose: str
) -> None:
    stored = response("http://site.example/x", SVG, "image/svg+xml")
    client = client_for(settings, write_archive(tmp_path / "v.warc.gz", stored))
    for headers, modifier in (({"Sec-Fetch-Dest": purpose}, "mp_"), ({}, "if_"), ({}, "fr_")):
        answer = client.get(f"/web/2015{modifier}/http://site.example/x", headers=headers)
        assert answer.content_type == "text/html; charset=utf-8" and "evil" not in answer.text
        assert '<img src="/web/2015im_/http://site.example/x"' in answer.text
    assert 'src="/web/20150503140211if_/' in client.get("/cached/2015/http://site.example/x").text


def test_a_link_is_written_in_the_charset_of_its_page(settings: Settings, tmp_path: Path) -> None:
    body = page("Ссылка", '<a href="/п?q=привет">a</a><img src="?p=да">').encode("windows-1251")
    stored = response("http://site.example/x", body, "text/html; charset=windows-1251")
    html = client_for(settings, write_archive(tmp_path / "c.warc.gz", stored)).get(
        "/web/2015mp_/http://site.example/x"
    )
    assert 'href="/cached/2015/http://site.example/%D0%BF?q=%EF%F0%E8%E2%E5%F2"' in html.text
    assert 'src="/web/2015im_/http://site.example/x?p=%E4%E0"' in html.text


def test_a_redirect_to_itself_ends(settings: Settings, tmp_path: Path) -> None:
    moved = response(
        "http://site.example/x", "", status="301 Moved", headers="Location: http://site.example/x\r\n"
    )
    client = client_for(settings, write_archive(tmp_path / "loop.warc.gz", moved))
    assert client.get("/web/2015mp_/http://site.example/x").status_code == 404


@pytest.mark.parametrize("location", ["", "javascript:alert(1)", "http://[bad", "file:///etc/passwd"])
def test_a_redirect_to_nowhere_is_told_in_words(settings: Settings, tmp_path: Path, location: str) -> None:
    moved = response("http://site.example/x", "", status="302 Found", headers=f"Location: {location}\r\n")
    client = client_for(settings, write_archive(tmp_path / "odd.warc.gz", moved))
    answer = client.get("/web/2015mp_/http://site.example/x")
    assert answer.status_code == 404 and "names no web address" in answer.text


def test_archived_errors_keep_their_status(client: FlaskClient) -> None:
    assert client.get("/web/2015mp_/http://site.example/gone").status_code == 404
    busy = client.get("/web/2015mp_/http://site.example/busy")
    assert (busy.status_code, busy.headers["X-Archive-Orig-Status"]) == (503, "503")
    assert "status 503 when this was captured" in client.get("/cached/2015/http://site.example/busy").text


def test_a_pdf_is_a_download_and_the_frame_page_says_why(client: FlaskClient) -> None:
    assert "Download the file" in client.get("/cached/2015/http://site.example/doc.pdf").text
    answer = client.get("/web/2015mp_/http://site.example/doc.pdf")
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="doc.pdf"')
    assert answer.data == b"%PDF-1.4 x"


def test_the_list_of_captures_links_each_by_year(client: FlaskClient) -> None:
    html = client.get("/captures/*/http://site.example/a").text
    assert "2 captures, 2 versions" in html and 'href="/captures/2017/http://site.example/a"' in html
    assert html.count("<td><a href=") == 2
    assert client.get("/captures/2017/http://site.example/a").text.count("<td><a href=") == 1
    assert client.get("/captures/1999/http://site.example/a").status_code == 404


def test_what_is_not_archived_is_said_with_the_address_as_text(client: FlaskClient) -> None:
    for address in (
        "/cached/2015/http://nowhere.example/<b>",
        "/captures/*/http://nowhere.example/<b>",
        "/web/2015mp_/http://nowhere.example/<b>",
    ):
        answer = client.get(address)
        assert answer.status_code == 404
        assert "Not archived" in answer.text and "http://nowhere.example/" in answer.text
        assert 'href="http://nowhere.example' not in answer.text and "/<b>" not in answer.text


def test_a_missing_picture_is_answered_shortly(client: FlaskClient) -> None:
    answer = client.get("/web/2015im_/http://nowhere.example/x.png", headers={"Sec-Fetch-Dest": "image"})
    assert (answer.status_code, answer.data) == (404, b"Not archived.\n")


BAD_NAMES = [
    "../outside.txt",
    "..%2foutside.warc.gz",
    "%2e%2e/outside.warc.gz",
    "....//outside",
    "..\\outside.warc.gz",
    "good.warc.gz/../../outside",
    "good.warc.gz%00.txt",
    "/etc/passwd",
    "file:///etc/passwd",
    "",
    ".",
    "..",
    "/",
    "http://127.0.0.1:9/x.warc.gz",
    "CON",
    "~/x",
    "good.warc.gz%20",
    "x" * 5000,
    "%2E%2E%2F%2E%2E%2Fetc%2Fpasswd",
    "%252e%252e%252fetc%252fpasswd",
    "http://[bad",
    "http://h:99999/",
    "http://",
    "x" * 20_000,
]


@pytest.mark.parametrize("name", BAD_NAMES, ids=range(len(BAD_NAMES)))
@pytest.mark.parametrize(
    "start",
    [
        "/cached/0/",
        "/cached/2015/",
        "/web/0mp_/",
        "/web/2015id_/",
        "/captures/*/",
        "/web/",
        "/cached/",
        "/static/",
        "/static/x/",
    ],
)
def test_no_address_leads_to_a_file(client: FlaskClient, start: str, name: str) -> None:
    answer = client.get(start + name)
    assert 300 <= answer.status_code < 500
    if answer.status_code < 400:  # a path with dots is put right first, and then answered the same way
        answer = client.get(start + name, follow_redirects=True)
        assert 400 <= answer.status_code < 500
    assert "root:" not in answer.text


def test_a_moved_archive_file_is_told_without_its_folder(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = FakeIndex.closest

    def closest(self: FakeIndex, url: str, timestamp: str | None = None, digest: str = "") -> object:
        found = plain(self, url, timestamp, digest)
        return moved_away(found) if found else None

    monkeypatch.setattr(FakeIndex, "closest", closest)
    answer = client.get("/web/2015mp_/http://site.example/b")
    assert answer.status_code == 404
    assert "file.warc.gz is damaged, was moved" in answer.text and "/no/such" not in answer.text
    assert client.get("/cached/2015/http://site.example/b").status_code == 200


def test_header_fields_of_the_archive_cannot_act(settings: Settings, tmp_path: Path) -> None:
    fields = (
        'Set-Cookie: a=b\r\nSET-COOKIE: c=d\r\nClear-Site-Data: "*"\r\nRefresh: 0;url=http://evil.example\r\n'
        "Content-Security-Policy: default-src *\r\nX-Odd: caf\xe9 \x07bell\r\nContent-Language: en\r\n"
        "Link: </x>; rel=preload\r\nAccess-Control-Allow-Origin: *\r\nLocation: http://evil.example\r\nbad name(: x\r\n"
    )
    evil = response("http://site.example/x", page("X", "x"), headers=fields)
    answer = client_for(settings, write_archive(tmp_path / "h.warc.gz", evil)).get(
        "/web/2015mp_/http://site.example/x"
    )
    names = {name.lower() for name, _ in answer.headers}
    assert answer.status_code == 200
    assert not {"set-cookie", "clear-site-data", "refresh", "location", "access-control-allow-origin"} & names
    assert "preload" not in answer.headers["Link"]  # that one is ours: where the other captures are
    assert not any("set-cookie" in name for name in names)
    assert answer.headers["X-Archive-Orig-Refresh"] == "0;url=http://evil.example"
    assert answer.headers["Content-Language"] == "en"
    assert answer.headers["Memento-Datetime"] == "Sun, 03 May 2015 14:02:11 GMT"
    assert not any(ord(c) < 32 for _, value in answer.headers for c in value)


@pytest.mark.parametrize(
    ("charset", "where"),
    [
        ("windows-1251", "header"),
        ("shift_jis", "meta"),
        ("utf-16-le", "mark"),
        ("iso-8859-1", "meta"),
        ("euc-kr", "header"),
    ],
)
def test_pages_in_any_encoding_arrive_as_utf8(
    settings: Settings, tmp_path: Path, charset: str, where: str
) -> None:
    text = {
        "windows-1251": "Привет",
        "shift_jis": "日本語",
        "utf-16-le": "žluť",
        "iso-8859-1": "café",
        "euc-kr": "한국어",
    }[charset]
    head = f"<meta charset={charset}>" if where == "meta" else ""
    body = page(text, text, head).encode(charset)
    body = b"\xff\xfe" + body if where == "mark" else body
    kind = f"text/html; charset={charset}" if where == "header" else "text/html"
    client = client_for(
        settings, write_archive(tmp_path / "c.warc.gz", response("http://site.example/", body, kind))
    )
    answer = client.get("/web/2015mp_/http://site.example/")
    assert answer.content_type == "text/html; charset=utf-8"
    assert answer.data.decode("utf-8").count(text) == 2


@pytest.mark.parametrize(
    ("content_type", "body", "shown_as"),
    [
        ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>", "image/svg+xml"),
        (
            "application/xhtml+xml",
            "<html xmlns='http://www.w3.org/1999/xhtml'><body><script>x()</script></body></html>",
            "text/html; charset=utf-8",
        ),
        ("text/xml", "<?xml-stylesheet href='#x' type='text/xsl'?><x/>", "text/plain; charset=utf-8"),
        ("application/rss+xml", "<rss/>", "text/plain; charset=utf-8"),
        ("", "<!doctype html><script>x()</script>", "text/html; charset=utf-8"),
        ("", "plain words", "text/plain"),
        ("nonsense", "plain words", "text/plain"),
        ("text/html\r\nX-Injected: 1", "<p>x", "text/html; charset=utf-8"),
        ("TEXT/HTML", "<p>x", "text/html; charset=utf-8"),
        ("text/plain", "<script>x()</script>", "text/plain"),
        ("font/woff2", "wOF2", "font/woff2"),
    ],
)
def test_types(settings: Settings, tmp_path: Path, content_type: str, body: str, shown_as: str) -> None:
    stored = response("http://site.example/x", body, content_type)
    client = client_for(settings, write_archive(tmp_path / "t.warc.gz", stored))
    answer = client.get("/web/2015mp_/http://site.example/x")
    assert answer.content_type == shown_as
    if "html" in shown_as:
        assert "<script" not in answer.text


def test_only_fonts_asked_for_as_fonts_are_open_to_other_origins(settings: Settings, tmp_path: Path) -> None:
    file = write_archive(
        tmp_path / "f.warc.gz",
        response("http://site.example/f.woff", b"wOFF....", "application/octet-stream"),
        response("http://site.example/p", page("P", "secret")),
    )
    client = client_for(settings, file)

    def opened(address: str, purpose: str) -> bool:
        return (
            "Access-Control-Allow-Origin" in client.get(address, headers={"Sec-Fetch-Dest": purpose}).headers
        )

    assert opened("/web/2015im_/http://site.example/f.woff", "font")
    assert not opened("/web/2015im_/http://site.example/f.woff", "empty")
    assert not opened("/web/2015mp_/http://site.example/p", "font")


def test_parts_of_a_film_can_be_asked_for(settings: Settings, tmp_path: Path) -> None:
    film = response("http://site.example/v.mp4", bytes(range(100)), "video/mp4")
    client = client_for(settings, write_archive(tmp_path / "v.warc.gz", film))
    part = client.get("/web/2015oe_/http://site.example/v.mp4", headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.data) == (206, bytes(range(10, 20)))
    assert part.headers["Content-Range"] == "bytes 10-19/100"
    beyond = client.get("/web/2015oe_/http://site.example/v.mp4", headers={"Range": "bytes=500-"})
    assert beyond.status_code == 416
    whole = client.get("/web/2015oe_/http://site.example/v.mp4")
    again = client.get(
        "/web/2015oe_/http://site.example/v.mp4", headers={"If-None-Match": whole.headers["ETag"]}
    )
    assert again.status_code == 304


def test_a_revisit_shows_what_it_repeats_or_says_that_it_cannot(settings: Settings, tmp_path: Path) -> None:
    digest = "WARC-Payload-Digest: sha1:SAME\r\n"

    def with_digest(raw: bytes) -> bytes:
        text = gzip.decompress(raw).replace(b"WARC-Type", digest.encode() + b"WARC-Type", 1)
        return gzip.compress(text, mtime=0)

    original = with_digest(response("http://site.example/r", page("Original", "same as ever")))
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    again = with_digest(
        record(
            "revisit",
            "http://site.example/r",
            block,
            "application/http;msgtype=response",
            "2018-01-01T00:00:00Z",
        )
    )
    client = client_for(settings, write_archive(tmp_path / "r.warc.gz", original, again))
    assert "same as ever" in client.get("/web/2018mp_/http://site.example/r").text
    lonely = client_for(settings, write_archive(tmp_path / "l.warc.gz", again))
    answer = lonely.get("/web/2018mp_/http://site.example/r")
    assert answer.status_code == 404 and "does not hold the copy" in answer.text


def test_a_way_back_to_the_results_only_for_our_own_results(client: FlaskClient) -> None:
    own = client.get(
        "/cached/2015/http://site.example/a", headers={"Referer": "http://localhost/search?q=wombat"}
    )
    assert 'href="/search?q=wombat"' in own.text
    for foreign in (
        "http://evil.example/search?q=x",
        "http://localhost/settings",
        "javascript:x",
        "http://[bad",
    ):
        answer = client.get("/cached/2015/http://site.example/a", headers={"Referer": foreign})
        assert answer.status_code == 200 and "Results" not in answer.text


def test_a_page_full_of_script_is_isolated(settings: Settings, tmp_path: Path) -> None:
    body = (
        "<script>run()</script><p onclick='run()'>zebra</p><img src=/no onerror='run()'><svg onload='run()'></svg>"
        "<iframe src=/ onload='run()'></iframe><a href='javascript:run()'>a</a><form action=/ method=post></form>"
        "<object data='data:text/html,<script>run()</script>'></object>"
    )
    head = "<meta http-equiv=refresh content='1;url=/'><base href='/'>"
    file = write_archive(
        tmp_path / "active.warc.gz", response("http://site.example/", page("Active", body, head))
    )
    answer = client_for(settings, file).get("/web/2015mp_/http://site.example/")
    assert "zebra" in answer.text
    assert "run()" not in answer.text and "http-equiv" not in answer.text


def test_what_has_no_web_address_can_be_opened_too(settings: Settings, tmp_path: Path) -> None:
    names = ("urn:x-note:1", "file:///with blank.html", "no-scheme", "http://h.example/it's")
    notes = [
        record("resource", name, page("Note", f"zebra {name}").encode(), "text/html", "2015-05-03T14:02:11Z")
        for name in names
    ]
    file = write_archive(tmp_path / "urn.warc.gz", *notes)
    build_index([str(file)], str(tmp_path / "index"), options=IndexOptions(workers=1))
    client = create_app(load_settings(None, {}, {"index": str(tmp_path / "index")})).test_client()
    hits = client.get("/search.json?q=zebra").get_json()["hits"]
    assert len(hits) == 4
    for hit in hits:
        frame = client.get(hit["cached_url"])
        assert frame.status_code == 200
        address = frame.text.partition('src="/web/')[2].partition('"')[0]
        assert f"zebra {hit['url']}" in unescape(client.get(unescape(f"/web/{address}")).text)


@pytest.mark.parametrize("what", ["mp_/http://site.example/a", "im_/http://site.example/p.png"])
def test_what_a_browser_has_is_not_read_again(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    etag = client.get(f"/web/20150503140211{what}").headers["ETag"]

    def no_reading(*given: object, **more: object) -> None:
        raise AssertionError("the archive was read")

    monkeypatch.setattr("webui.replay.rewritten_page", no_reading)
    again = client.get(f"/web/20150503140211{what}", headers={"If-None-Match": etag})
    assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", etag)
    assert "sandbox" in again.headers["Content-Security-Policy"]


def test_a_page_that_another_code_or_language_made_is_made_anew(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "/web/20150503140211mp_/http://site.example/a"
    has_it = {"If-None-Match": client.get(address).headers["ETag"]}
    assert client.get(address, headers=has_it).status_code == 304
    assert client.get(address, headers={**has_it, "Accept-Language": "ja"}).status_code == 200
    monkeypatch.setattr("webui.replay._code", lambda: "another")
    assert client.get(address, headers=has_it).status_code == 200
