"""Defines the mutation operators: the replacements of each kind of node in a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

OTHER = "XX"

# Arguments whose change has no visible effect: defensive ones, prefixes of temporary files, limits.
UNTESTED_ARGUMENTS = {
    "encoding",
    "frozen",
    "kw_only",
    "prefix",
    "repr",
    "slots",
    "stacklevel",
    "strict",
    "timeout",
}

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
}
_PAIRS = (
    ("all", "any"),
    ("endswith", "startswith"),
    ("lower", "upper"),
    ("lstrip", "rstrip"),
    ("max", "min"),
    ("partition", "rpartition"),
    ("removeprefix", "removesuffix"),
)
_OPPOSITES = {**dict(_PAIRS), **{right: left for left, right in _PAIRS}}


def replacements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that can replace `node`, which itself is not changed."""
    operator = _OPERATORS.get(type(node))
    if operator:
        yield from operator(node)


def _constant(node: ast.Constant) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        yield ast.Constant(value + 1)
        yield ast.Constant(value - 1)
    elif isinstance(value, str):
        yield ast.Constant(OTHER + value)
    elif isinstance(value, bytes):
        yield ast.Constant(OTHER.encode() + value)


def _comparison(node: ast.Compare) -> Iterator[ast.AST]:
    for place, operator in enumerate(node.ops):
        for other in _COMPARISONS[type(operator)]:
            yield _copy_with(node, ops=_with_item(node.ops, place, other()))


def _and_or(node: ast.BoolOp) -> Iterator[ast.AST]:
    yield _copy_with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    for place in range(len(node.values)):
        rest = node.values[:place] + node.values[place + 1 :]
        yield rest[0] if len(rest) == 1 else _copy_with(node, values=rest)


def _unary(node: ast.UnaryOp) -> Iterator[ast.AST]:
    if not isinstance(node.operand, ast.Constant):  # a constant has its own replacements
        yield node.operand


def _binary(node: ast.BinOp) -> Iterator[ast.AST]:
    operator = type(node.op)
    if operator is ast.BitOr:
        yield from (node.left, node.right)
    elif operator is ast.Add:
        yield _copy_with(node, op=ast.Sub())
        if _has_order(node.left) or _has_order(node.right):
            yield _copy_with(node, left=node.right, right=node.left)
    elif operator in _ARITHMETIC and not _is_text(node.left):
        yield _copy_with(node, op=_ARITHMETIC[operator]())


def _condition(node: ast.IfExp) -> Iterator[ast.AST]:
    yield _copy_with(node, body=node.orelse, orelse=node.body)
    yield from (node.body, node.orelse)


def _call(node: ast.Call) -> Iterator[ast.AST]:
    if len(node.args) > 1 and not any(isinstance(one, ast.Starred) for one in node.args[:2]):
        yield _copy_with(node, args=[node.args[1], node.args[0], *node.args[2:]])
    for place, keyword in enumerate(node.keywords):
        if keyword.arg and keyword.arg not in UNTESTED_ARGUMENTS:
            yield _copy_with(node, keywords=node.keywords[:place] + node.keywords[place + 1 :])
    match node.func:
        case ast.Name(id="sorted"):
            yield _copy_with(node, func=ast.Name("list"), keywords=[])
        case ast.Name(id=name) if name in _OPPOSITES:
            yield _copy_with(node, func=ast.Name(_OPPOSITES[name]))
        case ast.Attribute(attr=name) if name in _OPPOSITES:
            yield _copy_with(node, func=_copy_with(node.func, attr=_OPPOSITES[name]))


def _items(node: ast.Tuple | ast.List | ast.Set) -> Iterator[ast.AST]:
    if isinstance(node, ast.Tuple | ast.List) and not isinstance(node.ctx, ast.Load):
        return
    if len(node.elts) > 1 and not isinstance(node, ast.Set):
        yield _copy_with(node, elts=[node.elts[1], node.elts[0], *node.elts[2:]])
    if len(node.elts) > 1:
        yield _copy_with(node, elts=node.elts[:-1])


def _dictionary(node: ast.Dict) -> Iterator[ast.AST]:
    if len(node.keys) > 1 and None not in node.keys[:2]:
        yield _copy_with(node, values=[node.values[1], node.values[0], *node.values[2:]])


def _slice(node: ast.Slice) -> Iterator[ast.AST]:
    if node.lower:
        yield _copy_with(node, lower=None)
    if node.upper:
        yield _copy_with(node, upper=None)


def _filter(node: ast.comprehension) -> Iterator[ast.AST]:
    for place in range(len(node.ifs)):
        yield _copy_with(node, ifs=node.ifs[:place] + node.ifs[place + 1 :])


def _return(node: ast.Return) -> Iterator[ast.AST]:
    if node.value and not isinstance(node.value, ast.Constant):
        yield ast.Return(ast.Constant(None))


def _remove_statement(node: ast.stmt) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Expr) or isinstance(node.value, ast.Call):
        yield ast.Pass()


def _if(node: ast.If) -> Iterator[ast.AST]:
    yield _copy_with(node, test=ast.Constant(value=True))
    yield _copy_with(node, test=ast.Constant(value=False))


def _for(node: ast.For) -> Iterator[ast.AST]:
    yield _copy_with(node, body=[*node.body, ast.Break()])


def _continue(_: ast.Continue) -> Iterator[ast.AST]:
    yield from (ast.Break(), ast.Pass())


def _break(_: ast.Break) -> Iterator[ast.AST]:
    yield ast.Continue()


# The operator for each kind of node.
_OPERATORS: dict[type[ast.AST], Callable[[Any], Iterator[ast.AST]]] = {
    ast.AugAssign: _remove_statement,
    ast.BinOp: _binary,
    ast.BoolOp: _and_or,
    ast.Break: _break,
    ast.Call: _call,
    ast.Compare: _comparison,
    ast.Constant: _constant,
    ast.Continue: _continue,
    ast.Delete: _remove_statement,
    ast.Dict: _dictionary,
    ast.Expr: _remove_statement,
    ast.For: _for,
    ast.If: _if,
    ast.IfExp: _condition,
    ast.List: _items,
    ast.Raise: _remove_statement,
    ast.Return: _return,
    ast.Set: _items,
    ast.Slice: _slice,
    ast.Tuple: _items,
    ast.UnaryOp: _unary,
    ast.comprehension: _filter,
}


def _copy_with(node: ast.AST, **changes: object) -> ast.AST:
    """Return a copy of the node with other values of some fields."""
    return ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), **changes}), node)


def _with_item(items: list[ast.cmpop], place: int, item: ast.cmpop) -> list[ast.cmpop]:
    return [*items[:place], item, *items[place + 1 :]]


def _has_order(node: ast.expr) -> bool:
    """Return whether `node` is text, a list or a tuple, for which `a + b` differs from `b + a`."""
    return _is_text(node) or isinstance(node, ast.List | ast.Tuple)


def _is_text(node: ast.expr) -> bool:
    """Return whether this is a string literal or an f-string."""
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
