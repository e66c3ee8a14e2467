"""Sentences for readers that are made where no reader's language is known, and translated where one is.

A notice is a str, the English text: command line, JSON and logs print it as it is. It also keeps the
template, which is the id of its translation, and the values in it; `webui.i18n.said` puts both together
in the language of a page.
"""

from __future__ import annotations


class Notice(str):
    """A sentence in English that can be said in another language.

    template: the English text with %(name)s in it; the id of the message in the catalogues.
    values: what stands for the names: texts as they are, whole numbers grouped (12,431), notices inside notices.
    """

    __slots__ = ("template", "values")

    template: str
    values: dict[str, object]

    def __new__(cls, template: str, **values: object) -> Notice:
        shown = {name: _in_english(value) for name, value in values.items()}
        notice = super().__new__(cls, template % shown if shown else template)
        notice.template = template
        notice.values = values
        return notice

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self.template, self.values)


def _again(template: str, values: dict[str, object]) -> Notice:
    return Notice(template, **values)


def _in_english(value: object) -> object:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value


def N_(text: str) -> str:
    """Return the text as it is; marks it for the catalogues where it is translated later, by its value."""
    return text
