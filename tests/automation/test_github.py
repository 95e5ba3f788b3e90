from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_portal.automation.events import Comment
from accelerator_portal.automation.github import GhCommand, GitHubError, read, read_all
from tests.automation.made_up import MadeUpGitHub


def gh(folder: Path, script: str) -> GhCommand:
    """A program that stands for gh."""
    file = folder / "gh"
    file.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    file.chmod(0o755)
    return GhCommand(str(file))


def test_it_asks_and_returns_the_bytes(tmp_path: Path) -> None:
    assert gh(tmp_path, 'echo "$@"').get("repos/a/b") == b"api repos/a/b --method GET\n"


def test_it_sends_json_by_standard_input(tmp_path: Path) -> None:
    api = gh(tmp_path, f'echo "$@" > {tmp_path}/words; cat > {tmp_path}/body')
    api.send("PATCH", "repos/a/b", {"body": '`$(x)` "y"'})
    assert (tmp_path / "words").read_text() == "api repos/a/b --method PATCH --input -\n"
    assert (tmp_path / "body").read_text() == '{"body": "`$(x)` \\"y\\""}'


def test_a_refusal_is_told_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(GitHubError, match=r"^repos/a: gh: Not Found \(HTTP 404\)$"):
        gh(tmp_path, 'echo "gh: Not Found (HTTP 404)" >&2; echo more >&2; exit 1').get("repos/a")


def test_without_gh_that_is_said() -> None:
    with pytest.raises(GitHubError, match="gh did not answer"):
        GhCommand("no-such-program-here").get("repos/a")


@pytest.mark.parametrize("answer", ["", "{", "[]", '{"id": 0, "user": null}'])
def test_another_form_is_refused(tmp_path: Path, answer: str) -> None:
    with pytest.raises(GitHubError, match="another form"):
        read(gh(tmp_path, f"echo '{answer}'"), "repos/a", Comment)


def test_a_list_without_end_is_not_read_without_end() -> None:
    class Endless(MadeUpGitHub):
        asked = 0

        def get(self, path: str) -> bytes:
            assert path.startswith("x?per_page=100&page=")
            self.asked += 1
            return b"[" + b",".join([b'{"id": 1, "user": null}'] * 100) + b"]"

    api = Endless({})
    assert len(list(read_all(api, "x", Comment))) == 100 * api.asked
    assert api.asked == 30
