"""Runs a platform's recipes to build or deploy its software, each in an empty folder.

A recipe is a script or a Dockerfile. The script runs in a temporary folder, which is also its HOME.
Then the check of the platform's install options runs in the same folder. After a Dockerfile, the
check runs in the image. Script and check get a plain PATH. Of this machine's environment variables,
they get only the settings of proxies, certificates and pip. This shows whether a recipe is
complete. It is no sandbox: commands run as the user of this process.

At the time limit, the process group of the command and the container of the check are killed. If
the whole run is interrupted, the command and the container may keep running.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from accelerator_reports.outcomes import Stage
from accelerator_validation.case import Case, Result
from accelerator_validation.matrix import Deployment, Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

# Without these, a machine behind a proxy reaches nothing.
_PROXY_VARIABLES = (
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
)
_FILE_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "PIP_CONFIG_FILE")

_LOG_TAIL_BYTES = 3000
_CHECK_OUTPUT_BYTES = 10_000_000


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield a test for each of the platform's recipes, which are in `matrix.deployments`.

    If the platform has none, yield a test for each possible name of a recipe, from `matrix.tests`.
    """
    return (Offer(name) for name in matrix.deployments or matrix.tests)


def run(case: Case, context: Context) -> Result:
    """Run the recipe of a test and return its result."""
    return run_recipe(context.matrix.deployments[case.name])


def run_recipe(deployment: Deployment, path: str = PATH) -> Result:
    """Run a recipe and its check, and return the result of the test.

    The commands that run on this machine, not in a container, get `path` as PATH.
    """
    # A daemon that the recipe started may still write into the folder.
    with tempfile.TemporaryDirectory(prefix="deploy-", ignore_cleanup_errors=True) as name:
        folder = Path(name, "work")
        folder.mkdir()
        workspace = _Workspace(folder, Path(name, "log.txt"), deployment.recipe.timeout_s, path)
        return (
            _run_container(deployment, workspace)
            if deployment.recipe.container
            else _run_script(deployment, workspace)
        )


class _Workspace:
    """A folder in which commands run, the log of their output, and the time that they have left."""

    def __init__(self, folder: Path, log: Path, seconds: float, path: str) -> None:
        self.folder, self.log, self.remaining_s = folder, log, seconds
        self.environment = _clean_environment(folder, path)

    def run(self, *command: str) -> CommandResult:
        """Run a command for at most `remaining_s` seconds, and append its output to the log."""
        command_result = run_command(
            command, self.folder, self.environment, self.log, self.remaining_s
        )
        self.remaining_s = max(0.0, self.remaining_s - command_result.seconds)
        return command_result


def _clean_environment(folder: Path, path: str) -> dict[str, str]:
    fixed_variables = {"PATH": path, "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8"}
    return {
        **{n: os.environ[n] for n in (*_PROXY_VARIABLES, *_FILE_VARIABLES) if n in os.environ},
        **fixed_variables,
    }


def _run_script(deployment: Deployment, workspace: _Workspace) -> Result:
    script = workspace.folder.parent / "script.sh"
    script.write_text(deployment.recipe.script or "", "utf-8")
    command_result = workspace.run("bash", "-euo", "pipefail", str(script))
    if failure := _failed_command_result(command_result, "build", "The script", workspace.log):
        return failure
    python_path = workspace.folder / deployment.recipe.python
    python = str(python_path) if "/" in deployment.recipe.python else deployment.recipe.python
    return _check_result(deployment, workspace, python)


def _run_container(deployment: Deployment, workspace: _Workspace) -> Result:
    if shutil.which("docker", path=workspace.environment["PATH"]) is None:
        return Result("infrastructure-error", "build", "docker is not installed on this machine.")
    (workspace.folder / "Dockerfile").write_text(deployment.recipe.container or "", "utf-8")
    image = f"accelerator-portal-{uuid.uuid4().hex[:12]}"
    command_result = workspace.run("docker", "build", "--tag", image, ".")
    try:
        if failure := _failed_command_result(
            command_result, "build", "docker build", workspace.log
        ):
            return failure
        name_options = ("--name", image)
        return _check_result(
            deployment,
            workspace,
            "docker",
            "run",
            "--rm",
            *name_options,
            image,
            deployment.recipe.python,
        )
    finally:
        workspace.remaining_s = max(workspace.remaining_s, 30.0)
        workspace.run("docker", "rm", "--force", image)  # it outlives its client at the time limit
        workspace.run("docker", "image", "rm", "--force", image)


def _check_result(deployment: Deployment, workspace: _Workspace, *python: str) -> Result:
    """Run the platform's check with the command `python`, and return the result of the test.

    The test passes if the output matches the text that the check must print.
    """
    log_size = workspace.log.stat().st_size
    command_result = workspace.run(*python, "-c", deployment.check.code)
    if failure := _failed_command_result(command_result, "deploy", "The check", workspace.log):
        return failure
    output = _end_of_log(workspace.log, _CHECK_OUTPUT_BYTES, log_size).strip()
    if not output_pattern(deployment.check.prints).search(output):
        reason = (
            f"The check printed {output[-200:]!r}, not {deployment.check.prints.strip()[:200]!r}."
        )
        return Result("wrong-result", "deploy", reason, log_tail=_read_log_tail(workspace.log))
    return Result(
        "passed", "deploy", deployment.recipe.title, log_tail=_read_log_tail(workspace.log)
    )


def output_pattern(prints: str) -> re.Pattern[str]:
    """Return a pattern for the expected output of a check: the lines of `prints` in order.

    A name in braces, such as `{version}`, matches any text without spaces.
    """
    lines = (
        re.sub(r"\\\{\w+\\\}", r"\\S+", re.escape(line.strip())) for line in prints.splitlines()
    )
    return re.compile(r"\s+".join(filter(None, lines)))


def _failed_command_result(
    command_result: CommandResult, stage: Stage, subject: str, log: Path
) -> Result | None:
    """Return the result of a test whose command failed, or None if the command succeeded.

    `subject` names the command in the result's reason: `The script`.
    """
    if command_result.missing:
        return Result("failed", stage, f"{subject} could not start: {command_result.missing}.")
    if command_result.status is None:
        return Result("timed-out", stage, f"{subject} timed out.", log_tail=_read_log_tail(log))
    if command_result.status:
        message = f"{subject} exited with status {command_result.status}."
        return Result("failed", stage, message, log_tail=_read_log_tail(log))
    return None


def _read_log_tail(log: Path) -> str | None:
    """Return the last 3,000 bytes of a log without control characters, or None if it is empty."""
    text = _end_of_log(log, _LOG_TAIL_BYTES)
    return "".join(c for c in text if c.isprintable() or c == "\n").strip("\n") or None


def _end_of_log(log: Path, max_bytes: int, start: int = 0) -> str:
    """Return the last `max_bytes` bytes of a log, but nothing before the position `start`."""
    with log.open("rb") as file:
        file.seek(max(start, log.stat().st_size - max_bytes))
        return file.read(max_bytes).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended: its exit status, and its duration in seconds.

    If the command timed out, `status` is None. If it did not start, `status` is None and `missing`
    is the reason.
    """

    status: int | None
    seconds: float
    missing: str | None = None


def run_command(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], log: Path, seconds: float
) -> CommandResult:
    """Run a command in a folder, and append its output to `log`.

    `environment` has all its environment variables. `seconds` is the time limit. At the end, all
    processes in the command's process group are killed.
    """
    started = time.monotonic()
    with log.open("ab") as file:
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return CommandResult(None, 0.0, f"{command[0]}: {error.strerror}")
        try:
            status: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            # Also after success: processes left running would outlive the folder.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return CommandResult(status, time.monotonic() - started)
