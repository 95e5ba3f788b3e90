"""GitHub's API, by the command `gh`.

GitHub's machines have it, it follows the redirects of downloads, and it takes its token from
GH_TOKEN by itself: no code of the portal ever holds a token that writes.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")

_A_PAGE = 100
_MOST_PAGES = 30
_SECONDS = 120


class GitHubError(RuntimeError):
    """GitHub refused, or answered what nobody can read; the message says what was asked."""


class Api(Protocol):
    """What is needed of GitHub's API; paths have no leading slash."""

    def get(self, path: str) -> bytes:
        """Return what stands at a path."""

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> None:
        """Send a body."""


@dataclass(frozen=True, slots=True)
class GhCommand:
    """GitHub's API by `gh api`."""

    program: str = "gh"

    def get(self, path: str) -> bytes:
        """Return what stands at a path. Raises GitHubError."""
        return self._run(path, "--method", "GET")

    def send(self, method: str, path: str, body: Mapping[str, Any]) -> None:
        """Send a body as JSON. Raises GitHubError."""
        self._run(path, "--method", method, "--input", "-", body=json.dumps(body).encode())

    def _run(self, path: str, *options: str, body: bytes | None = None) -> bytes:
        try:
            done = subprocess.run(
                [self.program, "api", path, *options],
                input=body,
                stdin=subprocess.DEVNULL if body is None else None,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise GitHubError(f"{path}: gh did not answer ({type(error).__name__})") from None
        if done.returncode:
            words = done.stderr.decode(errors="replace").strip().splitlines()[:1]
            raise GitHubError(f"{path}: {''.join(words) or 'gh failed'}")
        return done.stdout


def read(api: Api, path: str, model: type[M]) -> M:
    """Return the record at a path. Raises GitHubError."""
    return _parsed(path, api.get(path), TypeAdapter(model))


def read_all(api: Api, path: str, model: type[M]) -> Iterator[M]:
    """Yield every record of a list, which GitHub gives page by page. Raises GitHubError."""
    listed: TypeAdapter[list[M]] = TypeAdapter(list[model])  # type: ignore[valid-type] # at run time
    for page in range(1, _MOST_PAGES + 1):
        place = f"{path}?per_page={_A_PAGE}&page={page}"
        found = _parsed(place, api.get(place), listed)
        yield from found
        if len(found) < _A_PAGE:
            return


def _parsed(path: str, answer: bytes, adapter: TypeAdapter[T]) -> T:
    try:
        return adapter.validate_json(answer)
    except ValidationError:
        raise GitHubError(f"{path}: the answer has another form than expected") from None
