"""The settings model: precedence, one clear line for what is wrong, and a file that is saved whole."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from archiver.errors import DiskFullError
from indexer import Ranking, Widening
from webui.setting_infos import SettingsError, describe_settings, settings_template
from webui.settings import load_settings
from webui.settings_file import SettingsChangedError, save_settings, settings_hash

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, text: str, name: str = "settings.toml") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def refusal(path: str | None = None, environ: dict[str, str] | None = None, **options: object) -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings(path, environ or {}, {key.replace("__", "."): value for key, value in options.items()})
    message = str(caught.value)
    assert "\n" not in message
    return message


# Where a value comes from


def test_without_a_file_the_defaults_hold(folder: Path) -> None:
    settings = load_settings(None, {}, {})
    assert not settings.has_file
    assert settings.archive.jobs_path == "jobs/" and settings.origin("archive.jobs_path") == "default"
    assert settings.index_path == str(folder / "jobs/01/Index/MyIndex")
    assert settings.arcs_path == str(folder / "jobs/01/Arcs")
    assert settings.search.boost["title"] == 3.0 and settings.search.b["body"] == 0.75


def test_option_beats_environment_beats_file_beats_default(folder: Path) -> None:
    write(folder, "[server]\nhost = 'file.example'\nport = 1\nthreads = 2\n")
    environ = {"FINDINGAID_SERVER__HOST": "environment.example", "FINDINGAID_SERVER__PORT": "3"}
    settings = load_settings(None, environ, {"server.host": "option.example", "server.port": None})
    assert (settings.server.host, settings.origin("server.host")) == ("option.example", "option")
    assert (settings.server.port, settings.origin("server.port")) == (3, "environment")
    assert (settings.server.threads, settings.origin("server.threads")) == (2, "file")
    assert settings.origin("server.base_url") == "default"


def test_the_environment_reaches_a_nested_setting(folder: Path) -> None:
    settings = load_settings(None, {"FINDINGAID_SEARCH__BOOST__TITLE": "7.5"}, {})
    assert settings.search.boost["title"] == 7.5
    assert settings.search.boost["body"] == 1.0


def test_the_environment_can_name_the_file(folder: Path) -> None:
    named = write(folder, "[archive]\njob_id = 'news'\n", "other.toml")
    write(folder, "[archive]\njob_id = 'not this one'\n")
    assert load_settings(None, {"FINDINGAID_SETTINGS": named}, {}).archive.job_id == "news"
    third = write(folder, "[archive]\njob_id = 'third'\n", "third.toml")
    assert load_settings(third, {"FINDINGAID_SETTINGS": named}, {}).archive.job_id == "third"


def test_folders_in_the_file_are_relative_to_the_file(folder: Path) -> None:
    (folder / "shelf").mkdir()
    path = write(folder / "shelf", "[archive]\njob_id = 'news'\n")
    settings = load_settings(path, {}, {})
    assert settings.arcs_path == str(folder / "shelf/jobs/news/Arcs")
    assert load_settings(path, {}, {"archive.jobs_path": "elsewhere"}).arcs_path == str(
        folder / "elsewhere/news/Arcs"
    )


def test_the_index_option_stands_above_job_and_names(folder: Path) -> None:
    settings = load_settings(None, {}, {"index": "some/index"})
    assert settings.index_path == str(folder / "some/index")
    assert settings.reloaded().index_path == settings.index_path


def test_reloaded_settings_have_the_new_values_of_the_file(folder: Path) -> None:
    path = write(folder, "[search]\nk1 = 2\n")
    settings = load_settings(None, {}, {"server.port": 9000})
    save_settings(path, {"search.k1": "3.5"}, settings_hash(path))
    again = settings.reloaded()
    assert again.search.k1 == 3.5 and again.server.port == 9000


# What is wrong is told in one line


def test_a_wrong_value_names_file_key_found_and_allowed(folder: Path) -> None:
    path = write(folder, "[server]\nport = 70000\n")
    assert refusal(path) == (
        f"{path}: server.port: 70000 is not accepted; allowed: a whole number from 0 to 65535"
    )


@pytest.mark.parametrize(
    "text, named",
    [
        ("[archive]\ndebug_flag = 'maybe'", 'archive.debug_flag: "maybe"'),
        ("[archive]\njob_id = '../up'", 'archive.job_id: "../up"'),
        ("[archive]\njob_id = ''", "archive.job_id"),
        ('[archive]\njobs_path = "a\\u0000b"', "jobs_path"),
        ("[search]\nk1 = true", "search.k1: true"),
        ("[search]\nk1 = nan", "search.k1: NaN"),
        ("[search]\noperator = 'xor'", '"and" or "or"'),
        ("[search]\nboost = 5", "a table [search.boost]"),
        (
            "[search.boost]\nfooter = 1",
            "search.boost.footer: there is no such setting; allowed: title, heading",
        ),
        (
            "[serach]\nk1 = 1",
            "serach: there is no such setting; allowed: the sections archive, index, search",
        ),
        ("[server]\nprot = 1", "server.prot: there is no such setting; allowed: host, port"),
        ("[server]\nroots = 'one'", "server.roots"),
        ("not toml", "is not TOML"),
    ],
)
def test_each_kind_of_mistake_in_the_file(folder: Path, text: str, named: str) -> None:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    message = refusal(str(path))
    assert message.startswith(f"{path}: ")
    assert named in message


def test_mistakes_in_environment_and_options_name_their_place(folder: Path) -> None:
    variable = {"FINDINGAID_SERVER__PORT": "http"}
    assert refusal(environ=variable).startswith(
        'environment variable FINDINGAID_SERVER__PORT: server.port: "http"'
    )
    assert "FINDINGAID_SERVER__PROT" in refusal(environ={"FINDINGAID_SERVER__PROT": "1"})
    assert refusal(server__port="-1").startswith("command line: server.port: -1 is not accepted")


def test_a_settings_file_that_was_named_must_exist(folder: Path) -> None:
    assert "cannot be read: No such file" in refusal(str(folder / "absent.toml"))
    assert "absent.toml" in refusal(environ={"FINDINGAID_SETTINGS": "absent.toml"})


def test_other_variables_of_ours_do_not_disturb(folder: Path) -> None:
    load_settings(None, {"FINDINGAID_SHARED": "/somewhere", "PATH": "/bin"}, {})


# Saving


def test_saving_keeps_comments_order_and_other_values(folder: Path) -> None:
    path = write(
        folder, "# my shelf\n[search]\n# found by trying\nk1 = 2.0 # was 5\n\n[server]\nport = 9 # nine\n"
    )
    save_settings(
        path, {"search.k1": 4, "search.boost.title": "6", "archive.debug_flag": "on"}, settings_hash(path)
    )
    text = Path(path).read_text()
    assert text.startswith("# my shelf\n[search]\n# found by trying\nk1 = 4.0 # was 5\n")
    assert "port = 9 # nine" in text
    settings = load_settings(path, {}, {})
    assert settings.search.boost["title"] == 6.0 and settings.archive.debug_flag is True


def test_saving_answers_with_the_hash_of_the_new_file(folder: Path) -> None:
    path = write(folder, "[search]\nk1 = 2.0\n")
    assert save_settings(path, {"search.k1": 3.0}, settings_hash(path)) == settings_hash(path)


def test_a_file_that_changed_meanwhile_is_left_alone(folder: Path) -> None:
    path = write(folder, "[search]\nk1 = 2.0\n")
    shown = settings_hash(path)
    write(folder, "[search]\nk1 = 9.0\n")
    with pytest.raises(SettingsChangedError, match="changed since"):
        save_settings(path, {"search.k1": 3.0}, shown)
    assert load_settings(path, {}, {}).search.k1 == 9.0


def test_the_first_save_makes_the_file_with_all_comments(folder: Path) -> None:
    path = str(folder / "settings.toml")
    save_settings(path, {"search.idf": "classic"}, settings_hash(path))
    assert Path(path).read_text() == settings_template().replace('idf = "plus"', 'idf = "classic"')


def test_a_saved_file_is_readable_by_its_owner_alone_and_leaves_nothing_beside(folder: Path) -> None:
    path = write(folder, "")
    save_settings(path, {"search.k1": 3.0}, settings_hash(path))
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.listdir(folder) == ["settings.toml"]


def test_a_failed_write_leaves_the_old_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(folder, "[search]\nk1 = 2.0\n")

    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(DiskFullError, match="settings.toml: no room left"):
        save_settings(path, {"search.k1": 3.0}, settings_hash(path))
    assert load_settings(path, {}, {}).search.k1 == 2.0
    assert os.listdir(folder) == ["settings.toml"]


@pytest.mark.parametrize(
    "key, value", [("server.host", "0.0.0.0"), ("server.roots", "/"), ("index.workers", 1)]
)
def test_what_guards_the_server_cannot_be_saved(folder: Path, key: str, value: object) -> None:
    path = write(folder, "")
    with pytest.raises(SettingsError, match="cannot be changed from here"):
        save_settings(path, {key: value}, settings_hash(path))


@pytest.mark.parametrize(
    "key, value",
    [
        ("archive.jobs_path", "/etc"),
        ("archive.jobs_path", "../"),
        ("archive.arcs_dir", "../../../.."),
        ("archive.index_dir", "/tmp"),
        ("archive.index_name", ".."),
        ("archive.jobs_path", "link"),
    ],
)
def test_folders_outside_the_roots_cannot_be_saved(folder: Path, key: str, value: str) -> None:
    (folder / "link").symlink_to("/")
    path = write(folder, "")
    with pytest.raises(SettingsError):
        save_settings(path, {key: value}, settings_hash(path))
    assert Path(path).read_text() == ""


def test_a_root_can_be_allowed_in_the_file(folder: Path) -> None:
    (folder / "home").mkdir()
    path = write(folder / "home", "[server]\nroots = ['..']\n")
    save_settings(path, {"archive.jobs_path": "../shelf"}, settings_hash(path))
    assert load_settings(path, {}, {}).arcs_path == str(folder / "shelf/01/Arcs")


# The list of all settings


def test_the_shipped_file_holds_every_default() -> None:
    shipped = REPOSITORY / "settings.toml"
    assert shipped.read_text(encoding="utf-8") == settings_template(), (
        "settings.toml differs from the defaults: findingaid settings --template > settings.toml"
    )
    settings = load_settings(str(shipped), {}, {})
    assert all(settings.value(info.key) == info.default for info in describe_settings())
    assert all(settings.origin(info.key) == "file" for info in describe_settings())


def test_every_setting_can_be_set_by_its_variable(folder: Path) -> None:
    for info in describe_settings():
        text = ",".join(info.default) if isinstance(info.default, tuple) else str(info.default)
        settings = load_settings(None, {info.variable: text}, {})
        assert (settings.value(info.key), settings.origin(info.key)) == (info.default, "environment")


def test_the_model_imports_no_web_framework() -> None:
    program = "import sys, webui.settings; print(sorted({'flask', 'numpy', 'tomlkit'} & set(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_the_defaults_of_the_ranking_are_those_of_the_indexer() -> None:
    search = load_settings(None, {}, {}).search
    assert Ranking() == Ranking(
        k1=search.k1, idf=search.idf, fold=search.fold, boost=search.boost, b=search.b
    )


def test_widening_of_the_settings_is_that_of_the_indexer() -> None:
    assert Widening() == Widening(**vars(load_settings(None, {}, {}).widening))
