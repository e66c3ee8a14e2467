"""The quick texts and addresses of templates are those of Flask-Babel and Flask."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from babel.support import NullTranslations
from flask import Flask, render_template_string, request, url_for
from flask.templating import Environment
from jinja2 import DictLoader, UndefinedError
from jinja2.compiler import CodeGenerator
from markupsafe import Markup, escape
from werkzeug.test import EnvironBuilder

from webui.application import _Environment
from webui.i18n import address_here
from webui.template_calls import Texts
from webui.template_code import written


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
        environment = client.application.jinja_env.overlay()
        environment.code_generator_class = CodeGenerator  # Jinja's own, which finds Flask-Babel's functions
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


def test_each_address_without_parts_that_vary_is_that_of_flask(client: Any) -> None:
    with client.application.test_request_context("/"):
        for rule in client.application.url_map.iter_rules():
            if not rule.arguments:
                found = render_template_string("{{ url_for(endpoint) }}", endpoint=rule.endpoint)
                assert found == url_for(rule.endpoint)


def test_texts_with_other_places_than_names_are_filled_in_as_python_does() -> None:
    texts = Texts(NullTranslations())
    assert texts.gettext("%(count)d of 100 %%, %(name)s", count=3, name="<b>") == "3 of 100 %, &lt;b&gt;"
    assert texts.gettext("%(name)s is 5 %%", name=Markup("<b>")) == "<b> is 5 %"
    assert texts.gettext("%(name)s", name=7) == "7"
    with pytest.raises(KeyError):
        texts.gettext("%(name)s", other="a")


@pytest.mark.parametrize("value", ["plain", '<a href="x">\'&', "", "ä‎", Markup("<b>"), 7, 0.5, None, ["<"]])
def test_a_value_is_written_as_jinja_escapes_it(client: Any, value: Any) -> None:
    assert written(value) == str(escape(value))
    with client.application.test_request_context("/"):
        assert render_template_string("{{ value }}", value=value) == str(escape(value))


@pytest.mark.parametrize(
    "template",
    [
        "{{ _('%(a)s', a='<', **{}) }}",
        "{{ _(*['<%(a)s>'], a=safe) }}",
        "{{ url_for(endpoint='search.search', q='a b', **{'site': 'x', 'from': '2001'}) }}",
        "{{ url_for('search.search', **{'_external': true}) }}",
        "{% set text %}{{ safe }}{{ value }}{% endset %}{{ _('%(a)s', a=text) }}{{ text }}",
        "{% macro name(a) %}{{ a }}{{ _('Help') }}{% endmacro %}{{ name(value) }}{{ name(safe) }}",
        "{% for a in [value, safe] %}{{ loop.index }}{{ a }}{{ _('Help') }}{% endfor %}",
        "{% filter upper %}{{ value }}{% endfilter %}{{ value ~ safe }}{{ value|e }}{{ value|safe }}",
        "{% autoescape false %}{{ value }}{{ _('%(a)s', a=value) }}{% endautoescape %}",
    ],
)
def test_templates_give_what_the_code_of_jinja_gives(client: Any, template: str) -> None:
    with client.application.test_request_context("/"):
        values: dict[str, Any] = {"value": '<&">', "safe": Markup("<b>")}
        environment = client.application.jinja_env.overlay()
        environment.code_generator_class = CodeGenerator
        client.application.update_template_context(values)
        assert render_template_string(template, **values) == environment.from_string(template).render(values)


def test_what_is_included_gives_what_it_gives_with_jinja() -> None:
    files = {
        "_sets.html": "{% set a = a ~ 'set' %}{{ a }}{% for b in 'xy' %}{{ loop.index }}{{ b }}{{ a }}{% endfor %}",
        "_deep.html": "({% include '_sets.html' %}{{ a }}{{ b }})\n",
        "base.html": "{% include '_deep.html' %}{% block main %}{% endblock %}",
        "page.html": "{% extends 'base.html' %}{% macro m(a) %}{% include '_sets.html' %}{% endmacro %}"
        "{% block main %}{% for a in [1, 2] %}{% include '_deep.html' %}\n"
        "{% with b = a %}{% include name %}{% endwith %}"
        "{% if a == 1 %}{% include '_sets.html' %}{% else %}{% include 'none' ignore missing %}{% endif %}{% endfor %}"
        "{{ a }}{{ m('<') }}{% endblock %}",
    }
    app, loader = Flask("any"), DictLoader(files)
    values: dict[str, Any] = {"a": '<a href="">', "b": Markup("<b>"), "name": "_deep.html"}
    plain = Environment(app, loader=loader, autoescape=True).get_template("page.html").render(values)
    assert _Environment(app, loader=loader, autoescape=True).get_template("page.html").render(values) == plain


def test_a_name_that_is_not_there_is_an_error(client: Any) -> None:
    with client.application.test_request_context("/"):
        for template in ("{{ missing }}", "{{ _(missing) }}", "{{ missing() }}", "{{ wanted.query }}"):
            with pytest.raises(UndefinedError):
                render_template_string(template)


_TOLD = [
    *"ab/=&-_.~?;:@(!'", "//", "..", "+", "%20", "%41", "%7e", "%25", "%2F", "%22", "%3a", "%3D", "%2b", "%7F", "%7D",
    "%60", "%C3%BC", "%", "ü",
]  # fmt: skip


@pytest.mark.parametrize("root", ["", "/below"])
def test_the_address_of_a_page_is_that_of_werkzeug(root: str) -> None:
    app, random = Flask("any"), Random(7)
    for _ in range(2000):
        path, query = ("".join(random.choices(_TOLD, k=random.randrange(6))) for _ in range(2))
        environ = EnvironBuilder().get_environ() | {
            "SCRIPT_NAME": root, "PATH_INFO": f"/{path}".encode().decode("latin-1"),
            "QUERY_STRING": query.encode().decode("latin-1"),
        }  # fmt: skip
        with app.request_context(environ):
            assert address_here() == "/" + request.url.removeprefix(request.root_url)
