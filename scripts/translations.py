"""Writes the catalogues in webui/translations anew: every text of the code is in them, none that has gone.

messages.pot holds the English texts; LANGUAGE/LC_MESSAGES/messages.po of each language keeps its translations, gets
new texts without one, and loses texts that the code has no more. No dates, no line numbers, no guesses: the same code
gives the same files, and a text that changed has to be translated anew. docs/translating.md tells the rest.

    python scripts/translations.py              write them, and say what is not translated yet
    python scripts/translations.py --new fr     begin a catalogue for another language
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.pofile import read_po, write_po

REPOSITORY = Path(__file__).parents[1]
FOLDER = REPOSITORY / "webui" / "translations"
SOURCES = ("archiver", "indexer", "webui")
# _() and ngettext() are among the defaults; in a setting the second text is for readers.
KEYWORDS = {**DEFAULT_KEYWORDS, "N_": None, "Notice": None, "note": None, "_note": None, "_setting": (2,)}
_HEADER = "# Texts of Finding Aid. Written by scripts/translations.py; the translations in it by people.\n"

# Fields of the head that change from day to day, or with the version of Babel.
_CHANGING = tuple(
    f'"{field}'
    for field in "POT-Creation-Date PO-Revision-Date Generated-By Last-Translator Report-Msgid Language-Team".split()
)


def extracted() -> Catalog:
    """Return all texts for readers that stand in the code and the templates."""
    with (REPOSITORY / "babel.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file)
    found = _empty()
    for file, _line, message, comments, context in extract_from_dir(
        REPOSITORY, methods, options, KEYWORDS, ("Translators:",), directory_filter=_is_source
    ):
        found.add(message, None, [(file, 0)], auto_comments=comments, context=context)
    return found


def _is_source(folder: str) -> bool:
    parts = Path(folder).resolve().relative_to(REPOSITORY).parts
    return not parts or (parts[0] in SOURCES and "__pycache__" not in parts and "static" not in parts)


def _empty(language: str | None = None) -> Catalog:
    return Catalog(
        locale=language, project="findingaid", header_comment=_HEADER.strip(), fuzzy=False, charset="utf-8"
    )


def languages() -> list[str]:
    """Return the codes of the languages that have a catalogue."""
    return sorted(path.parts[-3] for path in FOLDER.glob("*/LC_MESSAGES/messages.po"))


def path_of(language: str) -> Path:
    """Return the file of a language's texts."""
    return FOLDER / language / "LC_MESSAGES" / "messages.po"


def translated(language: str) -> Catalog:
    """Return the texts of a language as they are written down now."""
    with path_of(language).open("rb") as file:
        return read_po(file, locale=language)


def updated(language: str, source: Catalog) -> Catalog:
    """Return the texts of the code with what a language has for them; without a guess for those that are new."""
    before = translated(language) if path_of(language).exists() else _empty(language)
    after = _empty(language)
    for message in _in_order(source):
        known = before.get(message.id, message.context)
        kept = known.string if known is not None and isinstance(known.id, type(message.id)) else None
        after.add(
            message.id, kept, message.locations, auto_comments=message.auto_comments, context=message.context
        )
    return after


def _in_order(catalogue: Catalog) -> Iterator[Message]:
    return iter(
        sorted((one for one in catalogue if one.id), key=lambda one: (_first(one), one.context or ""))
    )


def _first(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def as_text(catalogue: Catalog) -> bytes:
    """Return a catalogue as it is written, without anything that changes from day to day."""
    written = io.BytesIO()
    write_po(written, catalogue, width=110, sort_output=True, include_lineno=False)
    lines = written.getvalue().decode("utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(_CHANGING)).encode()


def untranslated(catalogue: Catalog) -> list[str]:
    """Return the texts that have no translation, or not one for each plural form."""
    missing = []
    for message in catalogue:
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        if message.id and not all(forms):
            missing.append(_first(message))
    return missing


def main(arguments: list[str]) -> int:
    """Write the catalogues; say what is missing."""
    if arguments[:1] == ["--new"] and len(arguments) == 2:
        path_of(arguments[1]).parent.mkdir(parents=True, exist_ok=True)
        codes = sorted({*languages(), arguments[1]})
    elif arguments:
        sys.stderr.write(str(__doc__))
        return 2
    else:
        codes = languages()
    source = extracted()
    (FOLDER / "messages.pot").write_bytes(as_text(source))
    for language in codes:
        catalogue = updated(language, source)
        path_of(language).write_bytes(as_text(catalogue))
        missing = untranslated(catalogue)
        sys.stdout.write(f"{language}: {len(source)} texts, {len(missing)} without translation\n")
        for text in missing[:10]:
            sys.stdout.write(f"  {text[:100]}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
