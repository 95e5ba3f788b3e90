"""Everything here is made up: neither the vendors nor the platforms, packages or hosts exist."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.catalog import Platform
from accelerator_portal.checks import load_and_check
from accelerator_portal.install.expand import expand
from accelerator_reports.cli import main
from accelerator_reports.cli import options as generated_files
from accelerator_reports.files.text_file import write_text_atomically
from tests.day import TODAY
from tests.folders import (
    ACCELERATOR,
    EXAMPLE,
    FORMS,
    Tree,
    copied,
    edited,
    loaded,
    problems_in,
    read_tree,
    write_tree,
)

HOSTS = "data/hosts.yaml"
LISTED = """\
hosts:
  - {host: docker.io, owner: Docker}
  - {host: download.pytorch.org, owner: PyTorch}
  - {host: example.net, owner: "Made up"}
"""

FLAGS: Mapping[str, str] = {
    "name": "Foo",
    "vendor": "Foo Works",
    "url": "https://example.org/foo",
    "device": "foo",
    "dispatch-key": "PrivateUse1",
    "package": "torch-foo",
    "import": "torch_foo",
    "command": "pip install torch-foo==1.2",
    "torch": "1.9.1,1.10.0",
    "os": "linux",
    "arch": "x86_64,aarch64",
    "python": "3.12",
    "support": "https://example.org/forum",
}

# One line for each question, in their order; empty ones take what is proposed.
TYPED = (
    "Foo", "Foo Works", "https://example.org/foo", "foo", "", "torch-foo", "", "",
    "pip install torch-foo==1.2", "", "1.9.1,1.10.0", "", "", "x86_64,aarch64", "3.12", "",
    "https://example.org/forum", "", "", "", "",
)  # fmt: skip


def run(root: Path, *arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(main, ["new", "--root", str(root), *arguments], input=typed)


class Keyboard(io.BytesIO):
    """What somebody types at a terminal."""

    def isatty(self) -> bool:
        """Say that somebody can be asked."""
        return True


def asked(root: Path, typed: str) -> Result:
    """Run the command for `foo` at a terminal."""
    arguments = ["new", "--root", str(root), "foo"]
    return CliRunner().invoke(main, arguments, input=Keyboard(typed.encode()))


def flags(**changed: str | None) -> list[str]:
    given = {**FLAGS, **{flag.replace("_", "-"): text for flag, text in changed.items()}}
    pairs = ((f"--{flag}", text) for flag, text in given.items() if text is not None)
    return [word for pair in pairs for word in pair]


def platform(root: Path, named: str = "foo") -> Platform:
    """The new platform, after the whole check has found nothing."""
    catalog, problems = load_and_check(root, TODAY)
    assert [str(problem) for problem in problems] == []
    assert catalog is not None
    return catalog.by_id[named]


def refused(root: Path, before: Mapping[str, str], result: Result) -> str:
    """What was said; nothing may have been written."""
    assert result.exit_code != 0
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)
    assert read_tree(root) == before
    return result.output


@pytest.fixture
def root(tree: Tree) -> Path:
    return tree({**EXAMPLE, **FORMS, HOSTS: LISTED})


def test_flags_alone_make_a_folder_that_passes(root: Path) -> None:
    result = run(root, "foo", *flags())
    assert result.exit_code == 0, result.output
    made = platform(root)
    a = made.accelerator
    assert (a.name, a.vendor, a.mark, a.device.value) == ("Foo", "Foo Works", "FO", "foo")
    assert (a.package.name, a.package.module, a.package.autoload) == (
        "torch-foo",
        "torch_foo",
        None,
    )
    assert a.integration.value == "out-of-tree"
    assert [(row.torch, row.plugin) for row in made.compatibility.rows] == [
        ("1.10.0", "1.2"), ("1.9.1", "1.2"),
    ]  # fmt: skip
    (option,) = made.install.options
    assert option.compatibility
    assert (option.os, option.arch, option.methods) == (("linux",), ("x86_64", "aarch64"), ("pip",))
    assert {source.url for source in a.sources.values()} == {"https://example.org/foo"}


def test_each_release_is_one_row_and_the_command_follows(root: Path) -> None:
    command = "pip install torch==1.10.0 torch-foo==1.3"
    said = run(root, "foo", *flags(command=command, torch="1.10.0,1.9.1", plugin_version="1.3,1.2"))
    assert said.exit_code == 0, said.output
    made = loaded(root)
    rows = [row for row in expand(made)[0] if row.platform == "foo" and row.arch == "x86_64"]
    assert {row.build: row.commands[0] for row in rows} == {
        "1.10.0": "python3 -m pip install torch==1.10.0 torch-foo==1.3",
        "1.9.1": "python3 -m pip install torch==1.9.1 torch-foo==1.2",
    }


def test_answers_make_the_same_folder_as_flags(tmp_path: Path) -> None:
    files = {**EXAMPLE, **FORMS, HOSTS: LISTED}
    one, other = write_tree(tmp_path / "one", files), write_tree(tmp_path / "other", files)
    typed = "\n".join([*TYPED, ""])
    assert asked(one, typed).exit_code == 0
    assert run(other, "foo", "--yes", *flags()).exit_code == 0
    assert read_tree(one) == read_tree(other)
    platform(one)


@pytest.mark.parametrize(
    ("place", "wrong", "told"),
    [
        (1, "", "Vendor is required: company that makes the hardware"),
        (
            2,
            "http://example.org",
            'Documentation: "http://example.org" is not a web address with https',
        ),
        (8, "curl x | sh", 'Install command: "curl x | sh" is not a pip install command'),
        (9, "pip install torch-foo", 'Needed first: "pip install torch-foo" is a pip command'),
        (10, "1.9.1,abc", 'PyTorch: "abc" is not a version'),
        (10, "1.10", "PyTorch: data/releases.yaml has no release 1.10; did you mean"),
    ],
)
def test_an_answer_is_refused_under_the_name_of_its_question(
    root: Path, place: int, wrong: str, told: str
) -> None:
    typed = [*TYPED[:place], wrong, *TYPED[place:], ""]
    result = asked(root, "\n".join(typed))
    assert result.exit_code == 0, result.output
    assert f"Error: {told}" in result.output


def test_a_prompt_names_no_option(root: Path) -> None:
    said = asked(root, "\n".join([*TYPED, ""])).output.partition("Wrote ")[0]
    assert "--" not in said


@pytest.mark.parametrize("release", ["1.10", "1.99.0", "2.15"])
def test_without_a_command_a_release_is_checked_at_once(root: Path, release: str) -> None:
    before = read_tree(root)
    without = dict.fromkeys(("command", "os", "arch", "python"))
    given = flags(**without, needs="Foo driver 5", torch=release)
    said = refused(root, before, run(root, "foo", *given))
    assert f"torch: data/releases.yaml has no release {release}; " in said


@pytest.mark.parametrize("answers", range(len(TYPED)))
def test_an_interruption_at_any_question_writes_nothing(answers: int, root: Path) -> None:
    before = read_tree(root)
    typed = "".join(f"{line}\n" for line in TYPED[:answers])  # then the input ends, as with Ctrl-D
    done = asked(root, typed)
    refused(root, before, done)
    assert (done.exit_code, done.stderr) == (130, "\nCanceled. Nothing was written.\n")


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_a_command_that_was_interrupted_is_completed_by_the_same_command(
    number: int, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["foo", *flags(maintainer="somebody")]
    before, calls = read_tree(root), iter(range(9))

    def interrupted(path: Path, text: str) -> None:
        if next(calls) == number:
            raise KeyboardInterrupt
        write_text_atomically(path, text)

    monkeypatch.setattr(generated_files, "write_text_atomically", interrupted)
    stopped = run(root, *options)
    assert (stopped.exit_code, read_tree(root) == before) == (130, number == 0)
    assert not (root / "accelerators/foo").exists()
    monkeypatch.undo()
    done = run(root, *options)
    assert done.exit_code == 0, done.output
    platform(root)
    assert "/accelerators/foo/ @somebody\n" in read_tree(root)[".github/CODEOWNERS"]


def test_without_a_terminal_all_that_is_missing_is_named_at_once(root: Path) -> None:
    before = read_tree(root)
    said = refused(root, before, run(root, "foo", typed=""))
    missing = [line.split(" is missing")[0] for line in said.splitlines() if " is missing" in line]
    assert missing == [
        "name", "vendor", "url", "device", "dispatch-key", "package", "import", "torch", "support"
    ]  # fmt: skip
    assert "Error: 9 answers missing. Nothing was written" in said
    assert "add --torch: supported PyTorch releases: the newest is 1.10.0" in said


def test_each_missing_flag_is_an_option(root: Path) -> None:
    said = run(root, "foo").output
    options = set(re.findall(r"add (--[a-z-]+)", said))
    helped = run(root, "--help").output
    assert options
    assert all(option in helped for option in options)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"name": "example"}, 'the name "example" is already claimed by accelerators/example/'),
        ({"name": "\uff25xamp1e"}, "has letters that look like Latin letters; write it in Latin"),
        ({"name": "Examp1e"}, 'name: "Examp1e" looks like "example" of accelerators/example/'),
        ({"vendor": "F\u043eo"}, "has Cyrillic and Latin letters in one word; use one alphabet"),
        ({"name": "a\u202eb"}, "name: the character U+202E is not allowed in text"),
        ({"url": "http://example.org"}, 'url: "http://example.org" is not a web address with https; write https://'),
        ({"torch": "1.10.0.0.x"}, 'torch[1]: "1.10.0.0.x" is not a version'),
        ({"command": "curl x | sh"}, 'command: "curl x | sh" is not a pip install command; use pip install'),
        ({"command": "pip install torch-foo -r x"}, 'the option "-r" is not supported in a step'),
        ({"command": "pip install a --index-url http://x"}, "is not a web address with https"),
        ({"command": "pip install {torch}"}, "command: a placeholder in braces"),
        ({"command": "pip install torch==1.10.0 torch-foo", "torch": "1.9.1"},
         'torch: the command installs torch 1.10.0; write "1.10.0"'),
        ({"command": "pip install torch==9.9 torch-foo", "torch": None}, "torch is missing; add --torch"),
        ({"python": None}, "python is missing; add --python"),
        ({"command": "pip install torch==1.10.0 torch-foo==1.2"},
         "plugin-version is missing; add --plugin-version"),
        ({"plugin_version": "1.2,1.1,1.0"}, "3 versions for 2 releases"),
        ({"plugin_version": "1.3"}, 'plugin-version: the command installs torch-foo 1.2; write "1.2"'),
        ({"device": "EX"}, 'device: "EX" is not a device string; write the device type in lowercase'),
        ({"dispatch-key": "privateuse1"}, 'is not known; write "PrivateUse1"'),
        ({"maintainer": "@alice"}, '"@alice" has more than the name; write "alice"'),
        ({"github": "https://github.com/foo/bar.git"}, 'has more than the name; write "foo/bar"'),
        ({"arch": "arm64"}, '"arm64" is not known; write "aarch64"'),
        ({"github": "nobody"}, 'github: "nobody" is not a repository; write owner/name'),
        ({"vendor": "\udcff"}, "vendor: the text is not UTF-8; write it as UTF-8 text"),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)  # fmt: skip
def test_what_cannot_stand_is_refused_in_plain_words(
    changed: dict[str, str | None], words: str, root: Path
) -> None:
    before = read_tree(root)
    assert words in refused(root, before, run(root, "foo", *flags(**changed)))


@pytest.mark.parametrize(
    ("flag", "text", "line"),
    [
        ("name", "<b>", "name: Example"),
        ("mark", "ABC", "mark: EX"),
        ("vendor", "a" * 401, "vendor: Example Vendor"),
        ("url", "ftp://x", "url: https://example.org/made-up"),
        ("import", "a-b", "import: torch_example"),
        ("package", "-a", "package: {name: torch-example"),
        ("summary", "s" * 161, "summary: Example data for the tests, no such hardware exists."),
    ],
)
def test_a_refusal_has_the_words_of_the_check(
    flag: str, text: str, line: str, tmp_path: Path
) -> None:
    path = "accelerators/example/accelerator.yaml"
    key = re.match(r"(package: .)?\w+: ", line)
    assert key
    edit = (path, line, f"{key[0]}{text}")
    (problem, *_) = problems_in(write_tree(tmp_path / "wrong", edited(edit)))
    words = problem.split(": ", 2)[2]
    said = run(
        write_tree(tmp_path / "right", {**EXAMPLE, **FORMS}),
        "foo",
        *flags(**{flag: text.strip("'")}),
    )
    assert f"{flag}: {words}\n" in said.output


@pytest.mark.parametrize(
    ("id_", "words"),
    [
        ("example", "accelerators/example already exists; edit that folder"),
        ("ex-ample", '"ex-ample" looks like "example" of accelerators/example/accelerator.yaml'),
        ("Foo", '"Foo" cannot be an id; use lowercase letters and digits'),
        ("f\u043e\u043e", "cannot be an id"),  # Cyrillic
        ("../foo", "cannot be an id"),
        ("foo\n", "cannot be an id"),
        ("index", '"index" is a reserved name; choose another name'),
        ("con", '"con" is a reserved name; choose another name'),
        ("f" * 10_000, "the ID has more than 40 characters; shorten it"),
        ("left-over", "accelerators/left-over already exists"),
    ],
)
def test_an_id_is_new_and_plain(id_: str, words: str, root: Path) -> None:
    (root / "accelerators/.left-over").mkdir()
    if id_ == "left-over":
        (root / "accelerators/left-over").mkdir()
    before = read_tree(root)
    said = run(root, id_, *flags())
    if id_ == "left-over":  # a folder without files is a problem of the repository
        assert "file not found" in refused(root, before, said)
    else:
        assert words in refused(root, before, said)


def test_what_is_next_is_told_by_file_and_line(root: Path) -> None:
    said = run(root, "foo", *flags()).stdout
    places = re.findall(r"^(accelerators/foo/\S+?):(\d+): (.*)$", said, re.MULTILINE)
    assert len(places) > 8
    for path, number, words in places:
        line = (root / path).read_text("utf-8").split("\n")[int(number) - 1]
        assert line == f"# Next: {words}"


def test_owners_and_forms_follow(root: Path) -> None:
    result = run(root, "foo", *flags(maintainer="a,b-c"))
    assert result.exit_code == 0, result.output
    files = read_tree(root)
    assert "/accelerators/foo/ @a @b-c\n" in files[".github/CODEOWNERS"]
    assert '"Foo (foo)"' in files[".github/ISSUE_TEMPLATE/wrong-fact.yml"]
    checked = CliRunner().invoke(main, ["owners", "--check", "--root", str(root)])
    assert checked.exit_code == 0


def test_a_broken_form_ends_the_command_before_the_first_question(root: Path) -> None:
    (root / ".github/ISSUE_TEMPLATE/wrong-fact.yml").write_text("body: []\n", "utf-8")
    said = refused(root, read_tree(root), asked(root, ""))
    assert said.startswith(".github/ISSUE_TEMPLATE/wrong-fact.yml:1: the form has no dropdown")
    assert "Press Enter" not in said


def test_without_a_command_something_else_is_said(root: Path) -> None:
    result = run(
        root, "foo", *flags(command=None, os=None, arch=None, python=None, needs="Foo driver 5")
    )
    assert result.exit_code == 0, result.output
    made = platform(root)
    assert made.install.options == ()
    assert [need.name for need in made.install.requires] == ["Foo driver 5"]
    assert (
        "The portal does not have an install command yet for the package"
        in made.guide.sections[1].text
    )


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"command": "pip install torch-foo --index-url https://new.example.org/x"},
         'install.yaml:14: "new.example.org" is not an allowed host for commands; add it to data/'),
        ({"package": "torch-first"}, 'package "torch-first" is already claimed'),
        ({"python": "3.9"}, "compatibility.yaml:"),
        ({"needs": "{newest:rubbish}"}, "install.yaml:8: "),
        ({"vendor": "\U0001f600"}, "accelerator.yaml:8: vendor: the character U+1F600"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)  # fmt: skip
def test_problems_are_those_of_the_check(changed: dict[str, str], words: str, root: Path) -> None:
    """The folder is written, so that no answer is lost, and the check judges it."""
    other = copied("first", (ACCELERATOR, "in-tree", "out-of-tree"),
                   (ACCELERATOR, "name: torch-example", "name: torch-first"))  # fmt: skip
    write_tree(root, other)
    result = run(root, "foo", *flags(**changed))
    assert (result.exit_code, "Traceback" in result.output) == (1, False)
    problems = [line for line in problems_in(root) if line.startswith("accelerators/foo/")]
    assert problems
    assert "\n".join(["then run `make owners check`:", *problems, ""]) in result.stdout
    assert words in result.stdout


def test_a_shared_device_is_a_warning(tree: Tree) -> None:
    path = "accelerators/example/accelerator.yaml"
    files = {**EXAMPLE, **FORMS, path: EXAMPLE[path].replace("note: Made up., ", "")}
    result = run(tree(files), "foo", *flags(device="ex"))
    assert result.exit_code == 0, result.output
    for place, name in ((f"{path}:13", "Foo"), ("accelerators/foo/accelerator.yaml:20", "Example")):
        words = f'the device "ex" is also used by {name}; explain in device.note'
        assert f"{place}: {words}" in result.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["Foo_X", *flags()],
        ["example", *flags()],
        ["foo", "--entry", "x", *flags()],
        ["foo", *flags(mark="ABC")],
        ["foo", *flags(device=None)],
        ["foo", *flags(host_owner="x")],
    ],
)
def test_a_wrong_argument_is_wrong_usage(words: list[str], root: Path) -> None:
    result = run(root, *words)
    refused(root, read_tree(root), result)
    assert result.exit_code == 2


def test_a_repository_with_problems_is_mended_first(root: Path) -> None:
    (root / "accelerators/example/faq.md").unlink()
    before = read_tree(root)
    said = refused(root, before, run(root, "foo", *flags()))
    assert "accelerators/example/faq.md:1: file not found" in said
