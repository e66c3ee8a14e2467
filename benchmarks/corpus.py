"""Make a corpus of real pages to measure with: the HTML of Debian's documentation packages as WARC files.

    python benchmarks/corpus.py                          73,000 pages into benchmarks/data/arcs
    python benchmarks/corpus.py --pages 5000 --out /tmp/small

Downloads the packages with `apt-get download`, unpacks them with `dpkg -x` and
writes one response record a page, gzip per record, into files of about 100 MB.
The same packages and the same --pages give the same bytes: sample, dates and
record ids depend on the addresses alone. Needs a Debian or Ubuntu machine;
nothing is installed and no root is needed.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import random
import shutil
import subprocess
import sys
import time
import uuid
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from urllib.parse import quote

# Chosen for a mean of 18 to 19 kB a page, as pages of web archives have, and for six scripts.
PACKAGES = (
    "cppreference-doc-en-html", "libboost1.81-doc", "libreoffice-help-de", "libreoffice-help-fr",
    "libreoffice-help-ja", "libreoffice-help-ko", "libreoffice-help-ru", "libreoffice-help-zh-cn",
    "libstdc++-12-doc", "openjdk-17-doc", "postgresql-doc-15", "python3.11-doc", "qtbase5-doc-html",
    "rust-doc",
)  # fmt: skip
PAGES = 73_000
SEED = 20120924
FILE_BYTES = 100_000_000
SECONDS_OF_TEN_YEARS = 10 * 365 * 24 * 3600
FIRST_DATE = 1_388_534_400  # 2014-01-01


@dataclass(frozen=True)
class Page:
    url: str
    path: Path


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "data", help="folder to write to")
    parser.add_argument("--pages", type=int, default=PAGES, help=f"how many pages (default {PAGES})")
    parser.add_argument("--packages", default=",".join(PACKAGES), help="Debian packages, with commas")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    arguments = parser.parse_args()

    start = time.monotonic()
    pages = list(collect_pages(arguments.packages.split(","), arguments.out))
    if len(pages) > arguments.pages:
        chosen = random.Random(SEED).sample(range(len(pages)), arguments.pages)
        pages = [pages[i] for i in sorted(chosen)]
    arcs = arguments.out / "arcs"
    shutil.rmtree(arcs, ignore_errors=True)
    arcs.mkdir(parents=True)
    html_bytes = write_archives(pages, arcs)
    archive_bytes = sum(path.stat().st_size for path in arcs.iterdir())
    result = {
        "arcs": str(arcs),
        "files": len(list(arcs.iterdir())),
        "pages": len(pages),
        "html_bytes": html_bytes,
        "mean_page_bytes": round(html_bytes / max(len(pages), 1)),
        "archive_bytes": archive_bytes,
        "seconds": round(time.monotonic() - start, 1),
    }
    if arguments.json:
        print(json.dumps(result))
        return
    print(
        f"{len(pages):,} pages, {html_bytes / 1e6:,.0f} MB of HTML, {result['mean_page_bytes']:,} bytes each"
    )
    print(f"{result['files']} files, {archive_bytes / 1e6:,.0f} MB in {arcs}, made in {result['seconds']} s")


def collect_pages(packages: list[str], out: Path) -> Iterator[Page]:
    """Yield the pages of the packages, downloading and unpacking those that are not there yet."""
    for package in packages:
        folder = out / "packages" / package
        if not folder.is_dir():
            unpack(download(package, out / "debs"), folder)
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".html", ".htm", ".xhtml") and path.is_file() and not path.is_symlink():
                host = package.replace("+", "p") + ".docs.example"
                yield Page(f"http://{host}/{quote(path.relative_to(folder).as_posix())}", path)


def download(package: str, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.which("apt-get") is None or shutil.which("dpkg") is None:
        sys.exit(
            "corpus.py: apt-get and dpkg are needed to fetch the documentation; is this Debian or Ubuntu?"
        )
    print(f"downloading {package}", file=sys.stderr)
    run = subprocess.run(["apt-get", "download", "-qq", package], cwd=folder, capture_output=True, text=True)
    found = sorted(folder.glob(f"{package}_*.deb"))
    if run.returncode or not found:
        reason = (run.stderr.strip().splitlines() or ["no file came"])[-1]
        sys.exit(f"corpus.py: cannot download {package}: {reason}; does `apt-get update` help?")
    return found[-1]


def unpack(package: Path, folder: Path) -> None:
    unfinished = folder.with_name(folder.name + ".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    subprocess.run(["dpkg", "-x", str(package), str(unfinished)], check=True)
    unfinished.rename(folder)


def write_archives(pages: list[Page], folder: Path) -> int:
    """Write the pages into numbered .warc.gz files and return how many bytes of HTML they hold."""
    html_bytes = number = 0
    written = FILE_BYTES
    with ProcessPoolExecutor() as pool:
        for members, size in pool.map(write_members, batches(pages, 500)):
            if written >= FILE_BYTES:
                number, written = number + 1, 0
            with open(folder / f"docs-{number:03d}.warc.gz", "ab") as file:
                file.write(members)
            written += len(members)
            html_bytes += size
    return html_bytes


def batches(pages: Iterable[Page], size: int) -> Iterator[list[Page]]:
    rest = iter(pages)
    while batch := list(islice(rest, size)):
        yield batch


def write_members(pages: list[Page]) -> tuple[bytes, int]:
    """Return the pages as gzip members of one response record each, and the size of their HTML."""
    members = []
    html_bytes = 0
    for page in pages:
        html = page.path.read_bytes()
        html_bytes += len(html)
        compressor = zlib.compressobj(6, zlib.DEFLATED, 31)
        members.append(compressor.compress(response_record(page.url, html)) + compressor.flush())
    return b"".join(members), html_bytes


def response_record(url: str, html: bytes) -> bytes:
    """Return the bytes of a WARC/1.0 response record; its date and id follow from the URL."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(html), html)
    seconds = FIRST_DATE + zlib.crc32(url.encode()) % SECONDS_OF_TEN_YEARS
    header = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Target-URI: {url}\r\n"
        f"WARC-Date: {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(seconds))}\r\n"
        f"WARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>\r\n"
        f"WARC-Payload-Digest: sha1:{base64.b32encode(hashlib.sha1(html).digest()).decode()}\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return header.encode() + block + b"\r\n\r\n"


if __name__ == "__main__":
    main()
