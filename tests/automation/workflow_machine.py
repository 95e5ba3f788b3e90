"""A machine of GitHub's on which the jobs of a workflow run, step by step, as its file says.

Scripts run in bash as they stand there. `accelerator-portal` hands its words to this process, which
runs the command here: a process of its own would take a second for each. Actions are replaced by
what they do for the portal: a checkout of main, and artifacts on the double of GitHub.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import re
import socketserver
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from accelerator_reports.cli import main
from accelerator_reports.files.clock import DATE_VARIABLE
from tests.automation.github_double import GitHubDouble
from tests.automation.made_up import archive
from tests.automation.upstream.scene import HOME, keep_upload
from tests.folders import write_tree
from tests.test_workflow_steps import run, stub
from tests.test_workflows import workflow

_EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")
_ON_MAIN = "github.ref == format('refs/heads/{0}', github.event.repository.default_branch)"


@dataclass
class JobRun:
    """What one run of a job did: the exit status and the text of each step, and its summary."""

    values: Mapping[str, str]
    """What expressions stand for."""
    statuses: dict[str, int] = field(default_factory=dict)
    printed: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    outputs: str = ""

    @property
    def failed(self) -> bool:
        """Whether a step failed."""
        return any(self.statuses.values())


# Conditions of steps by their text: a new one in a workflow has to be added here.
_CONDITIONS: Mapping[str, Callable[[JobRun], bool]] = {
    "": lambda done: not done.failed,
    "${{ !cancelled() }}": lambda _: True,
    "always()": lambda _: True,
    f"always() && {_ON_MAIN}": lambda _: True,
    "github.event.schedule == '19,49 * * * *'": lambda _: False,
    "always() && steps.push.outcome == 'success'": lambda done: (
        done.statuses.get("Push reports of PyTorch's main") == 0
    ),
}


def filled(text: str, values: Callable[[str], str]) -> str:
    """Return a text with its expressions replaced by their values."""
    return _EXPRESSION.sub(lambda found: values(found[1]), text)


class Machine:
    """The machine, with a checkout of main in `work` and its remote beside it."""

    def __init__(
        self, folder: Path, double: GitHubDouble, files: Mapping[str, str | bytes]
    ) -> None:
        self.folder, self.work, self.remote = folder, folder / "work", folder / "remote"
        self.double = double
        self.more_words: dict[str, Sequence[str]] = {}
        """Words that a command gets here in addition, by its name."""
        self._command: Callable[[list[str]], int] = lambda _: 127
        self._first_push(files)
        stub(folder, "gh", 'printf "gh %s\\n" "$*" >> ../gh')

    def _first_push(self, files: Mapping[str, str | bytes]) -> None:
        for place, more in ((self.remote, ["--bare"]), (self.work, [])):
            words = ["git", "init", "--quiet", "--initial-branch=main", *more, str(place)]
            subprocess.run(words, check=True)
        write_tree(self.work, files)
        self.git("remote", "add", "origin", str(self.remote))
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", "The portal")
        self.git("push", "--quiet", "origin", "main")

    def git(self, *words: str) -> str:
        """Run git in the checkout and return what it printed."""
        who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        command = ["git", "-C", str(self.work), *who, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def on_main(self, path: str) -> str | None:
        """The text of a file on the branch main of the remote, None where there is none."""
        command = ["git", "-C", str(self.remote), "show", f"main:{path}"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        return None if done.returncode else done.stdout

    def job(self, name: str, job: str, values: Mapping[str, str], event: bytes = b"{}") -> JobRun:
        """Run the steps of a job for an event; `values` are those of expressions."""
        self._checkout()
        done = JobRun(values)
        self._file("event.json").write_bytes(event)
        for output in ("summary", "outputs"):
            self._file(output).write_text("", "utf-8")
        for step in workflow(name)["jobs"][job]["steps"]:
            if _CONDITIONS[step.get("if", "")](done):
                self._step(name, step, done)
        done.summary = self._file("summary").read_text("utf-8")
        done.outputs = self._file("outputs").read_text("utf-8")
        return done

    def _file(self, name: str) -> Path:
        return self.folder / name

    def _step(self, name: str, step: Mapping[str, Any], done: JobRun) -> None:
        if "actions/upload-artifact@" in step.get("uses", ""):
            self._upload(name, step["with"])
        elif "run" in step and step["run"] != "make setup":
            variables = {
                **self._variables(),
                **{
                    key: filled(text, done.values.__getitem__)
                    for key, text in step.get("env", {}).items()
                },
            }
            with self._portal(variables, done, step["name"]) as place:
                result = run(self.folder, step["run"], {**variables, "PORTAL_PLACE": place})
            done.statuses[step["name"]] = result.returncode
            before = done.printed.get(step["name"], "")
            done.printed[step["name"]] = before + result.stdout + result.stderr

    def _variables(self) -> dict[str, str]:
        """What GitHub sets for each step, and where its API is."""
        return {
            "GITHUB_API_URL": self.double.home,
            "GITHUB_REPOSITORY": HOME,
            "GITHUB_REF_NAME": "main",
            "GITHUB_RUN_ID": "500",
            "GITHUB_EVENT_PATH": str(self._file("event.json")),
            "GITHUB_STEP_SUMMARY": str(self._file("summary")),
            "GITHUB_OUTPUT": str(self._file("outputs")),
        }

    def _checkout(self) -> None:
        """Leave nothing of the job before: each one has a machine of its own."""
        self.git("fetch", "--quiet", "origin", "main")
        self.git("reset", "--quiet", "--hard", "FETCH_HEAD")
        self.git("clean", "-ffdxq")

    def _upload(self, name: str, options: Mapping[str, str]) -> None:
        file = self.work / options["path"]
        if file.exists():
            made = archive({file.name: file.read_bytes()})
            path = f".github/workflows/{name}"
            keep_upload(self.double, path, options["name"], made, dt.datetime.now(dt.UTC))

    @contextmanager
    def _portal(self, variables: Mapping[str, str], done: JobRun, step: str) -> Iterator[str]:
        """Serve the command to the step's script; yield where."""

        def command(words: list[str]) -> int:
            more = list(self.more_words.get(words[0], ()))
            with contextlib.chdir(self.work):
                environment = {**variables, "HOME": str(self.folder), DATE_VARIABLE: None}
                result = CliRunner().invoke(main, [*words, *more], env=environment)
            done.printed[step] = done.printed.get(step, "") + result.output
            return result.exit_code

        with socketserver.TCPServer(("127.0.0.1", 0), _handler(command)) as server:
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
            self._install_stub()
            try:
                yield f"/dev/tcp/127.0.0.1/{server.server_address[1]}"
            finally:
                server.shutdown()

    def _install_stub(self) -> None:
        text = 'exec 3<>"$PORTAL_PLACE"; printf "%s\\0" "$@" >&3; printf "\\n" >&3'
        stub(self.folder, "accelerator-portal", f'{text}; read -r status <&3; exit "$status"')
        place = self.work / ".venv"
        place.mkdir(exist_ok=True)
        if not (place / "bin").exists():
            (place / "bin").symlink_to(self.folder / "bin")


def _handler(command: Callable[[list[str]], int]) -> type[socketserver.StreamRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            """Read the words of one command, run it, and say how it ended."""
            words = self.rfile.readline().decode().rstrip("\n").split("\0")[:-1]
            self.wfile.write(f"{command(words)}\n".encode())

    return Handler
