"""Posts a comment on a pull request of this repository that lists the changes of the site.

This module reads the artifact of the pull request's workflow run after the run has ended. The run
executed the pull request's own code, so its author controls the content of the artifact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from accelerator_automation.github.api import Api, read_all_pages, read_response
from accelerator_automation.github.comments import (
    BOT,
    Maintainers,
    changed_platforms,
    notices,
    own_comment,
    put_comment,
    require_harmless,
)
from accelerator_automation.github.models import (
    Artifacts,
    ChangedFile,
    PullRequest,
    PullRequestRun,
)
from accelerator_automation.github.zip_members import ArtifactError, read_members
from accelerator_portal.catalog.markdown_file import code_span
from accelerator_portal.site.difference import Difference, markdown
from accelerator_reports.file_reading import parse_json

MARKER = "<!-- accelerator-portal:diff -->"

ARTIFACT_NAME = "difference"
MOST_ARTIFACT_BYTES = 4 * 1024 * 1024

_NUMBER_FILE = "number"
_DIFFERENCE_FILE = "difference.json"
_MOST_UNPACKED = 8 * 1024 * 1024
_NUMBER_PATTERN = re.compile(r"[1-9][0-9]{0,8}\n?")

_ABOUT_TEMPLATE = (
    "Built from commit {commit} by {run}. The artifact {preview} is a preview of the site. "
    "The content comes from the pull request and has not been reviewed."
)
_FAILED_TEMPLATE = (
    "Commit {commit} did not pass the check or the strict build, so there is no comparison. "
    "{run} lists every problem by file and line."
)
_UNREADABLE_TEXT = (
    "The comparison cannot be shown, because its format is not supported. This happens if the pull "
    "request changes that format."
)


@dataclass(frozen=True, slots=True)
class Artifact:
    """The content of a run's artifact: the pull request's number and the changes of the site."""

    number: int
    difference: Difference | None
    """The changes of the site. None if the artifact has no comparison, or if this portal cannot
    read its format, for example because the pull request changes the format."""


def post_comment(api: Api, run: PullRequestRun, base: Maintainers) -> str:
    """Post or update the comment on a pull request; return a sentence that says what was done.

    If the run failed, only an existing comment is updated. `base` has the GitHub logins of each
    platform's maintainers in the base commit, because a pull request can change the maintainers.
    Raises GitHubError. Raises HarmfulError if the comment must not be posted.
    """
    ci_run = run.workflow_run
    if ci_run.event != "pull_request" or ci_run.conclusion not in {"success", "failure"}:
        return f"No comment needed for a run of {ci_run.event} that ended as {ci_run.conclusion}."
    try:
        artifact = _artifact(api, run)
    except ArtifactError as error:
        return f"No comment posted: {error}."
    home = run.repository.full_name
    pull = read_response(api, f"repos/{home}/pulls/{artifact.number}", PullRequest)
    if reason := _reason_not_to_post(run, pull):
        return f"No comment posted: {reason}."
    comment = own_comment(api, home, pull.number, BOT, MARKER)
    if ci_run.conclusion == "success":
        sentences = _notices(api, home, pull, base)
        text = difference_comment(run, artifact.difference, sentences)
    elif comment:
        text = failure_comment(run)
    else:
        return "No comment posted: the run failed, and its check shows the failure."
    return put_comment(api, home, pull.number, comment, text)


def _reason_not_to_post(run: PullRequestRun, pull: PullRequest) -> str | None:
    """Return the reason not to post a run's comment on a pull request, or None.

    `pull` is the pull request that the run's artifact names. Because the artifact can be forged,
    the pull request must be open and target this repository, and its newest commit must be the
    commit of the run.
    """
    home, source = run.repository.full_name, run.workflow_run.head_repository
    if pull.base.repo is None or pull.base.repo.full_name != home:
        return f"pull request {pull.number} does not target this repository"
    if pull.state != "open":
        return f"pull request {pull.number} is closed"
    if source is None or pull.head.repo is None or pull.head.repo.full_name != source.full_name:
        return f"pull request {pull.number} comes from a different repository than the run"
    if pull.head.sha != run.head_sha:
        return f"pull request {pull.number} has a newer commit than the run"
    return None


def _artifact(api: Api, run: PullRequestRun) -> Artifact:
    actions_path = f"repos/{run.repository.full_name}/actions"
    page = read_response(
        api, f"{actions_path}/runs/{run.workflow_run.id}/artifacts?per_page=100", Artifacts
    )
    artifacts = [a for a in page.artifacts if a.name == ARTIFACT_NAME and not a.expired]
    if len(artifacts) != 1:
        raise ArtifactError(f"the run has {len(artifacts)} artifacts with the name {ARTIFACT_NAME}")
    if artifacts[0].size_in_bytes > MOST_ARTIFACT_BYTES:
        raise ArtifactError(f"the artifact has more than {MOST_ARTIFACT_BYTES:,} bytes")
    return read_artifact(
        api.download(f"{actions_path}/artifacts/{artifacts[0].id}/zip", MOST_ARTIFACT_BYTES)
    )


def _notices(api: Api, home: str, pull: PullRequest, base: Maintainers) -> list[str]:
    files = list(read_all_pages(api, f"repos/{home}/pulls/{pull.number}/files", ChangedFile))
    paths = [path for f in files for path in (f.filename, f.previous_filename) if path]
    return notices(base, changed_platforms(paths), pull.user.login if pull.user else "ghost")


def read_artifact(archive: bytes) -> Artifact:
    """Read the zip archive of an artifact. Raises ArtifactError."""
    members = read_members(
        archive, {_NUMBER_FILE: 20, _DIFFERENCE_FILE: _MOST_UNPACKED}, MOST_ARTIFACT_BYTES
    )
    try:
        texts = {name: data.decode() for name, data in members.items()}
    except UnicodeDecodeError:
        raise ArtifactError("the archive cannot be read") from None
    number, difference = texts.get(_NUMBER_FILE), texts.get(_DIFFERENCE_FILE)
    if number is None or not _NUMBER_PATTERN.fullmatch(number):
        raise ArtifactError("the archive contains no pull request number")
    return Artifact(int(number), _parse_difference(difference) if difference is not None else None)


def _parse_difference(text: str) -> Difference | None:
    try:
        return Difference.model_validate(parse_json(text))
    except (ValueError, RecursionError):
        return None


def difference_comment(
    run: PullRequestRun, difference: Difference | None, notices: Sequence[str]
) -> str:
    """Return the comment for a commit that was built.

    `difference` has the changes of the site. If `difference` is None, the comment says that the
    comparison cannot be shown. `notices` are sentences about changed folders that the author does
    not maintain. Raises HarmfulError.
    """
    changes = markdown(difference) if difference else _UNREADABLE_TEXT
    heading, _, rest = changes.partition("\n")
    about = _ABOUT_TEMPLATE.format(**_template_values(run), preview="`preview`")
    notice_list = "\n".join(f"- {notice}" for notice in notices)
    return _checked_comment(run, [heading, notice_list, rest.strip(), about])


def failure_comment(run: PullRequestRun) -> str:
    """Return the comment for a commit that could not be built. Raises HarmfulError."""
    return _checked_comment(run, [_FAILED_TEMPLATE.format(**_template_values(run))])


def _template_values(run: PullRequestRun) -> dict[str, str]:
    return {"commit": code_span(run.head_sha[:12]), "run": f"[this run]({run.address})"}


def _checked_comment(run: PullRequestRun, parts: Sequence[str]) -> str:
    text = "\n\n".join([MARKER, *filter(None, parts)]) + "\n"
    require_harmless("comment", text, MARKER, [run.address])
    return text
