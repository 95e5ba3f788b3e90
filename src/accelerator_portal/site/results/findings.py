"""Describes for readers whether the versions in install commands exist and were installed.

The verdict on an install command is the stored result of its verification. A finding is the text
and kind that readers see, for one Python version. It states, for example, whether the versions were
found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.message import join_sentences, message
from accelerator_portal.install.rows import PREVIEW, Finding, InstallRow, row_key
from accelerator_portal.packages.uv_resolution import FREE_THREADED, RESOLVED_METHODS
from accelerator_portal.packages.verdict_file import (
    Verdict,
    Verdicts,
    read_verdicts,
    verdict_row_key,
)
from accelerator_portal.packages.verification import NO_ANSWER
from accelerator_portal.site.text_formats import python_range
from accelerator_reports.files.fields import StrictModel
from accelerator_reports.files.problem import ProblemsError


class FindingShares(StrictModel):
    """The number of install commands with each verification result.

    A command counts once for each of its Python versions.
    """

    installed: int
    """Commands that ran in a fresh environment, and whose packages were imported."""
    found: int
    """Commands for which versions were found."""
    none: int
    """Commands for which no matching versions exist."""
    named: int
    """Commands that have no lookup result, but whose version a document names."""
    unchecked: int
    """Commands for which it is unknown whether matching versions exist, and no document names the
    version. They do not use pip or uv, were not looked up yet, or the package index did not
    answer."""


class FindingsData(StrictModel):
    """The verification results of install commands, as counts for each platform."""

    platforms: dict[str, FindingShares]
    """The numbers for each platform with install commands, by platform id."""


# Images, archives and source code are on no package index.
OTHER_COMMANDS_REASON = message("Not checked: contains other commands than pip and uv.")
NOT_YET_CHECKED = message("Not checked yet.")


def read_all_verdicts(catalog: Catalog, root: Path) -> dict[str, Verdicts]:
    """Return the stored verdicts on install commands, by platform id.

    Platforms without verdicts are omitted, and platforms whose file is invalid: the site states
    that their commands are not checked. `root` is the folder of the repository.
    """
    verdicts_by_platform: dict[str, Verdicts] = {}
    for platform in catalog.platforms:
        with suppress(ProblemsError):
            if verdicts := read_verdicts(root, platform.id):
                verdicts_by_platform[platform.id] = verdicts
    return verdicts_by_platform


def with_findings(
    rows: Iterable[InstallRow], verdicts: Mapping[str, Verdicts]
) -> tuple[InstallRow, ...]:
    """Return the install rows with their findings, one for each Python version of a row.

    A row that is for every Python version has a single finding. `verdicts` is the result of
    `read_all_verdicts`.
    """
    rows = tuple(rows)
    newest_by_group = _newest_found_releases(rows, verdicts)
    return tuple(
        _row_with_findings(row, verdicts.get(row.platform, {}), newest_by_group) for row in rows
    )


def _row_with_findings(
    row: InstallRow, verdicts: Verdicts, newest_by_group: Mapping[tuple[str, ...], str]
) -> InstallRow:
    verdict_by_python = verdicts.get(verdict_row_key(row), {})
    default_finding = _unresolved_finding(
        row, NOT_YET_CHECKED if row.method in RESOLVED_METHODS else OTHER_COMMANDS_REASON
    )
    advice = _alternative_advice(row, verdict_by_python, newest_by_group.get(row_key(row, "build")))
    python_verdicts = map(verdict_by_python.get, row.pythons or ("",))
    findings = tuple(
        _finding_of_verdict(row, v, advice) if v else default_finding for v in python_verdicts
    )
    return replace(row, findings=findings)


def _finding_of_verdict(row: InstallRow, verdict: Verdict, advice: str) -> Finding:
    day = f"{verdict.on:%Y-%m-%d}"
    if verdict.kind == "found":
        version_list = ", ".join(f"{name} {version}" for name, version in verdict.found.items())
        if verdict.trial is None:
            words_found = message(
                "Versions found on {day}: {versions}.", day=day, versions=version_list
            )
            return Finding("found", words_found)
        trial = verdict.trial
        trial_words = message(
            "Installed and imported on {day} with Python {python}: {versions}.",
            day=f"{trial.on:%Y-%m-%d}",
            python=trial.python,
            versions=version_list,
        )
        check_sentences = [message("The check passed, too.")] if trial.checked else []
        return Finding("installed", join_sentences([trial_words, *check_sentences]))
    if host := _unreachable_host(verdict):
        words = message(
            "Not checked on {day}: {host} could not be reached from where this was checked.",
            day=day,
            host=host,
        )
        return _unresolved_finding(row, words, host, message("Not checked on {day}.", day=day))
    why = (verdict.why or "").rstrip(".")
    if verdict.kind == "none":
        result_sentence = message("These versions did not resolve on {day}.", day=day)
        sentences = (result_sentence, advice, message("Reason: {reason}.", reason=why))
        return Finding("none", join_sentences(filter(None, sentences)))
    return _unresolved_finding(row, _unchecked_reason(day, _without_exception_names(why)))


def _unreachable_host(verdict: Verdict) -> str:
    host, no_answer, _ = (verdict.why or "").partition(f" {NO_ANSWER}")
    return host if verdict.kind == "unchecked" and no_answer and " " not in host else ""


def _unchecked_reason(day: str, why: str) -> str:
    if why == FREE_THREADED:
        return message(
            "Not checked on {day}: this site’s check does not cover free-threaded Python. "
            "The command may work.",
            day=day,
        )
    return message("Not checked on {day}: {reason}.", day=day, reason=why)


def _unresolved_finding(row: InstallRow, why: str, host: str = "", brief: str = "") -> Finding:
    """Return the finding for an install row whose versions were not resolved; `why` is the reason.

    `host` and `brief` are as in `Finding`. The kind of the finding is `named` if a source of the
    row names the version, else `unchecked`.
    """
    if row.named:
        source = message(
            "Version stated in “{title}”, read {day}.",
            title=row.named.title,
            day=f"{row.named.read:%Y-%m-%d}",
        )
        brief = join_sentences([brief, source]) if brief else ""
        return Finding("named", join_sentences([why, source]), host, brief)
    return Finding("unchecked", why, host, brief)


def _without_exception_names(why: str) -> str:
    return re.sub(r" \(\w+(Error|Timeout|Exception)\)", "", why)


def _alternative_advice(
    row: InstallRow, verdict_by_python: Mapping[str, Verdict], newest_release: str | None
) -> str:
    """Return what a reader can use instead of versions that were not found.

    If the versions of `row` were found for other Python versions, the text names these: `Use Python
    3.10–3.13.` Otherwise, it names `newest_release`: `Use PyTorch 2.14.1.` The text is empty if
    there is no alternative. `verdict_by_python` has the verdicts on `row` by Python version.
    """
    pythons = {python for python, verdict in verdict_by_python.items() if verdict.kind == "found"}
    if pythons:
        return message("Use Python {versions}.", versions=python_range(pythons))
    if newest_release and newest_release != row.build:
        return message("Use PyTorch {version}.", version=newest_release)
    return ""


def _newest_found_releases(
    rows: Iterable[InstallRow], verdicts: Mapping[str, Verdicts]
) -> dict[tuple[str, ...], str]:
    """Return the newest PyTorch release that can be installed, for each group of install rows.

    The rows of a group differ only in the release. The key of a group is the `row_key` of its rows
    without the axis `build`. A release counts if its versions were found for at least one Python
    version. Rows of nightly builds are ignored.
    """
    newest_by_group: dict[tuple[str, ...], str] = {}
    for row in rows:
        verdict_by_python = verdicts.get(row.platform, {}).get(verdict_row_key(row), {})
        if row.build == PREVIEW or not any(v.kind == "found" for v in verdict_by_python.values()):
            continue
        key = row_key(row, "build")
        newest_release = newest_by_group.get(key)
        if newest_release is None or Version(newest_release) < Version(row.build):
            newest_by_group[key] = row.build
    return newest_by_group


def findings_summary(rows: Iterable[InstallRow]) -> str:
    """Return the findings of install rows with the same commands, as one text without hosts.

    If the findings differ, the text names the Python versions for each finding. The text is empty
    if there are no findings.
    """
    pythons_by_words: dict[str, set[str]] = {}
    for row in rows:
        for python, finding in zip(row.pythons or ("",), row.findings, strict=False):
            if finding:
                words = finding.brief or finding.words
                pythons_by_words.setdefault(words, set()).add(python)
    if not pythons_by_words:
        return ""
    if len(pythons_by_words) == 1:
        return next(iter(pythons_by_words))
    return join_sentences(
        message(
            "Python {versions}: {finding}", versions=python_range(pythons), finding=finding_words
        )
        if pythons != {""}
        else finding_words
        for finding_words, pythons in pythons_by_words.items()
    )


def unreachable_hosts(rows: Iterable[InstallRow]) -> tuple[str, ...]:
    """Return the hosts that could not be reached when the commands of `rows` were checked."""
    return tuple(sorted({f.host for row in rows for f in row.findings if f and f.host}))


def finding_counts(rows: Iterable[InstallRow]) -> FindingsData:
    """Return the number of findings of each kind, by platform id.

    An install row has one finding for each of its Python versions.
    """
    counts_by_platform: dict[str, Counter[str]] = {}
    for row in rows:
        counts_by_platform.setdefault(row.platform, Counter()).update(
            f.kind for f in row.findings if f
        )
    return FindingsData(
        platforms={
            platform: _finding_shares(counts) for platform, counts in counts_by_platform.items()
        }
    )


def total_findings(data: FindingsData) -> FindingShares:
    """Return the number of findings of each kind on all platforms together."""
    counts: Counter[str] = Counter()
    for shares in data.platforms.values():
        counts.update(shares.model_dump())
    return _finding_shares(counts)


def _finding_shares(counts: Counter[str]) -> FindingShares:
    return FindingShares(**{kind: counts[kind] for kind in FindingShares.model_fields})
