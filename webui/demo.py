"""The demo: a small site of our own, as files, as a server, and as an archive of two visits.

`findingaid demo` uses it, and tests that need a site or an archive with a bit of
everything: six languages, pictures, a page that changed, pages that did not.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import os
import threading
import uuid
from base64 import b32encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from archiver.files import whole_file

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "demo_site")
ADDRESS = "http://the-shelf.example"
FIRST_VISIT = "2023-03-14T09:00:00Z"
SECOND_VISIT = "2024-09-02T15:30:00Z"
_NOT_HERE = b"<!doctype html><title>Not here</title><p>Not on this shelf.</p>"


@dataclass(frozen=True)
class SiteFile:
    """One file of the site: its path on the site ("/news.html"), its media type and its content."""

    path: str
    media_type: str
    content: bytes


def site_files(*, changed: bool = False) -> list[SiteFile]:
    """Return the files of the site, sorted by path; `changed`: as they are after the news changed."""
    files: dict[str, str] = {}
    for folder in ("site", "changed_later") if changed else ("site",):
        top = os.path.join(FOLDER, folder)
        for parent, _, names in os.walk(top):
            for name in names:
                file = os.path.join(parent, name)
                path = "/" + os.path.relpath(file, top).replace(os.sep, "/")
                files["/" if path == "/index.html" else path] = file
    return [_read_site_file(path, file) for path, file in sorted(files.items())]


def _read_site_file(path: str, file: str) -> SiteFile:
    media_type = mimetypes.guess_type(file)[0] or "application/octet-stream"
    if media_type.startswith("text/"):
        media_type += "; charset=utf-8"
    with open(file, "rb") as opened:
        return SiteFile(path, media_type, opened.read())


@contextmanager
def served_site(*, changed: bool = False, port: int = 0) -> Iterator[str]:
    """Serve the site on 127.0.0.1 and yield its address ("http://127.0.0.1:PORT"); port 0 takes a free one."""
    files = {file.path: file for file in site_files(changed=changed)}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            file = files.get(self.path.partition("?")[0])
            content = (
                file.content if file else b"<!doctype html><title>Not here</title><p>Not on this shelf.</p>"
            )
            self.send_response(200 if file else 404)
            self.send_header("Content-Type", file.media_type if file else "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        do_HEAD = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def write_demo_archive(folder: str) -> str:
    """Write the archive of two visits to the site into `folder` and return its path.

    The second visit finds one page changed and the others as before, so that it
    holds revisit records. The bytes are the same every time; a file that has
    them already is left alone, so that the index need not read it again.
    """
    path = os.path.join(folder, "demo.warc.gz")
    content = demo_archive()
    try:
        with open(path, "rb") as before:
            if before.read() == content:
                return path
    except FileNotFoundError:
        os.makedirs(folder, exist_ok=True)
    with whole_file(path) as file:
        file.write(content)
    return path


def demo_archive() -> bytes:
    """Return the bytes of the demo archive: WARC/1.1, gzip per record, each answer followed by its request."""
    about = b"software: findingaid demo\r\nformat: WARC File Format 1.1\r\n"
    fields = {"WARC-Filename": "demo.warc.gz", "Content-Type": "application/warc-fields"}
    members = [_member("warcinfo", "", FIRST_VISIT, fields, about)]
    before: dict[str, bytes] = {}
    for date, changed in ((FIRST_VISIT, False), (SECOND_VISIT, True)):
        for file in site_files(changed=changed):
            members += _visit(file, date, unchanged=before.get(file.path) == file.content)
            before[file.path] = file.content
    return b"".join(members)


def _visit(file: SiteFile, date: str, *, unchanged: bool) -> list[bytes]:
    """Return answer and request of one visit; an answer that is as before is a revisit without content."""
    url = ADDRESS + file.path
    length = len(file.content)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {file.media_type}\r\nContent-Length: {length}\r\n\r\n".encode()
    fields = {
        "WARC-Payload-Digest": "sha1:" + b32encode(hashlib.sha1(file.content).digest()).decode(),
        "Content-Type": "application/http; msgtype=response",
    }
    if unchanged:
        fields |= {
            "WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
            "WARC-Refers-To-Target-URI": url,
            "WARC-Refers-To-Date": FIRST_VISIT,
            "WARC-Refers-To": _record_id("response", url, FIRST_VISIT),
        }
        answer, kind = _member("revisit", url, date, fields, head), "revisit"
    else:
        answer, kind = _member("response", url, date, fields, head + file.content), "response"
    asked = f"GET {file.path} HTTP/1.1\r\nHost: {ADDRESS.partition('//')[2]}\r\n\r\n".encode()
    fields = {
        "WARC-Concurrent-To": _record_id(kind, url, date),
        "Content-Type": "application/http; msgtype=request",
    }
    return [answer, _member("request", url, date, fields, asked)]


def _member(kind: str, url: str, date: str, fields: dict[str, str], block: bytes) -> bytes:
    """Return one record as a gzip member."""
    header = {"WARC-Type": kind, "WARC-Date": date, "WARC-Record-ID": _record_id(kind, url, date)}
    header |= ({"WARC-Target-URI": url} if url else {}) | fields | {"Content-Length": str(len(block))}
    lines = "".join(f"{name}: {value}\r\n" for name, value in header.items())
    return gzip.compress(b"WARC/1.1\r\n" + lines.encode() + b"\r\n" + block + b"\r\n\r\n", mtime=0)


def _record_id(kind: str, url: str, date: str) -> str:
    return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{ADDRESS} {kind} {url} {date}')}>"
