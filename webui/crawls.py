"""Crawls in the browser: start one, look on, pause, resume, stop, change it while it runs, read its log.

/crawl                     the jobs, and the form that starts one (POST starts it)
/crawl/JOB                 one job; JOB.json is the same as numbers
/crawl/JOB/ACTION          POST: pause, resume, stop, add, set, start
/crawl/JOB/log             its log as text

The graph of a crawl is in graphs.py. What a crawl may reach (private addresses, robots.txt) cannot be
changed here, only on the command line.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, make_response, render_template, request, send_file

from archiver.crawl import (
    CrawlJob,
    JobError,
    change_job,
    crawl_status,
    is_job_id,
    is_running,
    last_fetches,
    list_jobs,
    load_job,
    send_command,
    write_job,
)
from archiver.crawl.job import LOG_FILE, SCOPES
from archiver.crawl.states import CHANGEABLE, command_answer
from archiver.errors import DiskFullError, FindingAidError
from archiver.warc import canonical_url
from webui.application import error_response, json_error, redirect_to, site
from webui.asked import wants_json
from webui.crawl_process import MOST_CRAWLS, job_from_settings, process_messages, start_crawl, starting_alone
from webui.i18n import gettext as _
from webui.i18n import said_of
from webui.words import crawl_word

blueprint = Blueprint("crawls", __name__)

MOST_SEEDS = 1_000
LAST_FETCHES = 20
_ANSWER_S = 3.0
_TOLD = ("id", "state", "reason", "fetched", "queued", "pages_per_s", "is_running")
_SPACE = re.compile(r"\s+")
# Numbers that a job need not have: before its first second, or from an older run.
_NO_NUMBERS: dict[str, Any] = {
    **dict.fromkeys(("statuses", "types", "skipped", "failures", "cut"), {}), "hosts": [], "eta_s": None, "reason": "",
}  # fmt: skip
_STEPS = {
    "queued": ("start",),
    "running": ("pause", "stop"),
    "pausing": ("resume", "stop"),
    "paused": ("resume", "stop"),
    "stopping": (),
    "finished": ("start", "again"),
    "crashed": ("start",),
}


@dataclass(frozen=True, slots=True)
class StartForm:
    """What was typed into the form that starts a crawl."""

    seeds: str = ""
    job: str = ""
    scope: str = "host"
    depth: str = ""
    max_pages: str = ""
    max_mb: str = ""
    max_minutes: str = ""
    delay_s: str = ""
    topic: str = ""
    include: str = ""
    exclude: str = ""
    requisites: bool = True
    index: bool = True


@blueprint.get("/crawl.json", endpoint="list_json")
@blueprint.get("/crawl")
def show_all() -> Response:
    if wants_json():
        running = request.args.get("running", "")
        if running not in ("", "0", "1"):
            return json_error(400, _("%(name)s: expected 0 or 1.", name="running"))
        jobs = list_jobs(site().settings.jobs_path, running_only=running == "1")
        return _json({"jobs": [{key: getattr(job, key) for key in _TOLD} for job in jobs]})
    return _list_page(_new_form())


@blueprint.post("/crawl")
def start_new() -> Response:
    typed = request.form
    form = StartForm(
        **{
            name: typed.get(name, "").strip()
            for name in StartForm.__slots__
            if name not in ("requisites", "index")
        },
        requisites="requisites" in typed,
        index="index" in typed,
    )
    try:
        job = _job_from(form)
    except ValueError as error:
        return _list_page(form, str(error), 400)
    try:
        with starting_alone(site().settings.jobs_path):
            if _running() >= MOST_CRAWLS:
                problem = _("%(count)s crawls run already; stop one first.", count=MOST_CRAWLS)
                return _list_page(form, problem, 409)
            if is_running(job.folder):
                problem = _("Job %(job)s is running; choose another name.", job=job.id)
                return _list_page(form, problem, 409)
            write_job(job)
            start_crawl(site().settings, job.id, with_index=form.index)
    except (DiskFullError, OSError) as error:
        why = getattr(error, "strerror", None) or _("no room left on the disk")
        return _list_page(form, _("The job cannot be written: %(why)s.", why=why), 403)
    return _to_job(job.id)


@blueprint.get("/crawl/<job>.json", endpoint="job_json")
@blueprint.get("/crawl/<job>")
def show_job(job: str) -> Response:
    folder = _folder(job)
    if folder is None:
        return _no_such_job()
    try:
        status = crawl_status(folder)
    except JobError:
        status = {"job": job, "state": "queued", "reason": ""}
    except FindingAidError as error:
        return error_response(503, _("This crawl cannot be shown"), said_of(error).replace(folder, job))
    if wants_json():
        return _json(status)
    return _job_page(job, folder, status)


@blueprint.get("/crawl/<job>/log")
def show_log(job: str) -> Response:
    folder = _folder(job)
    path = os.path.join(folder or "", LOG_FILE)
    if folder is None or not os.path.isfile(path):
        return _no_such_job()
    response = send_file(path, mimetype="text/plain", as_attachment=True, download_name=f"crawl-{job}.log")
    assert isinstance(response, Response)
    return response


@blueprint.post("/crawl/<job>/<any(pause, resume, stop, add, set, start, again):action>")
def act(job: str, action: str) -> Response:
    folder = _folder(job)
    if folder is None:
        return _no_such_job()
    if action == "stop" and request.form.get("sure") != "yes":
        return make_response(render_template("crawl_stop.html", job=job, status=crawl_status(folder)))
    try:
        message = _done(job, folder, action)
    except (FindingAidError, ValueError, OSError) as error:
        status = (
            crawl_status(folder) if os.path.exists(os.path.join(folder, LOG_FILE)) else {"state": "queued"}
        )
        text = said_of(error).replace(folder + ": ", "").replace(folder, job)
        return _job_page(job, folder, {"job": job, "reason": "", **status}, problem=text, code=400)
    return _to_job(job, message)


def _done(job: str, folder: str, action: str) -> str:
    """Carry an action out and return what to say of it. Raises CrawlError, ValueError, OSError."""
    if action in ("start", "again"):
        with starting_alone(site().settings.jobs_path):
            if is_running(folder):
                return _("Started.")  # by a request just before this one
            if _running() >= MOST_CRAWLS:
                raise ValueError(_("%(count)s crawls run already; stop one first.", count=MOST_CRAWLS))
            start_crawl(site().settings, job, again=action == "again", with_index="index" in request.form)
        return _("Started.")
    arguments: dict[str, Any] = {}
    if action == "add":
        arguments = {"seeds": list(_addresses(request.form.get("seeds", "")))}
    elif action == "set":
        arguments = _changes(load_job(folder), request.form.to_dict())
        if not arguments:
            return _("Nothing was changed.")
    number = send_command(folder, action, arguments)
    deadline = time.monotonic() + _ANSWER_S
    while is_running(folder) and time.monotonic() < deadline:
        answer = command_answer(folder, number)
        if answer is not None:
            if answer.startswith("not possible"):
                raise ValueError(
                    _(
                        "Not possible while the crawl is %(state)s.",
                        state=crawl_word(answer.rpartition(" ")[2]),
                    )
                )
            break
        time.sleep(0.05)
    if action == "set":
        write_job(change_job(load_job(folder), arguments))  # so that the next start has it too
    return _("Done.") if is_running(folder) else _("Noted for the next start.")


def _changes(job: CrawlJob, typed: dict[str, str]) -> dict[str, Any]:
    """Return what differs from the job among the typed values that may be changed. Raises ValueError."""
    changes: dict[str, Any] = {}
    for key in sorted(CHANGEABLE & set(typed)):
        now = getattr(job, key)
        value = _typed_value(key, typed[key].strip(), now)
        if value != now:
            changes[key] = value
    change_job(job, changes, where="set")
    return changes


def _typed_value(key: str, text: str, example: Any) -> Any:
    if isinstance(example, tuple):
        return tuple(line.strip() for line in text.splitlines() if line.strip())
    if isinstance(example, bool):
        return text == "true"
    if isinstance(example, str):
        return text
    try:
        return int(text) if isinstance(example, int) else float(text)
    except ValueError:
        raise ValueError(
            _("%(name)s: expected a number, found %(found)s.", name=key, found=repr(text[:30]))
        ) from None


def _job_from(form: StartForm) -> CrawlJob:
    """Return the job that a form describes. Raises ValueError with a sentence for the reader."""
    seeds = _addresses(form.seeds)
    name = form.job or _free_name()
    if not is_job_id(name):
        raise ValueError(
            _("Job name %(name)s: use letters, digits, dot, dash and underscore.", name=repr(name[:70]))
        )
    folder = os.path.join(site().settings.jobs_path, name)
    if os.path.realpath(folder) != os.path.join(os.path.realpath(site().settings.jobs_path), name):
        raise ValueError(_("Job %(name)s lies outside the folder of the jobs.", name=name))
    try:
        job = job_from_settings(site().settings, folder)
        known = load_job(folder).seeds if os.path.exists(os.path.join(folder, "job.toml")) else ()
        values: dict[str, Any] = {
            "seeds": tuple(dict.fromkeys((*known, *seeds))),
            "scope": form.scope,
            "topic": form.topic,
            "requisites": form.requisites,
        }
        for key in ("depth", "max_pages", "max_mb", "max_minutes", "delay_s", "include", "exclude"):
            text = getattr(form, key)
            if text:
                values[key] = _typed_value(key, text, getattr(job, key))
        return change_job(job, values, where=_("Crawl"))
    except JobError as error:
        raise ValueError(said_of(error)) from error


def _addresses(text: str) -> tuple[str, ...]:
    """Return the addresses typed, one a line; http:// is added where it is missing. Raises ValueError."""
    found = []
    for line in _SPACE.split(text.strip()):
        if not line:
            continue
        url = line if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", line) else "http://" + line
        try:
            found.append(canonical_url(url))
        except ValueError as error:
            raise ValueError(
                _("%(line)s is no address of a web page (http or https).", line=line[:100])
            ) from error
    if not found:
        raise ValueError(_("Give at least one address to start from."))
    if len(found) > MOST_SEEDS:
        raise ValueError(_("At most %(count)s addresses at once.", count=MOST_SEEDS))
    return tuple(dict.fromkeys(found))


def _free_name() -> str:
    """Return the first number that no job has: "01", "02"..."""
    path = site().settings.jobs_path
    number = 1
    while os.path.exists(os.path.join(path, f"{number:02d}")):
        number += 1
    return f"{number:02d}"


def _new_form() -> StartForm:
    part = site().settings.crawl
    return StartForm(
        seeds=request.args.get("seed", "")[:2000],
        job=_free_name(),
        depth=str(part.depth),
        max_pages=str(part.max_pages or ""),
        delay_s=f"{part.delay_s:g}",
    )


def _running() -> int:
    return sum(
        job.state not in ("", "finished", "crashed", "queued") for job in list_jobs(site().settings.jobs_path)
    )


def _folder(job: str) -> str | None:
    """Return the folder of a job that exists inside the folder of the jobs, else None."""
    folder = os.path.join(site().settings.jobs_path, job)
    return folder if is_job_id(job) and os.path.isdir(folder) and not os.path.islink(folder) else None


def _no_such_job() -> Response:
    return error_response(404, _("No such job"), _("There is no crawl job of this name."))


def _to_job(job: str, message: str = "") -> Response:
    return redirect_to(f"{request.script_root}/crawl/{job}" + ("?done=1" if message else ""))


def _list_page(form: StartForm, problem: str = "", status: int = 200) -> Response:
    page = render_template(
        "crawls.html", jobs=list_jobs(site().settings.jobs_path), form=form, scopes=SCOPES, problem=problem
    )
    return make_response(page, status)


def _job_page(
    job: str, folder: str, status: dict[str, Any], *, problem: str = "", code: int = 200
) -> Response:
    values, live = None, is_running(folder)
    try:
        described = load_job(folder)
        values = {key: getattr(described, key) for key in CHANGEABLE}
    except FindingAidError:
        pass  # started without a job file; its numbers are shown all the same
    page = render_template(
        "crawl.html",
        job=job,
        status={**_NO_NUMBERS, **status},
        steps=_STEPS.get(str(status.get("state")), ()),
        live=live,
        fetches=last_fetches(folder, LAST_FETCHES),
        messages="" if live else process_messages(folder),
        values=values,
        scopes=SCOPES,
        problem=problem,
        done="done" in request.args,
    )
    return make_response(page, code)


def _json(value: dict[str, Any]) -> Response:
    """Return JSON with a tag, so that who asks again and again gets an empty answer when nothing has changed."""
    body = json.dumps(value, ensure_ascii=False)
    response = make_response(body)
    response.headers["Content-Type"] = "application/json; charset=utf-8"
    response.set_etag(hashlib.sha256(body.encode()).hexdigest()[:24])
    response.make_conditional(request)
    return response
