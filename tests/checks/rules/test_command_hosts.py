from __future__ import annotations

import pytest

from tests.folders import EXAMPLE, FAQ, GUIDE, INSTALL, Edit, Tree, edited, problems_in

HOSTS = "data/hosts.yaml"
LISTED = """\
hosts:
  - {host: docker.io, owner: Made up}
  - {host: download.pytorch.org, owner: PyTorch}
"""
IMAGE = 'image: "example/torch'
STEP = "      - pip: {packages: [torch], index"


def found(tree: Tree, *edits: Edit) -> list[str]:
    return problems_in(tree({**edited(*edits), HOSTS: LISTED}))


def told(path: str, line: int, host: str) -> str:
    return (
        f'{path}:{line}: "{host}" is not among the hosts that commands may name; '
        f"add it to {HOSTS} with its owner, or use another"
    )


def test_listed_hosts_are_fine(tree: Tree) -> None:
    assert found(tree) == []


@pytest.mark.parametrize(
    ("edit", "host"),
    [
        ((INSTALL, IMAGE, 'image: "quay.example/torch'), "quay.example"),
        ((INSTALL, IMAGE, 'image: "localhost:5000/torch'), "localhost"),
        (
            (INSTALL, STEP, STEP.replace("index", "extra_index: 'https://evil.example/', index")),
            "evil.example",
        ),
        (
            (
                INSTALL,
                "packages: [torch], index",
                "packages: ['a @ https://e.example/a.whl'], index",
            ),
            "e.example",
        ),
        (
            (INSTALL, STEP, f"      - run: [git, clone, 'https://user@git.example/x']\n{STEP}"),
            "git.example",
        ),
        (
            (
                INSTALL,
                STEP,
                f"      - env: {{{{A: 'https://env.example'}}}}\n{STEP}".replace("{{", "{").replace(
                    "}}", "}"
                ),
            ),
            "env.example",
        ),
    ],
)
def test_a_host_that_is_not_listed_is_named(edit: Edit, host: str, tree: Tree) -> None:
    problems = found(tree, edit)
    assert len(problems) == 1
    assert told(INSTALL, int(problems[0].split(":")[1]), host) == problems[0]


@pytest.mark.parametrize("path", [GUIDE, FAQ])
def test_code_in_texts_is_looked_at_words_are_not(path: str, tree: Tree) -> None:
    anchor = {GUIDE: "This is", FAQ: "No, it is"}[path]
    code = "```\necho\ncurl https://a.example/x\n```\n"
    line = 12 + 1
    assert found(tree, (path, anchor, f"{code}\n{anchor}")) == [told(path, line, "a.example")]
    assert found(tree, (path, anchor, f"Read <https://a.example/x>. {anchor}")) == []


def test_every_address_of_a_line_is_looked_at(tree: Tree) -> None:
    anchor = "This is"
    code = "    curl https://download.pytorch.org/whl https://a.example/x\n"
    assert found(tree, (GUIDE, anchor, f"{code}\n{anchor}")) == [told(GUIDE, 11, "a.example")]


def test_plain_http_is_refused_even_for_a_listed_host(tree: Tree) -> None:
    anchor = "This is"
    code = "    pip install x --index-url http://download.pytorch.org/whl\n"
    assert found(tree, (GUIDE, anchor, f"{code}\n{anchor}")) == [
        f'{GUIDE}:11: "http://download.pytorch.org/whl" is not fetched over https; write https://'
    ]


def test_without_a_list_only_the_protocol_is_looked_at(tree: Tree) -> None:
    edit = (GUIDE, "This is", "    curl http://a.example https://b.example\n\nThis is")
    (problem,) = problems_in(tree(edited(edit, files=EXAMPLE)))
    assert "http://a.example" in problem
