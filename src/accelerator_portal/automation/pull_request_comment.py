"""The one comment on a pull request: what readers will see differently, and whose folders it is."""

from __future__ import annotations

from collections.abc import Sequence

from accelerator_portal.automation.events import PullRequestRun
from accelerator_portal.automation.sanitizer import faults
from accelerator_portal.site.difference import Difference, markdown
from accelerator_portal.site.difference.harmless import span

MARKER = "<!-- accelerator-portal:diff -->"

_ABOUT = (
    "Built from commit {commit} by {run}. The artifact {preview} is a preview of the site. "
    "The content comes from the pull request and has not been reviewed."
)
_FAILED = (
    "Commit {commit} did not pass the check or the strict build, so there is no comparison. "
    "{run} lists every problem by file and line."
)
_UNREADABLE = (
    "The comparison cannot be shown, because its format is not supported. This happens if the pull "
    "request changes that format."
)


class HarmfulError(ValueError):
    """A comment that must not be posted; the message says why."""


def difference_comment(
    run: PullRequestRun, difference: Difference | None, notices: Sequence[str]
) -> str:
    """Return the comment on a commit that was built; no difference: it could not be read.

    Raises HarmfulError where something would do more on GitHub than be read.
    """
    said = markdown(difference) if difference else _UNREADABLE
    first, _, rest = said.partition("\n")
    about = _ABOUT.format(**_places(run), preview="`preview`")
    return _checked(run, [first, _list(notices), rest.strip(), about])


def failure_comment(run: PullRequestRun) -> str:
    """Return the comment on a commit that could not be built."""
    return _checked(run, [_FAILED.format(**_places(run))])


def _places(run: PullRequestRun) -> dict[str, str]:
    return {"commit": span(run.head_sha[:12]), "run": f"[this run]({run.address})"}


def _list(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _checked(run: PullRequestRun, parts: Sequence[str]) -> str:
    text = "\n\n".join([MARKER, *filter(None, parts)]) + "\n"
    if found := faults(text, MARKER, [run.address]):
        raise HarmfulError(f"comment not posted: {'; '.join(found[:5])}")
    return text
