"""A repository on GitHub that is made up, with one pull request and the run for it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

from accelerator_automation.github.api import GitHubError
from accelerator_automation.github.comments import BOT
from accelerator_automation.github.models import PullRequestRun
from accelerator_automation.site_change_comment import ARTIFACT_NAME, MARKER

HOME = "example/portal"
FORK = "vendor/portal"
HEAD = "1234567890" * 4
RUN = 77
NUMBER = 5
RUN_PAGE = f"https://github.com/{HOME}/actions/runs/{RUN}"
NO_DIFFERENCE = {"schema_version": 2}


def run(**changed: object) -> PullRequestRun:
    """The event that a run ended; other values for its keys."""
    ended = {
        "id": RUN,
        "event": "pull_request",
        "conclusion": "success",
        "head_sha": HEAD,
        "head_branch": "any",
        "head_repository": {"full_name": FORK},
    }
    home = {"full_name": HOME, "html_url": f"https://github.com/{HOME}"}
    return PullRequestRun.model_validate({"workflow_run": ended | changed, "repository": home})


def pull(**changed: object) -> dict[str, object]:
    """The pull request as GitHub gives it; other values for its keys."""
    return {
        "number": NUMBER,
        "state": "open",
        "user": {"login": "somebody"},
        "head": {"sha": HEAD, "repo": {"full_name": FORK}},
        "base": {"sha": "f" * 40, "repo": {"full_name": HOME}},
        **changed,
    }


def archive(files: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as members:
        for name, content in files.items():
            members.writestr(name, content)
    return packed.getvalue()


def comment(id_: int, body: str = f"{MARKER}\n\nold", login: str = BOT) -> dict[str, object]:
    """A comment as GitHub gives it."""
    return {"id": id_, "user": {"login": login}, "body": body}


class MadeUpGitHub:
    """Answers as GitHub does and keeps what is sent to it."""

    def __init__(
        self,
        files: Mapping[str, str | bytes] | bytes,
        *,
        changed: tuple[str, ...] = (),
        comments: tuple[dict[str, object], ...] = (),
        pulls: dict[int, dict[str, object]] | None = None,
        artifact: Mapping[str, object] | None = None,
    ) -> None:
        entry = {"id": 9, "name": ARTIFACT_NAME, "size_in_bytes": 1000, "expired": False}
        self.answers: dict[str, Any] = {
            f"repos/{HOME}/actions/runs/{RUN}/artifacts": {
                "artifacts": [{**entry, **(artifact or {})}, entry | {"name": "preview"}]
            },
            f"repos/{HOME}/actions/artifacts/9/zip": (
                files if isinstance(files, bytes) else archive(files)
            ),
            f"repos/{HOME}/pulls/{NUMBER}/files": [{"filename": name} for name in changed],
            f"repos/{HOME}/issues/{NUMBER}/comments": list(comments),
        }
        for number, found in (pulls or {NUMBER: pull()}).items():
            self.answers[f"repos/{HOME}/pulls/{number}"] = found
        self.sent: list[tuple[str, str, str]] = []

    def get(self, path: str) -> bytes:
        """Answer, lists page by page."""
        bare, _, query = path.partition("?")
        if bare not in self.answers:
            raise GitHubError(f"{path}: Not Found")
        answer = self.answers[bare]
        if isinstance(answer, bytes):
            return answer
        if isinstance(answer, list):
            page = int(query.rpartition("page=")[2])
            answer = answer[100 * (page - 1) : 100 * page]
        return json.dumps(answer).encode()

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> bytes:
        """Keep what is sent."""
        self.sent.append((method, path, body["body"]))
        return b"{}"

    def download(self, path: str, most: int) -> bytes:
        """Answer with a file."""
        found = self.get(path)
        assert len(found) <= most
        return found


def left(difference: object = NO_DIFFERENCE, number: str = f"{NUMBER}\n") -> dict[str, str]:
    """What the run leaves."""
    return {"number": number, "difference.json": json.dumps(difference), "difference.md": "@all"}
