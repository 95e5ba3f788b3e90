"""Lists the small changes to a module that a test should detect, from its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tools.mutants.replacements import UNTESTED_ARGUMENTS, replacements

# Fields with types, which are not executed.
_TYPES = {
    (ast.AnnAssign, "annotation"),
    (ast.arg, "annotation"),
    (ast.FunctionDef, "returns"),
    (ast.AsyncFunctionDef, "returns"),
}
# Calls whose arguments only matter to type checkers, or only to speed and representation.
_NO_BEHAVIOR = {"NewType", "ParamSpec", "TypeVar", "assert_never", "cast", "dataclass", "lru_cache"}
_LOGGERS = {"LOGGER", "_LOGGER", "_log", "log", "logger", "logging"}

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Place:
    """The statement of a node, and the function that contains the statement.

    `function` is "" for code that runs at import. `path` has the names of the enclosing classes and
    functions. `first` and `last` are the first and the last line of the statement. For a block such
    as `if`, only the head counts.
    """

    function: str = ""
    path: tuple[str, ...] = ()
    first: int = 0
    last: int = 0


@dataclass(frozen=True)
class Edit:
    """A replacement of a node of a syntax tree by the node `new`.

    The old node is the field `field` of `parent`, or the item `index` of this field if it is a
    list.
    """

    parent: ast.AST
    field: str
    index: int | None
    new: ast.AST
    place: Place
    line: int

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Change the tree until the end of the block."""
        if self.index is None:
            old = getattr(self.parent, self.field)
            setattr(self.parent, self.field, self.new)
            yield
            setattr(self.parent, self.field, old)
            return
        nodes = getattr(self.parent, self.field)
        old = nodes[self.index]
        nodes[self.index] = self.new
        yield
        nodes[self.index] = old


def edits(tree: ast.Module) -> Iterator[Edit]:
    """Yield every edit of a module, from top to bottom."""
    yield from _edits(tree, Place())


def _edits(node: ast.AST, place: Place) -> Iterator[Edit]:
    for field, value in ast.iter_fields(node):
        if (type(node), field) in _TYPES:
            continue
        # Defaults and decorators run where the function is defined.
        around = _body_place(node, place) if field == "body" else place
        for index, child in _children(value):
            if _is_skipped(node, field, child):
                continue
            here = _node_place(child, around)
            line = getattr(child, "lineno", here.first)
            for new in replacements(child):
                if _has_unordered_tuple(node) and _is_swap(child, new):
                    continue
                yield Edit(node, field, index, new, here, line)
            yield from _edits(child, here)


def _children(value: object) -> Iterator[tuple[int | None, ast.AST]]:
    if isinstance(value, ast.AST):
        yield None, value
    elif isinstance(value, list):
        yield from ((at, one) for at, one in enumerate(value) if isinstance(one, ast.AST))


def _node_place(node: ast.AST, place: Place) -> Place:
    """Return the place of a statement, or `place` for a node that is not a statement.

    For a block such as `if`, the place has the lines of the block's head.
    """
    if not isinstance(node, ast.stmt):
        return place
    body: list[ast.stmt] = getattr(node, "body", [])
    last = node.end_lineno or node.lineno
    if body:
        last = body[0].lineno - 1
    elif isinstance(node, ast.Match):
        last = node.cases[0].pattern.lineno - 1
    return replace(place, first=node.lineno, last=max(node.lineno, last))


def _body_place(node: ast.AST, place: Place) -> Place:
    """Return the place of the body of `node`, which can be a function or a class."""
    if not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        return place
    path = (*place.path, node.name)
    runs = isinstance(node, _FUNCTIONS) or place.function
    return replace(place, path=path, function=".".join(path) if runs else "")


def _has_unordered_tuple(node: ast.AST) -> bool:
    """Return whether the order of a tuple in `node` does not matter."""
    match node:
        case ast.ExceptHandler() | ast.Compare(ops=[ast.In() | ast.NotIn()]):
            return True
        case ast.Call(
            func=ast.Name(id="isinstance") | ast.Attribute(attr="startswith" | "endswith")
        ):
            return True
    return False


def _is_swap(old: ast.AST, new: ast.AST) -> bool:
    """Return whether both nodes are tuples or lists of the same length: a swap of items."""
    items = ast.Tuple | ast.List
    return isinstance(old, items) and isinstance(new, items) and len(old.elts) == len(new.elts)


def _is_skipped(parent: ast.AST, field: str, node: ast.AST) -> bool:
    """Return whether to skip a node, because tests cannot or need not detect a change of it."""
    match node:
        case (
            # A docstring; an import, without which a name is missing; code for type checkers.
            ast.Expr(value=ast.Constant())
            | ast.Import()
            | ast.ImportFrom()
            | ast.If(test=ast.Name(id="TYPE_CHECKING"))
            | ast.If(test=ast.Compare(left=ast.Name(id="__name__")))
            | ast.Assign(targets=[ast.Name(id="__all__")])
            | ast.Subscript(value=ast.Name(id="Literal"))
        ):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return name in _LOGGERS
        case ast.Call(func=ast.Name(id=name)) | ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return name in _NO_BEHAVIOR
        case ast.keyword(arg=name):
            return name in UNTESTED_ARGUMENTS
    return isinstance(parent, ast.Subscript) and field == "slice" and isinstance(node, ast.Tuple)
