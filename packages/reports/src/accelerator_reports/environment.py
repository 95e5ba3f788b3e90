"""Records the environment of a run: torch, plugin, SDK, device, system, packages and CI service."""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from accelerator_reports.outcomes import TriggerKind

# Packages whose version changes results.
_PACKAGES = (
    "accelerator-reports",
    "accelerator-validation",
    "diffusers",
    "executorch",
    "expecttest",
    "numpy",
    "timm",
    "torchao",
    "torchvision",
    "transformers",
    "triton",
)

PLUGIN_GROUP = "torch.backends"

IN_TREE = frozenset({"cpu", "cuda", "xpu", "mps", "mtia", "meta"})
"""The device types that torch itself implements, without a plugin."""

_COMMIT = re.compile(r"[0-9a-f]{7,40}")


def environment(device: str) -> dict[str, Any]:
    """Return the environment in which a device is tested, for a report. Imports torch.

    The keys are fields of `accelerator_reports.report.Environment`. Unknown facts are
    absent.
    """
    import torch

    facts = {
        "torch": torch.__version__,
        "torch_commit": _commit_or_none(torch.version.git_version),
        "plugin": plugin(device),
        "sdk": _sdk(torch, device),
        "os": _operating_system(),
        "arch": platform.machine(),
        "python": platform.python_version(),
        "hardware": _device_model(torch, device),
        "hardware_count": _device_count(torch, device),
        "packages": installed_versions(_PACKAGES),
    }
    return {name: value for name, value in facts.items() if value}


def installed_facts(package: str | None) -> dict[str, Any]:
    """Return the facts of `environment` that are known without importing torch.

    These are the versions of torch, the plugin, Python and packages, the operating system and the
    architecture. `package` is the name of the plugin's package, or None.
    """
    version = installed_version(package) if package else None
    facts = {
        "torch": installed_version("torch"),
        "plugin": {"name": package, "version": version} if version else None,
        "os": _operating_system(),
        "arch": platform.machine(),
        "python": platform.python_version(),
        "packages": installed_versions(_PACKAGES),
    }
    return {name: value for name, value in facts.items() if value}


def plugin(device: str) -> dict[str, str] | None:
    """Return the `name`, `version` and, if known, `commit` of the plugin for a device, or None.

    Only plugins that torch loads through an entry point are found. The result is the first plugin
    whose entry point contains the device type in its name or value. If no entry point contains the
    device type, the result is the first plugin found, or None for a device type in `IN_TREE`. For
    the CPU, the result is always None.
    """
    type_name = device_type(device)
    points = metadata.entry_points(group=PLUGIN_GROUP)
    matching_points = [point for point in points if type_name in f"{point.name} {point.value}"]
    point = next(iter(matching_points or ([] if type_name in IN_TREE else points)), None)
    if type_name == "cpu" or point is None or point.dist is None:
        return None
    facts = {"name": point.dist.name, "version": point.dist.version}
    commit = _plugin_commit(point.module.partition(".")[0], point.dist)
    return facts | ({"commit": commit} if commit else {})


def device_type(device: str) -> str:
    """Return the type of a device: `cuda` for `cuda:1`."""
    return device.partition(":")[0]


def _plugin_commit(module: str, distribution: metadata.Distribution) -> str | None:
    """Return the commit from which a plugin was built, or None if unknown.

    Many plugins store the commit in `version.git_version`, as torch does. If a package was
    installed from a repository, pip stores the commit in `direct_url.json` (PEP 610).
    """
    version_module = sys.modules.get(f"{module}.version")
    commit = getattr(version_module, "git_version", None)
    if commit is None:
        with suppress(ValueError, LookupError, TypeError, AttributeError):
            commit = json.loads(distribution.read_text("direct_url.json") or "")["vcs_info"][
                "commit_id"
            ]
    return _commit_or_none(commit)


def _commit_or_none(value: object) -> str | None:
    """Return `value` if it is a commit hash, else None.

    A build outside of Git can have the text `Unknown` instead of a commit hash.
    """
    return value if isinstance(value, str) and _COMMIT.fullmatch(value) else None


def installed_versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the version of each installed package, by name. Missing packages are omitted."""
    return {name: version for name in packages if (version := installed_version(name))}


def installed_version(package: str) -> str | None:
    """Return the version of a package, or None if it is not installed."""
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    return None


def _sdk(torch: Any, device: str) -> dict[str, str] | None:  # noqa: ANN401 - the module torch
    if device_type(device) != "cuda":
        return None
    if torch.version.hip:
        return {"name": "ROCm", "version": torch.version.hip}
    return {"name": "CUDA", "version": torch.version.cuda} if torch.version.cuda else None


def _device_model(torch: Any, device: str) -> str | None:  # noqa: ANN401 - the module torch
    if device_type(device) == "cpu":
        return processor()
    with suppress(Exception):  # a plugin may lack it, or raise anything
        index = int(device.partition(":")[2] or 0)
        return str(torch.get_device_module(device).get_device_name(index))[:200] or None
    return None


def _device_count(torch: Any, device: str) -> int | None:  # noqa: ANN401 - the module torch
    if device_type(device) != "cpu":
        with suppress(Exception):
            return int(torch.get_device_module(device).device_count())
    return None


def processor() -> str | None:
    """Return the processor's model name as the system states it, or None if unknown."""
    return (proc_field(Path("/proc/cpuinfo"), "model name") or platform.processor())[:200] or None


def proc_field(path: Path, name: str) -> str | None:
    """Return the first value of the field `name` in a file such as `/proc/cpuinfo`, or None.

    The lines of the file have the form `name: value`.
    """
    with suppress(OSError):
        for line in path.read_text("utf-8", "replace").splitlines():
            field, _, value = line.partition(":")
            if field.strip() == name:
                return value.strip()
    return None


def _operating_system() -> str:
    with suppress(OSError):
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    return f"{platform.system()} {platform.release()}"


# Reads what a CI service states about the run in progress from its environment variables.

_URL_VARIABLES = ("CI_JOB_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL", "BUILD_URL")
"""The variables of GitLab, Buildkite, CircleCI and Jenkins with the address of a run."""

_GITHUB_VARIABLES = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")

# Names of events in GITHUB_EVENT_NAME (GitHub) and CI_PIPELINE_SOURCE (GitLab).
_TRIGGERS: Mapping[str, TriggerKind] = {
    "merge_request_event": "pull-request",
    "pull_request": "pull-request",
    "pull_request_target": "pull-request",
    "release": "release",
    "schedule": "periodic",
    "web": "manual",
    "workflow_dispatch": "manual",
}


def ci_run_url(variables: Mapping[str, str]) -> str | None:
    """Return the address of the CI run that environment variables describe; None outside a CI."""
    server, repository, run = (variables.get(name) for name in _GITHUB_VARIABLES)
    if server and repository and run:
        return f"{server}/{repository}/actions/runs/{run}"
    addresses = filter(None, map(variables.get, _URL_VARIABLES))
    return next((url for url in addresses if url.startswith(("https://", "http://"))), None)


def ci_trigger(variables: Mapping[str, str]) -> TriggerKind:
    """Return what triggered the run; `manual` outside a CI, `unknown` for an event of no kind."""
    event = variables.get("GITHUB_EVENT_NAME") or variables.get("CI_PIPELINE_SOURCE")
    return _TRIGGERS.get(event, "unknown") if event else "manual"
