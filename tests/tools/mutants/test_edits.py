from __future__ import annotations

import ast

import pytest

from tools.mutants.edits import edits


def changed(source: str) -> set[str]:
    """Every module that an edit makes of this one."""
    tree = ast.parse(source)
    found = set()
    for edit in edits(tree):
        with edit.applied():
            found.add(ast.unparse(tree))
    assert ast.unparse(tree) == ast.unparse(ast.parse(source))
    return found


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", {"a <= b", "a >= b"}),
        ("a == b", {"a != b"}),
        ("a is None", {"a is not None"}),
        ("a and b", {"a or b", "a", "b"}),
        ("not a", {"a"}),
        ("a if b else c", {"c if b else a", "a", "c"}),
        ("a + b", {"a - b"}),
        ("a + [b]", {"a - [b]", "[b] + a"}),
        ("a | b", {"a", "b"}),
        ("min(a)", {"max(a)", "pass"}),
        ("f(a, b, c)", {"f(b, a, c)", "pass"}),
        ("f(key=a)", {"f()", "pass"}),
        ("sorted(a, key=b)", {"sorted(a)", "list(a)", "pass"}),
        ("x = (a, b)", {"x = (b, a)", "x = (a,)"}),
        ("x = {a: b, c: d}", {"x = {a: d, c: b}"}),
        ("x = a[b:c]", {"x = a[b:]", "x = a[:c]"}),
        ("x = [a for a in b if c]", {"x = [a for a in b]"}),
        ("x = 2", {"x = 3", "x = 1"}),
        ("x = True", {"x = False"}),
        ("x = 'a'", {"x = 'XXa'"}),
        ("x += a", {"pass"}),
        ("x = isinstance(a, (B, C))", {"x = isinstance((B, C), a)", "x = isinstance(a, (B,))"}),
        ("raise a", {"pass"}),
        ("if a:\n    b", {"if True:\n    b", "if False:\n    b"}),
        ("for a in b:\n    c", {"for a in b:\n    c\n    break"}),
        (
            "for a in b:\n    continue",
            {
                "for a in b:\n    break",
                "for a in b:\n    pass",
                "for a in b:\n    continue\n    break",
            },
        ),
        ("def f():\n    return a", {"def f():\n    return None"}),
    ],
)
def test_what_is_changed(source: str, expected: set[str]) -> None:
    assert changed(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "'A docstring.'",
        "import a",
        "__all__ = ['a', 'b']",
        "if TYPE_CHECKING:\n    x = 1",
        "def f(a: tuple[int, 'str']=b) -> Literal[1]:\n    '''Words.'''\n    yield",
        "@dataclass(frozen=True)\nclass A:\n    a: Literal['b']",
        "x = Literal['a', 'b']",
        "log.warning('words %s', 1)",
        "assert_never(1)",
        "T = TypeVar('T')",
    ],
)
def test_what_no_reader_can_see_stays(source: str) -> None:
    assert changed(source) == set()


def test_a_place_is_the_function_and_the_lines_of_the_statement() -> None:
    source = "class A:\n    def f(self, a=1):\n        return g(\n            2,\n        )\n"
    places = {
        (edit.place.function, edit.place.first, edit.place.last)
        for edit in edits(ast.parse(source))
    }
    # The default is made when the module is imported, at the head of the function.
    assert places == {("", 2, 2), ("A.f", 3, 5)}
