"""The commands that ask an index: search, links, cached, evaluate. app.py adds them."""

from __future__ import annotations

import functools
import logging
import os
import re
import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, BinaryIO

import click

from archiver.files import whole_text_file
from command_line import (
    CONTROLS,
    DONE,
    MISUSED,
    CommandError,
    clean,
    complain,
    json_option,
    many,
    opened_index,
    print_json,
    with_settings,
)
from webui.index_access import ranking_from
from webui.settings import Settings

if TYPE_CHECKING:
    from archiver.warc import Record
    from indexer import Explanation, Hit, PageLink

# those of indexer.search.models (a test compares them), because importing that takes too long here
MODELS = ("bm25f", "cosine", "tfidf", "boolean", "pnorm", "fuzzy")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_log = logging.getLogger("findingaid")

# search --------------------------------------------------------------------------------


@click.command("search")
@click.argument("words", nargs=-1, required=True, metavar="QUERY")
@click.option("--limit", type=click.IntRange(0, 1000), default=10, show_default=True, help="How many hits.")
@click.option(
    "--offset", type=click.IntRange(0), default=0, show_default=True, help="How many hits to pass over."
)
@click.option("--model", type=click.Choice(MODELS), help="How pages are scored, instead of search.model.")
@click.option("--explain", is_flag=True, help="Tell what each score is made of.")
@json_option
@with_settings
def search_command(
    settings: Settings,
    words: tuple[str, ...],
    limit: int,
    offset: int,
    model: str | None,
    explain: bool,
    as_json: bool,
) -> int:
    """Search the index.

    \b
    findingaid search "web archive" --limit 3
    findingaid search 'title:inventory -draft site:example.org' --json
    findingaid search '"river bird"~3 OR heron~1 from:2009 to:2012'
    findingaid search river bird --explain --limit 1

    The whole query language is told in docs/query-language.md.
    """
    with opened_index(settings) as index:
        results = index.search(
            " ".join(words), offset=offset, limit=limit, operator=settings.search.operator, model=model,
            explain=explain,
        )  # fmt: skip
    if as_json:
        from webui.json_shapes import results_as_json

        print_json(results_as_json(results))
        return DONE
    for notice in results.notices:
        complain(notice)
    coloured = _has_colour()
    for rank, hit in enumerate(results.hits, start=offset + 1):
        lines = _hit_lines(rank, hit, coloured)
        if hit.explanation:
            lines += [" " * 5 + line for line in explanation_lines(hit.explanation)]
        click.echo("\n".join(lines) + "\n", color=coloured)
    click.echo(
        f"{many(results.total, 'page') if results.total else 'nothing'} found in {results.took_ms:.1f} ms",
        err=True,
    )
    return DONE


def explanation_lines(explanation: Explanation) -> list[str]:
    """Return what a score is made of, a line a part: the figures on the left add up to the first."""
    lines = [f"{explanation.score:10.4f}  score ({explanation.model})"]
    for word in explanation.words:
        lines.append(
            f"{word.score:10.4f}    {clean(word.text)}: idf {word.idf:.4f} * {word.times:g} * {word.saturation:.4f}"
        )
        for part in word.elements:
            lines.append(
                f"{'':10}      {part.score:.4f} {part.element}: {part.count:g} * boost {part.boost:g},"
                f" length {part.length} of {part.mean:.1f} on average, weight {part.weight:.4f}"
            )
    for pair in explanation.pairs:
        lines.append(f"{pair.score:10.4f}    near each other: {clean(pair.text)}, weight {pair.weight:.4f}")
    for prior in explanation.priors:
        what = "steps below the front page" if prior.name == "depth" else "other sites link to it"
        lines.append(f"{prior.score:10.4f}    {prior.value} {what}")
    if explanation.whole:
        lines.append(f"{explanation.whole:10.4f}    the query as a whole")
    return lines


def _hit_lines(rank: int, hit: Hit, coloured: bool) -> list[str]:
    number = f"{rank:>3}. "
    indent = " " * len(number)
    title = clean(hit.title or "") or "(no title)"
    facts = [date_in_words(hit.timestamp)]
    if hit.captures > 1:
        facts.append(many(hit.captures, "capture"))
    if hit.versions > 1:
        facts.append(many(hit.versions, "version"))
    bold = "\x1b[1m{}\x1b[0m" if coloured else "{}"
    snippet = "".join(
        bold.format(text) if part.hit and text.strip() else text
        for part in hit.snippet
        for text in [CONTROLS.sub(" ", part.text)]
    )
    file = f"{hit.file}!{hit.member}" if hit.member else hit.file
    lines = [
        number + bold.format(title),
        f"{indent}{clean(hit.url)}  {', '.join(facts)}",
        indent + snippet.strip(),
        f"{indent}{clean(file)} at byte {hit.offset}" + (f", inner {hit.inner}" if hit.inner else ""),
    ]
    return [line for line in lines if line.strip()]


def date_in_words(timestamp: str) -> str:
    """Return a 14-digit timestamp as a date that a person reads: 3 May 2015."""
    try:
        when = time.strptime(timestamp, "%Y%m%d%H%M%S")
    except ValueError:
        return timestamp or "no date"
    return f"{when.tm_mday} {_MONTHS[when.tm_mon - 1]} {when.tm_year}"


def _has_colour() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


# links ---------------------------------------------------------------------------------


@click.command("links")
@click.argument("url")
@click.option("--at", "timestamp", metavar="TIMESTAMP", help="Links out of the capture closest to this time.")
@click.option(
    "--limit", type=click.IntRange(0, 100_000), default=20, show_default=True, help="How many of each."
)
@json_option
@with_settings
def links_command(settings: Settings, url: str, timestamp: str | None, limit: int, as_json: bool) -> int:
    """Tell which pages link to an address, and where its newest copy points.

    \b
    findingaid links http://example.org/ --limit 5
    """
    if timestamp is not None and not re.fullmatch(r"\d{1,14}", timestamp):
        raise click.UsageError(f"--at {timestamp}: expected 1 to 14 digits, such as 2015 or 20150503140211")
    with opened_index(settings) as index:
        found = index.links(url, timestamp, limit=limit)
    if as_json:
        from webui.json_shapes import link_as_json

        print_json(
            {
                "url": found.url,
                "total_links_in": found.total_in,
                "total_links_out": found.total_out,
                "links_in": [link_as_json(link) for link in found.incoming],
                "links_out": [link_as_json(link) for link in found.outgoing],
            }
        )
        return DONE
    click.echo(f"{many(found.total_in, 'page')} link{'s' if found.total_in == 1 else ''} here")
    _print_links(found.incoming)
    if found.is_read:
        click.echo(f"{many(found.total_out, 'link')} from here")
        _print_links(found.outgoing)
    elif not found.total_in:
        complain(
            f"{url}: not archived here, and nothing links to it"
            f" (to see what is: findingaid search WORDS{settings.command_options()})"
        )
    return DONE


def _print_links(links: Iterable[PageLink]) -> None:
    for link in links:
        texts = ", ".join(f'"{clean(text)}"' for text in link.texts if text)
        archived = date_in_words(link.timestamp) if link.is_archived else "not archived"
        click.echo("  " + "  ".join(part for part in (clean(link.url), archived, texts) if part))


# evaluate ------------------------------------------------------------------------------


@click.command("evaluate")
@click.argument("topics_file", metavar="TOPICS")
@click.argument("qrels_file", metavar="QRELS")
@click.option("--id-prefix", default="", metavar="URL", help="What makes a judged id an address.")
@click.option("--judged-only", is_flag=True, help="Leave pages without a judgement out of the lists first.")
@click.option(
    "--beta", type=click.FloatRange(0), default=1.0, show_default=True, help="Weight of recall in F-beta."
)
@click.option("--run", "run_file", metavar="FILE", help="Write the ranked lists in TREC form.")
@click.option("--compare", "changes", multiple=True, metavar="KEY=VALUE", help="Try other settings, too.")
@click.option("--per-topic", is_flag=True, help="Print the measures of each topic before the means.")
@json_option
@with_settings
def evaluate_command(
    settings: Settings,
    topics_file: str,
    qrels_file: str,
    id_prefix: str,
    judged_only: bool,
    beta: float,
    run_file: str | None,
    changes: tuple[str, ...],
    per_topic: bool,
    as_json: bool,
) -> int:
    """Measure how good the hits are: precision, recall, MAP, nDCG and more.

    TOPICS holds test questions, in TREC form or as lines of id, TAB, text; QRELS
    says which pages answer them, in TREC form. All --compare together are one
    other setting, and a randomisation test tells whether it differs.

    \b
    findingaid evaluate topics.txt qrels.txt --run run.txt
    findingaid evaluate topics.txt qrels.txt --compare search.k1=1.2 --compare search.boost.title=3
    """
    from indexer.evaluation import compare, evaluate, read_qrels, read_topics, write_run

    other = None
    if changes:
        other = settings.reloaded(dict(_search_assignment(text) for text in changes))
    topics, judgements = read_topics(topics_file), read_qrels(qrels_file)
    with opened_index(settings) as index:
        measure = functools.partial(
            evaluate, index, topics, judgements, id_prefix=id_prefix, judged_only=judged_only, beta=beta
        )
        first = measure(ranking=ranking_from(settings))
        second = measure(ranking=ranking_from(other)) if other else None
    if not first.topics:
        raise CommandError(f"{qrels_file}: no topic of {topics_file} has a judgement there")
    if first.without_judgements:
        _log.warning("%d topics have no judgement and are left out", len(first.without_judgements))
    if not first.finds_judged_pages:
        shown = next((ranked[0][0] for ranked in first.run.values() if ranked), "none")
        judged = next(iter(next(iter(judgements.values()))))
        complain(f"no judged page was found; ids found: {shown}; ids judged: {judged} (see: --id-prefix)")
    if run_file:
        with whole_text_file(run_file) as file:
            write_run(file, first.run)
    compared = compare(first, second) if second else {}
    if as_json:
        from webui.json_shapes import evaluation_as_json

        print_json(evaluation_as_json(first, compared, changes))
        return DONE
    names = list(first.mean.named())
    if per_topic:
        from archiver.cells import as_text_cell

        click.echo("\t".join(["topic", *names]))
        for topic, measures in first.topics.items():
            figures = [f"{value:.4f}" for value in measures.named().values()]
            click.echo("\t".join([as_text_cell(clean(topic)), *figures]))
    click.echo(f"{'mean of ' + many(len(first.topics), 'topic'):<22}" + _comparison_head(changes))
    for name, value in first.mean.named().items():
        shown = "map" if name == "average_precision" else name
        line = f"{shown:<22}{value:.4f}"
        if compared:
            other_one = compared[name]
            line += (
                f"  {other_one.second:.4f}  {other_one.difference:+.4f}  "
                f"{other_one.better:>6}  {other_one.worse:>5}  {other_one.p_value:.3f}"
            )
        click.echo(line)
    return DONE


def _comparison_head(changes: tuple[str, ...]) -> str:
    return "         other   change  better  worse  p       other: " + ", ".join(changes) if changes else ""


def _search_assignment(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip().startswith("search."):
        raise CommandError(f"--compare {text}: expected search.KEY=VALUE, such as search.k1=2", MISUSED)
    return key.strip(), value.strip()


# cached --------------------------------------------------------------------------------


@click.command("cached")
@click.argument("url", required=False)
@click.option(
    "--at", "timestamp", metavar="TIMESTAMP", help="The capture closest to this time (default: the newest)."
)
@click.option("--file", "file", metavar="FILE", help="Instead of URL: the archive file of the record.")
@click.option(
    "--offset", type=click.IntRange(0), metavar="N", help="With --file: the byte where the record starts."
)
@click.option("--member", default="", metavar="NAME", help="With --file: the archive inside a WACZ.")
@click.option(
    "--inner",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="With --file: the byte of the unpacked gzip member where the record starts.",
)
@click.option("--raw", is_flag=True, help="The record as stored, header and block, instead of the page.")
@with_settings
def cached_command(
    settings: Settings,
    url: str | None,
    timestamp: str | None,
    file: str | None,
    offset: int | None,
    member: str,
    inner: int,
    raw: bool,
) -> int:
    """Write a page as it was stored to stdout: by its address, or by the place of its record.

    \b
    findingaid cached http://example.org/ --at 2015 > page.html
    findingaid cached --file crawl.warc.gz --offset 81920 --raw
    """
    if (url is None) == (file is None):
        raise click.UsageError("give either URL or --file FILE --offset N")
    if file is not None:
        from archiver.warc import find_record

        if offset is None:
            raise click.UsageError("--file needs --offset N, the byte where the record starts")
        if not os.path.isfile(file):
            raise CommandError(f"{file}: there is no such file")
        with find_record(file, offset, member, inner) as record:
            _write_record(record, raw)
        return DONE
    if timestamp is not None and not re.fullmatch(r"\d{1,14}", timestamp):
        raise click.UsageError(f"--at {timestamp}: expected 1 to 14 digits, such as 2015 or 20150503140211")
    from indexer.store.compact import sort_key

    with opened_index(settings) as index:
        capture = index.closest(url or "", timestamp)
        if capture is None:
            hint = "" if "://" in (url or "") else f"; an address begins with its scheme: http://{url}"
            what_is = f"findingaid search WORDS{settings.command_options()}"
            raise CommandError(f"{url}: not archived here{hint} (to see what is: {what_is})")
        if sort_key(capture.url) != sort_key(url or ""):
            complain(f"{url}: not archived here; another spelling of it is: {capture.url}")
        with index.record(capture) as record:
            _write_record(record, raw)
    return DONE


def _write_record(record: Record, raw: bool) -> None:
    from archiver.warc import parse_response

    if raw:
        _copy_raw(record, sys.stdout.buffer)
    else:
        response = parse_response(record)
        if response is None:
            raise CommandError(f"the {record.type_name} record holds no page (--raw shows it as stored)")
        for problem in response.problems:
            _log.warning("%s: %s", record.url, problem)
        sys.stdout.buffer.write(response.body)
    sys.stdout.buffer.flush()


def _copy_raw(record: Record, out: BinaryIO) -> None:
    out.write(record.raw_header)
    while block := record.read(1 << 20):
        out.write(block)
