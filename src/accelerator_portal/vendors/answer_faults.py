"""Finds faults in a vendor's answers to the questions about a new platform.

For example, an answer can contradict another answer, an existing platform or PyTorch's releases.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.install_steps import Step
from accelerator_portal.checks.look_alike_names import (
    alphabet_faults,
    claimed_fault,
    name_fault,
    skeleton,
)
from accelerator_portal.install.commands import command_lines
from accelerator_portal.install.pip_command import pip_steps
from accelerator_portal.install.shell_quotes import UnquotableError
from accelerator_portal.vendors.draft import PlatformCase
from accelerator_portal.vendors.draft_from_entry import pinned_version, step_requirements
from accelerator_reports.files.folder_name import folder_fault
from accelerator_reports.files.problem import did_you_mean
from accelerator_reports.files.wording import count

AnswerFault = tuple[str, str] | None
"""Two texts about a wrong answer: what is wrong, and the fix. None if the answer is not wrong."""


def answer_fault(case: PlatformCase, flag: str, value: Any) -> AnswerFault:  # noqa: ANN401 - each question has its kind
    """Return what is wrong with an answer to the question `flag`, and the fix, or None.

    `value` is the answer, as `read_answer` returns it. For example, an answer is wrong if it mixes
    alphabets, or if it contradicts another answer in `case` or the catalog.
    """
    if isinstance(value, str) and (what := next(alphabet_faults(value), None)):
        return what, "use one alphabet"
    find_fault = _FAULT_FINDERS.get(flag)
    return find_fault(case, value) if find_fault else None


def id_fault(catalog: Catalog, folders: Collection[str], new: str) -> AnswerFault:
    """Return why `new` cannot be the id of a new platform, and the fix. None if the id is valid.

    `folders` are the names of all existing folders, including folders that have problems.
    """
    if format_fault := folder_fault(new):
        return format_fault
    if new in folders:
        return f"accelerators/{new} already exists", "edit that folder, or choose another ID"
    return _similar_name_fault(catalog, new)


def _name_answer_fault(case: PlatformCase, value: str) -> AnswerFault:
    for platform in case.catalog.platforms:
        if platform.accelerator.name.casefold() == value.casefold():
            return claimed_fault("name", value, platform)
    return name_fault(value) or _similar_name_fault(case.catalog, value)


def _similar_name_fault(catalog: Catalog, name: str) -> AnswerFault:
    for platform in catalog.platforms:
        for other_name in (platform.id, platform.accelerator.name):
            if skeleton(other_name) == skeleton(name):
                path = platform.path("accelerator.yaml")
                return f'"{name}" looks like "{other_name}" of {path}', "choose another name"
    return None


def _package_fault(case: PlatformCase, value: str) -> AnswerFault:
    """Return a fault if an existing out-of-tree platform has the package `value`, else None.

    The package torch is not checked here, because in-tree platforms share it. If the new platform
    is out-of-tree, `_integration_fault` checks the package torch.
    """
    return None if canonicalize_name(value) == "torch" else _claimed_package_fault(case, value)


def _integration_fault(case: PlatformCase, value: str) -> AnswerFault:
    return (
        _claimed_package_fault(case, case.value("package") or "")
        if value == "out-of-tree"
        else None
    )


def _claimed_package_fault(case: PlatformCase, package: str) -> AnswerFault:
    for platform in case.catalog.platforms:
        platform_package = canonicalize_name(platform.accelerator.package.name)
        if not platform.in_tree and platform_package == canonicalize_name(package):
            return claimed_fault("package", package, platform)
    return None


def _command_fault(case: PlatformCase, value: str) -> AnswerFault:
    for host in case.unlisted_hosts_in(pip_steps(value)):
        if not re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9-]+)+", host):
            return f'"{host}" is not a full host name', "use a format like pypi.example.org"
    version = pinned_version(pip_steps(value), "torch")
    return _unknown_release(case, version.partition("+")[0]) if version else None


def _torch_fault(case: PlatformCase, values: tuple[str, ...]) -> AnswerFault:
    if not case.steps:  # without a command, releases may be older than all listed releases
        oldest = min(map(Version, case.catalog.releases.by_version))
        values = tuple(value for value in values if Version(value) >= oldest)
    release_fault = next(filter(None, (_unknown_release(case, value) for value in values)), None)
    if release_fault or not case.steps:
        return release_fault
    version = pinned_version(case.steps, "torch")
    if version and version.partition("+")[0] not in values:
        return f"the command installs torch {version}", f'write "{version}"'
    return None


def _plugin_version_fault(case: PlatformCase, values: tuple[str, ...]) -> AnswerFault:
    releases: tuple[str, ...] = case.value("torch") or ()
    if len(values) not in {1, len(releases)}:
        what = f"{count(len(values), 'version')} for {count(len(releases), 'release')}"
        return what, f"enter one version for all, or one for each of {', '.join(releases)}"
    package = canonicalize_name(case.value("package") or "")
    for requirement in step_requirements(case.steps):
        is_pinned = any(pin.operator in {"==", "==="} for pin in requirement.specifier)
        if canonicalize_name(requirement.name) == package and is_pinned:
            if any(requirement.specifier.contains(v, prereleases=True) for v in values):
                continue
            return (
                f'the command installs "{requirement}"',
                "enter the version that the command installs",
            )
    return None


def _unknown_release(case: PlatformCase, version: str) -> AnswerFault:
    release_by_version = case.catalog.releases.by_version
    if version in release_by_version:
        return None
    return f"{RELEASES} has no release {version}", did_you_mean(version, release_by_version)


def _os_fault(case: PlatformCase, values: tuple[str, ...]) -> AnswerFault:
    steps = tuple(Step.model_validate(step) for step in case.steps)
    try:
        for os in values:
            command_lines(steps, "pip", os, {})  # type: ignore[arg-type] # of the question's kind
    except UnquotableError as error:
        what = f"{str(error)!r} cannot be quoted for PowerShell and cmd alike"
        return what, "remove windows, or write the command without these characters"
    return None


def _python_fault(case: PlatformCase, values: tuple[str, ...]) -> AnswerFault:
    for version in case.value("torch") or ():
        release = case.catalog.releases.by_version.get(version)
        if case.steps and release and not set(values) & set(release.python):
            what = f"torch {version} has no wheels for any of these Python versions"
            return what, f"use one of: {', '.join(release.python)}"
    return None


_FAULT_FINDERS: dict[str, Callable[[PlatformCase, Any], AnswerFault]] = {
    "name": _name_answer_fault,
    "package": _package_fault,
    "integration": _integration_fault,
    "command": _command_fault,
    "torch": _torch_fault,
    "plugin-version": _plugin_version_fault,
    "os": _os_fault,
    "python": _python_fault,
}
