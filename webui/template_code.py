"""How our templates are turned into Python: as Jinja does it, but with less work for each value that is written.

A page of results writes 600 values, makes 250 calls and includes seven templates. Jinja wraps each value that it has
escaped in a `Markup`, to join it to a text right away, asks each function anew whether it wants to know the template's
context (none of those that are called by name here does), and looks up what is included, and copies all names for it,
each time.
"""

from __future__ import annotations

from collections.abc import Callable
from keyword import iskeyword

import markupsafe
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer
from markupsafe import Markup, escape

# Functions of `template_calls` and `application`, methods of what views hand over: they take what is in the brackets.
_CALLED_AS_THEY_ARE = frozenset(
    {
        "_",
        "gettext",
        "ngettext",
        "url_for",
        "static_url",
        "cached_url",
        "captures_url",
        "replay_url",
        "asked",
        "hits",
    }
)
# What views hand over under these names are objects whose attributes are meant, never dicts or lists.
_OBJECTS = frozenset({"group", "link", "pager", "prefs", "wanted"})


# What escapes a text in C, without the Markup around it that takes as long again; not every version has it by itself.
escaped: Callable[[str], str] = getattr(markupsafe, "_escape_inner", lambda text: str(escape(text)))


def written(value: object) -> str:
    """Return a value as it stands in HTML: escaped, unless it is safe already."""
    if type(value) is str:
        return escaped(value)
    if type(value) is Markup:
        return value
    return str(value) if type(value) is int else str(escape(value))


class _Joined:
    """Stands where Jinja writes to a buffer: what would be yielded piece by piece is one text."""

    extend = staticmethod("".join)
    append = staticmethod(str)


joined = _Joined()


class Inclusion(NodeTransformer):
    """Puts templates where they are included by name; with their own names for what they set, as Jinja has it."""

    def __init__(self, parsed: Callable[[str], nodes.Template]) -> None:
        self._parsed = parsed

    def visit_Include(self, node: nodes.Include) -> nodes.Node:
        if not isinstance(node.template, nodes.Const) or not node.with_context or node.ignore_missing:
            return node
        return nodes.Scope(self._parsed(node.template.value).body, lineno=node.lineno)


class TemplateCode(CodeGenerator):
    """Writes the Python of a template; what it gives is the same as that of Jinja's own."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:
        self.writeline(f"from {__name__} import joined, written")
        super().visit_Template(node, frame)

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:
        # each yield goes through the generators of all templates and blocks around it
        if frame.buffer is not None or len(node.nodes) == 1:
            super().visit_Output(node, frame)
            return
        frame.buffer = "yield joined"
        try:
            super().visit_Output(node, frame)
        finally:
            frame.buffer = None

    def _output_child_pre(
        self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape or finalize.src is not None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("written(")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        if not isinstance(node.node, nodes.Name) or node.node.name not in _OBJECTS:
            super().visit_Getattr(node, frame)
            return
        self.visit(node.node, frame)
        self.write(f".{node.attr}")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        called = node.node
        name = (
            called.name
            if isinstance(called, nodes.Name)
            else called.attr
            if isinstance(called, nodes.Getattr)
            else ""
        )
        if name not in _CALLED_AS_THEY_ARE or any(iskeyword(given.key) for given in node.kwargs):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for given in node.args:
            self.visit(given, frame)
            self.write(", ")
        if node.dyn_args is not None:
            self.write("*")
            self.visit(node.dyn_args, frame)
            self.write(", ")
        for named in node.kwargs:
            self.write(f"{named.key}=")
            self.visit(named.value, frame)
            self.write(", ")
        if node.dyn_kwargs is not None:
            self.write("**")
            self.visit(node.dyn_kwargs, frame)
        self.write(")")
