"""The quick texts and addresses of templates are those of Flask-Babel and Flask."""

from __future__ import annotations

from typing import Any

import pytest
from babel.support import NullTranslations
from flask import render_template_string, url_for
from markupsafe import Markup

from webui.template_calls import Texts


class Shouting(NullTranslations):
    def ugettext(self, message: str) -> str:
        return message.upper().replace("%(NAME)S", "%(name)s")

    def ungettext(self, singular: str, plural: str, num: int) -> str:
        return (singular if num == 1 else plural) + "!"


def test_a_text_is_translated_and_its_values_are_escaped() -> None:
    texts = Texts(Shouting())
    assert texts.gettext("cached") == texts.gettext("cached") == "CACHED"
    assert texts.gettext("copy of %(name)s", name="<b>") == "COPY OF &lt;b&gt;"
    assert texts.gettext("100 %%") == "100 %"


def test_a_text_for_a_number_is_chosen_by_the_number() -> None:
    texts = Texts(Shouting())
    assert texts.ngettext("%(num)s page", "%(num)s pages", 1) == "1 page!"
    assert texts.ngettext("%(count)s page", "%(count)s pages", 1200, count="1,200") == "1,200 pages!"


def test_a_text_that_is_safe_is_not_taken_for_one_that_is_not() -> None:
    texts = Texts(Shouting())
    assert texts.ngettext("%(name)s", "", 1, name=Markup("<b>")) == "<b>!"
    assert texts.ngettext("%(name)s", "", 1, name="<b>") == "&lt;b&gt;!"
    assert texts.ngettext("%(name)s", "", 1, name=Markup("<b>")) == "<b>!"


@pytest.mark.parametrize(
    "template",
    [
        "{{ _('Cached') }}",
        "{{ _('copy of %(page)s', page='<i>&') }}",
        "{{ ngettext('%(count)s capture', '%(count)s captures', 2, count='2') }}",
        "{% trans %}captured{% endtrans %}",
        "{% trans name='<b>' %}by {{ name }}{% endtrans %}",
    ],
)
def test_templates_say_what_they_would_say_with_flask_babel(client: Any, template: str) -> None:
    with client.application.test_request_context("/"):
        environment = client.application.jinja_env
        assert render_template_string(template) == environment.from_string(template).render()


@pytest.mark.parametrize(
    ("endpoint", "values"),
    [
        ("search.search", {}),
        (
            "search.search",
            {"q": "dawn & dusk", "page": 2, "site": None, "from": "2015", "view": "list,tree/:;?@"},
        ),
        ("search.similar", {"url": "http://example.org/é?a=b+c%20"}),
        ("crawls.show_job", {"job": "01"}),
        ("settings.show", {"_anchor": "mine"}),
    ],
)
@pytest.mark.parametrize("root", ["", "/archive"])
def test_addresses_are_those_that_flask_writes(
    client: Any, endpoint: str, values: dict[str, Any], root: str
) -> None:
    app = client.application
    with app.test_request_context("/", environ_overrides={"SCRIPT_NAME": root}):
        found = render_template_string("{{ url_for(endpoint, **values) }}", endpoint=endpoint, values=values)
        assert found == render_template_string("{{ plain }}", plain=url_for(endpoint, **values))
