from __future__ import annotations

import pytest

from tests.folders import ACCELERATOR, ProblemsAfter

OWN = 'suites: [{{name: {name}, title: Kernels, url: "https://example.org"}}]\n'


def declared(name: str) -> tuple[str, str, str]:
    return ACCELERATOR, "name: Example\n", f"name: Example\n{OWN.format(name=name)}"


def test_a_suite_bears_the_name_of_its_folder(problems_after: ProblemsAfter) -> None:
    assert problems_after(declared("example/kernels")) == []
    (line,) = (n for n, text in enumerate(_text().splitlines(), 1) if text == "name: Example")
    assert problems_after(declared("other/kernels")) == [
        (
            f'{ACCELERATOR}:{line + 1}: the suite "other/kernels" does not start with the name of '
            'this folder; write "example/kernels"'
        )
    ]


@pytest.mark.parametrize(
    "name", ["kernels", "Example/kernels", "example/a/b", f"example/{'a' * 61}"]
)
def test_what_is_no_name_of_a_suite_is_refused(name: str, problems_after: ProblemsAfter) -> None:
    (told,) = problems_after(declared(name))
    assert told.startswith(f"{ACCELERATOR}:")
    assert (
        "is not a valid name for a vendor's suite; use the folder name, a slash and a word" in told
    )


def test_a_suite_is_declared_once(problems_after: ProblemsAfter) -> None:
    one = '{name: example/a, title: A, url: "https://example.org"}'
    (told,) = problems_after(
        (ACCELERATOR, "name: Example\n", f"name: Example\nsuites: [{one}, {one}]\n")
    )
    assert '"example/a" is the name or an alias of two suites, or of one suite twice' in told


def test_an_alias_has_the_name_of_its_folder_too(problems_after: ProblemsAfter) -> None:
    def told(alias: str) -> list[str]:
        suite = f'name: example/a, title: A, url: "https://example.org", aliases: [{alias}]'
        return problems_after(
            (ACCELERATOR, "name: Example\n", f"name: Example\nsuites: [{{{suite}}}]\n")
        )

    assert told("example/b") == []
    (one,) = told("other/b")
    assert 'the suite "other/b" does not start with the name of this folder' in one
    (one,) = told("example/a")
    assert '"example/a" is the name or an alias of two suites, or of one suite twice' in one


def _text() -> str:
    from tests.folders import EXAMPLE

    return EXAMPLE[ACCELERATOR]
