"""Resolves the package versions of install commands with uv, without installing anything.

uv runs without the machine's configuration, without the environment variables of pip and uv,
without local wheels, and with its own cache. Otherwise, uv could find builds on a developer's
machine that no reader can get.
"""

from __future__ import annotations

import os
import re
import subprocess
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from accelerator_portal.install.rows import InstallRow, PipCall
from accelerator_reports.files.fields import Arch, Os

# Lists the questions that uv answers: which versions an install command finds on a system.

# The methods whose commands are resolved. pip and uv use several indexes in different ways.
RESOLVED_METHODS = ("pip", "uv")


@dataclass(frozen=True, slots=True)
class ResolutionQuestion:
    """A question for uv: which versions `calls` would install on a system with one Python version.

    `calls` are calls of pip or uv, which run in order. `first_index` matters if a call has several
    indexes. If it is true, only the first index that has the package is used, as uv does. If it is
    false, the best version of all indexes is used, as pip does.
    """

    calls: tuple[PipCall, ...]
    os: Os
    arch: Arch
    python: str
    first_index: bool


def questions_of_row(row: InstallRow) -> dict[str, ResolutionQuestion]:
    """Return an install row's question for each Python version, by Python version.

    The result is empty if the row's method is not pip or uv.
    """
    if row.method not in RESOLVED_METHODS or not row.calls:
        return {}
    several = any(call.extra_index for call in row.calls)
    first_index = several and row.method == "uv"
    return {
        python: ResolutionQuestion(row.calls, row.os, row.arch, python, first_index)
        for python in row.pythons or ()
    }


def distinct_questions(rows: Iterable[InstallRow]) -> list[ResolutionQuestion]:
    """Return the distinct questions of install rows, in the order of the rows."""
    return list(dict.fromkeys(q for row in rows for q in questions_of_row(row).values()))


ResolutionKind = Literal["found", "none", "unchecked"]
"""What uv answers. `found`: versions that fit each other exist. `none`: no such versions exist.
`unchecked`: it is not known whether they exist."""

RESOLUTION_TIMEOUT_S = 180

FREE_THREADED = "uv does not resolve for free-threaded Pythons"

# The newest version of each system. An older system is a matter of the option's requirements.
_PLATFORMS = {
    ("linux", "x86_64"): "x86_64-manylinux_2_39",  # the glibc of Ubuntu 24.04
    ("linux", "aarch64"): "aarch64-manylinux_2_39",
    ("windows", "x86_64"): "x86_64-pc-windows-msvc",
    ("windows", "aarch64"): "aarch64-pc-windows-msvc",
    ("macos", "aarch64"): "aarch64-apple-darwin",
    ("macos", "x86_64"): "x86_64-apple-darwin",
}
_NEWEST_MACOS = "26.0"

# Variables that uv gets from the machine. Names of proxies are often in lowercase.
_KEPT_VARIABLES = frozenset(
    {
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT"),
        *("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"),
    }
)
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)
_UV_REASON = re.compile(r"cause: (Because .*?)(?:\n\s*\n|\nhint:|\Z)", re.DOTALL)
_HINT = re.compile(r"^hint: (.*)$", re.MULTILINE)
# uv's conclusion is left out, because the verdict already says it: there is no such combination.
_CONCLUSION = re.compile(
    r"(?:,? and you require [^,]*|\.? And because you require [^,]*)?, we can conclude that "
    r"(?:your requirements are unsatisfiable|[^,]*? cannot be used)"
)
_UNREACHABLE = re.compile(
    r"Failed to fetch|error sending request|Request failed|timed out", re.IGNORECASE
)
_ACCESS_DENIED = re.compile(r"\b(?:401|403)\b|Unauthorized|Forbidden", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+")
MAX_REASON_LENGTH = 500

CONSTRAINTS = "constraints.txt"


@dataclass(frozen=True, slots=True)
class ResolutionResult:
    """uv's answer to the question which versions the calls of an install command find.

    `found` maps packages to the versions that uv found. If it is empty, `why` is the reason.
    """

    kind: ResolutionKind
    found: Mapping[str, str] = field(default_factory=dict)
    why: str | None = None
    no_answer: bool = False
    """Whether an index did not respond. Other questions to this index can then be skipped."""


@dataclass(frozen=True, slots=True)
class Uv:
    """How to run uv: the program, the Python interpreter that it uses, and the cache folder."""

    program: Path
    python: Path
    cache: Path
    default_index: str | None = None
    """The address of an index that replaces PyPI in tests."""
    retries: int = 3
    """How often uv repeats a request, with pauses, if an index does not respond."""


def resolve(question: ResolutionQuestion, uv: Uv) -> ResolutionResult:
    """Return the versions of the packages that the question's calls name, as uv resolves them.

    The calls run in order. A package that a call names counts as installed for the next calls: pip
    and uv do not look for installed packages on an index again. For a free-threaded Python, or a
    system that is not in _PLATFORMS, the kind of the result is `unchecked`.
    """
    if question.python.endswith("t"):
        return ResolutionResult("unchecked", why=FREE_THREADED)
    if (question.os, question.arch) not in _PLATFORMS:
        return ResolutionResult("unchecked", why=f"this check does not cover {question.arch}")
    installed: dict[str, str] = {}
    with TemporaryDirectory(prefix="portal-installed-") as folder:
        for call in question.calls:
            call_result = _resolve_call(question, call, uv, Path(folder))
            if isinstance(call_result, ResolutionResult):
                return call_result
            new_versions = {
                name: call_result[name]
                for name in package_names(call.packages)
                if name in call_result
            }
            for name, version in new_versions.items():
                _write_empty_wheel(Path(folder), name, version)
            installed |= new_versions
            constraints = "\n".join(f"{name}=={version}" for name, version in installed.items())
            (Path(folder) / CONSTRAINTS).write_text(constraints, "utf-8")
    return ResolutionResult("found", installed)


def _resolve_call(
    question: ResolutionQuestion, call: PipCall, uv: Uv, installed: Path
) -> dict[str, str] | ResolutionResult:
    """Return the versions that uv finds for one call, by package.

    If uv finds no versions, returns the result with the reason instead. `installed` is the folder
    with empty wheels of the packages that earlier calls found.
    """
    arguments = _uv_arguments(question, call, uv)
    if (installed / CONSTRAINTS).exists():
        arguments += ["--find-links", str(installed), "--constraints", str(installed / CONSTRAINTS)]
    try:
        process = subprocess.run(
            [str(uv.program), "pip", "compile", "-", *arguments],
            input="\n".join(call.packages),
            env=uv_environment(uv),
            capture_output=True,
            text=True,
            check=False,
            timeout=RESOLUTION_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return ResolutionResult(
            "unchecked", why=f"uv took more than {RESOLUTION_TIMEOUT_S} seconds", no_answer=True
        )
    if process.returncode == 0:
        return {canonicalize_name(name): version for name, version in _PIN.findall(process.stdout)}
    return _failed_result(process.stderr)


def _uv_arguments(question: ResolutionQuestion, call: PipCall, uv: Uv) -> list[str]:
    return [
        *("--quiet", "--no-config", "--no-header", "--no-annotate"),
        *("--only-binary", ":all:"),  # a source package would run its own code to be resolved
        *("--python", str(uv.python), "--python-version", question.python),
        *("--python-platform", _PLATFORMS[question.os, question.arch]),
        *index_options(call, uv, first_index=question.first_index),
    ]


def index_options(call: PipCall, uv: Uv, *, first_index: bool) -> list[str]:
    """Return uv's options for a call: its indexes, their order, pre-releases, and uv's cache."""
    options = ["--system-certs", "--cache-dir", str(uv.cache), "--index-strategy"]
    options.append("first-index" if first_index else "unsafe-best-match")
    if call.pre:
        options += ["--prerelease", "allow"]
    if call.backend:
        options += ["--torch-backend", call.backend]
    if index := call.index or uv.default_index:
        options += ["--default-index", index]
    if call.extra_index:
        options += ["--index", call.extra_index]
    return options


def uv_environment(uv: Uv) -> dict[str, str]:
    """Return the environment variables for uv.

    They have the machine's proxies and certificates, but not its settings of pip and uv.
    """
    return {
        **{name: value for name, value in os.environ.items() if name.upper() in _KEPT_VARIABLES},
        "PATH": os.defpath,
        "HOME": str(uv.cache),
        "MACOSX_DEPLOYMENT_TARGET": _NEWEST_MACOS,
        "UV_HTTP_RETRIES": str(uv.retries),
        "UV_HTTP_TIMEOUT": "60",
    }


def _failed_result(text: str) -> ResolutionResult:
    """Return the result for uv's error message `text`: its kind, and a short reason."""
    match = _UV_REASON.search(text)
    if match:
        reason = _CONCLUSION.sub("", " ".join(match[1].split())).removeprefix("Because ")
        parts = [reason, *_HINT.findall(text)[:1]]
        sentences = (f"{word.rstrip('.')}." for word in parts)
        return ResolutionResult("none", why=_short_reason(" ".join(sentences)))
    if _ACCESS_DENIED.search(text):
        return ResolutionResult("unchecked", why="an index requires a password")
    if _UNREACHABLE.search(text):
        return ResolutionResult("unchecked", why="an index did not respond", no_answer=True)
    lines = text.strip().splitlines()
    first_line = lines[0].removeprefix("error: ") if lines else "no output"
    return ResolutionResult("unchecked", why=_short_reason(f"uv: {first_line}"))


def _short_reason(text: str) -> str:
    reason = _ADDRESS.sub("an address", text)
    return reason if len(reason) <= MAX_REASON_LENGTH else f"{reason[:MAX_REASON_LENGTH]}…"


def package_names(packages: Iterable[str]) -> list[str]:
    """Return the normalized names of the packages that a command installs, without duplicates."""
    names: dict[str, None] = {}
    for package in packages:
        try:
            names[canonicalize_name(Requirement(package).name)] = None
        except InvalidRequirement:
            continue  # a path or an address, whose name only uv finds
    return list(names)


def _write_empty_wheel(folder: Path, name: str, version: str) -> None:
    """Write a wheel that contains only METADATA, which is all that uv reads to resolve.

    The wheel stands for a package that an earlier call would have installed.
    """
    file_stem = f"{name.replace('-', '_')}-{version}"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    with zipfile.ZipFile(folder / f"{file_stem}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{file_stem}.dist-info/METADATA", metadata)
