"""The scripts of the workflows, run as GitHub's machines would, with stubs for what is not here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from accelerator_automation.upstream.incoming import Change, read_event
from accelerator_automation.upstream.run_lists import PLAN_FILE, SENT_FILE
from tests.automation.upstream.scene import HEAD, NUMBER, event, pull_webhook
from tests.automation.upstream.test_incoming import of
from tests.test_workflows import EVERY, steps, workflow

HOSTILE = "$(touch evil) `touch evil` \"; touch evil; ' && touch evil #"

SCRIPTS = [
    pytest.param(step["run"], id=f"{name}: {step['name']}")
    for name in EVERY
    for step in steps(name)
    if "run" in step
]


def script(name: str, step: str) -> str:
    (found,) = (one["run"] for one in steps(name) if one.get("name") == step)
    return str(found)


def stub(folder: Path, name: str, text: str) -> None:
    """A program of that name, first on the PATH."""
    file = folder / "bin" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/bash\n{text}\n", "utf-8")
    file.chmod(0o755)


def run(
    folder: Path, text: str, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a script as GitHub does: `bash -e`, and nothing in the environment but what it needs."""
    (folder / "work").mkdir(exist_ok=True)
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", text],
        cwd=folder / "work",
        env={
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "HOME": str(folder),
            **(variables or {}),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("text", SCRIPTS)
def test_every_script_can_be_read(text: str) -> None:
    done = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def portal(folder: Path, text: str = 'printf "%s\\n" "$@" >> ../words') -> None:
    """A command `accelerator-portal` that only notes how it was called."""
    stub(folder, "accelerator-portal", text)
    place = folder / "work/.venv"
    place.mkdir(parents=True, exist_ok=True)
    (place / "bin").symlink_to(folder / "bin")


def words(folder: Path) -> list[str]:
    file = folder / "words"
    return file.read_text("utf-8").splitlines() if file.exists() else []


def send(
    folder: Path, payload: Mapping[str, object], event_type: str, attempt: str = "1"
) -> Change | str:
    """What the portal makes of what PyTorch's workflow sends for an event."""
    stub(folder, "gh", 'printf "%s\\n" "$@" > ../words; cat > ../sent')
    file = folder / "event.json"
    file.write_text(json.dumps(payload), "utf-8")
    done = run(
        folder,
        script("pytorch-sender.yml", "Send the event"),
        {
            "GITHUB_EVENT_PATH": str(file),
            "EVENT_TYPE": event_type,
            "PORTAL": "example/portal",
            "GITHUB_RUN_ID": "77",
            "GITHUB_RUN_ATTEMPT": attempt,
        },
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert words(folder)[:4] == ["api", "--method", "POST", "repos/example/portal/dispatches"]
    sent = json.loads((folder / "sent").read_text("utf-8"))
    assert sent["event_type"] == event_type
    assert len(json.dumps(sent["client_payload"])) < 64 * 1024
    repository = str(sent["client_payload"]["payload"]["repository"]["full_name"])
    return read_event(event(sent["client_payload"]), repository)


def test_pytorch_s_workflow_sends_what_the_portal_reads(tmp_path: Path) -> None:
    found = send(tmp_path, pull_webhook(), "pull_request")
    assert isinstance(found, Change)
    assert (found.number, found.head, found.delivery) == (NUMBER, HEAD, "run-77-1")


def test_whoever_runs_pytorch_s_workflow_again_asks_again(tmp_path: Path) -> None:
    found = send(tmp_path, pull_webhook(), "pull_request", attempt="2")
    assert isinstance(found, Change)
    assert (found.action, found.delivery) == ("rerequested", "run-77-2")


def test_long_and_hostile_texts_are_cut_or_left_out(tmp_path: Path) -> None:
    sender = {"login": "maintainer", "type": "User"}
    webhook = pull_webhook("labeled", label={"name": HOSTILE}, sender=sender)
    webhook["pull_request"] |= {
        "title": HOSTILE * 1000,
        "body": "x" * 1_000_000,
        "labels": [{"name": HOSTILE, "description": "y" * 1000}] * 500,
    }
    found = send(tmp_path, webhook, "pull_request")
    assert isinstance(found, Change)
    assert (found.added, found.sender, found.title) == (HOSTILE, "maintainer", "")
    assert not list(tmp_path.rglob("evil"))


def test_github_s_own_events_arrive(tmp_path: Path) -> None:
    kinds = [("pull_request", s) for s in of("pull_request")] + [("push", s) for s in of("push")]
    for event_type, sample in kinds:
        found = send(tmp_path, sample, event_type)
        if isinstance(found, Change) and event_type == "pull_request":
            assert found.head == sample["pull_request"]["head"]["sha"]


@pytest.mark.parametrize(
    ("event_name", "schedule", "period"),
    [
        ("repository_dispatch", "", []),
        ("schedule", "23 4 * * *", ["--periodic", "daily"]),
        ("schedule", "47 4 * * 6", ["--periodic", "weekly"]),
        ("workflow_dispatch", "", ["--periodic", "daily"]),
    ],
)
def test_what_is_planned_depends_on_what_happened(
    tmp_path: Path, event_name: str, schedule: str, period: list[str]
) -> None:
    portal(tmp_path)
    variables = {"EVENT_NAME": event_name, "SCHEDULE": schedule, "GITHUB_OUTPUT": "outputs"}
    (tmp_path / "work").mkdir(exist_ok=True)
    (tmp_path / "work/outputs").touch()
    assert run(tmp_path, script("upstream-event.yml", "Plan"), variables).returncode == 0
    assert words(tmp_path) == ["upstream", "plan", *period, "--out", "upstream-plan.json"]
    assert (tmp_path / "work/outputs").read_text("utf-8") == ""
    (tmp_path / "work/upstream-plan.json").touch()
    assert run(tmp_path, script("upstream-event.yml", "Plan"), variables).returncode == 0
    assert (tmp_path / "work/outputs").read_text("utf-8") == "planned=true\n"


def test_one_sender_at_a_time_runs_where_something_is_planned_and_twice_an_hour() -> None:
    event = workflow("upstream-event.yml")
    sweep = "19,49 * * * *"
    assert {"cron": sweep} in event["on"]["schedule"]
    plan, send = event["jobs"]["plan"], event["jobs"]["send"]
    assert f"github.event.schedule != '{sweep}'" in plan["if"]
    assert "needs.plan.outputs.planned == 'true'" in send["if"]
    assert f"github.event.schedule == '{sweep}'" in send["if"]
    assert send["concurrency"] == {"group": "upstream-send", "cancel-in-progress": "false"}
    assert "environment" not in plan


def test_what_the_sender_reads_is_what_the_jobs_keep() -> None:
    kept = [s["with"] for s in steps("upstream-event.yml") if "upload-artifact" in str(s)]
    assert [(one["name"], one["path"]) for one in kept] == [
        (PLAN_FILE, f"{PLAN_FILE}.json"),
        (SENT_FILE, f"{SENT_FILE}.json"),
    ]


def test_a_runner_s_own_program_or_a_script_makes_torch(tmp_path: Path) -> None:
    text = script("validate.yml", "Build torch and the plugin")
    stub(tmp_path, "accelerator-prepare", 'echo "program $PYTORCH_COMMIT" >> ../words')
    assert run(tmp_path, text, {"PREPARE": "", "PYTORCH_COMMIT": HEAD}).returncode == 0
    own = tmp_path / "work/caller/ci/build it.sh"
    own.parent.mkdir(parents=True)
    own.write_text('echo "script $PYTORCH_COMMIT" >> ../words', "utf-8")
    assert run(tmp_path, text, {"PREPARE": "ci/build it.sh", "PYTORCH_COMMIT": "x"}).returncode == 0
    assert words(tmp_path) == [f"program {HEAD}", "script x"]


def test_torch_of_another_commit_is_not_tested(tmp_path: Path) -> None:
    text = script("validate.yml", "Check the commit of torch")
    stub(tmp_path, "python3", f"echo {HEAD}")
    assert run(tmp_path, text, {"PYTORCH_COMMIT": HEAD}).returncode == 0
    done = run(tmp_path, text, {"PYTORCH_COMMIT": "c" * 40})
    assert (done.returncode, done.stderr) == (
        1,
        (
            f"torch is built from commit {HEAD}, but commit {'c' * 40} is to be tested. "
            "Build torch from that commit.\n"
        ),
    )


@pytest.mark.parametrize("packages", ["numpy timm", "", "* $(touch evil)"])
def test_the_harness_is_installed_under_constraints(tmp_path: Path, packages: str) -> None:
    """What is there keeps its version: pip is told all of them."""
    said = 'if [ "$3" = list ]; then echo torch==2.10.0; else printf "%s\\n" "$@" >> ../words; fi'
    stub(tmp_path, "python3", said)
    text = script("validate.yml", "Install the harness")
    assert run(tmp_path, text, {"PACKAGES": packages}).returncode == 0
    assert words(tmp_path) == [
        *("-m", "pip", "install", "--quiet", "--constraint", "installed.txt"),
        *("-e", "portal/packages/reports", "-e", "portal/packages/validation"),
        *packages.split(),
    ]
    assert (tmp_path / "work/installed.txt").read_text("utf-8") == "torch==2.10.0\n"
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize(("status", "expected"), [(0, 0), (1, 0), (2, 1), (130, 1), (139, 1)])
def test_failed_tests_are_no_failed_run_and_other_ends_are(
    tmp_path: Path, status: int, expected: int
) -> None:
    portal(tmp_path, f'printf "%s\\n" "$@" >> ../words; exit {status}')
    variables = {
        "ACCELERATOR": "example",
        "DEVICE": "ex",
        "SUITES": "operators models",
        "SHARD": "1",
        "SHARDS": "1",
        "TRIGGER": "pull-request",
    }
    assert run(tmp_path, script("validate.yml", "Validate"), variables).returncode == expected
    assert words(tmp_path) == [
        *("validate", "--device", "ex", "--accelerator", "example", "--trigger", "pull-request"),
        *("--known-issues", "portal", "--out", "report.json"),
        *("--suite", "operators", "--suite", "models"),
    ]


def test_a_shard_of_several_is_told_to_the_harness(tmp_path: Path) -> None:
    portal(tmp_path)
    variables = dict.fromkeys(("ACCELERATOR", "DEVICE", "TRIGGER"), "x")
    variables |= {"SUITES": "operators", "SHARD": "2", "SHARDS": "3"}
    assert run(tmp_path, script("validate.yml", "Validate"), variables).returncode == 0
    assert words(tmp_path)[-4:] == ["--suite", "operators", "--shard", "2/3"]


@pytest.mark.parametrize(
    ("number", "expected"),
    [("1", "[1]"), ("3", "[1,2,3]"), ("256", None), ("0", ""), ("257", ""), ("2.5", "")],
)
def test_shards_are_numbered_from_1(tmp_path: Path, number: str, expected: str | None) -> None:
    text = script("validate.yml", "Number the shards")
    output = tmp_path / "output"
    output.touch()
    done = run(tmp_path, text, {"SHARDS": number, "GITHUB_OUTPUT": str(output)})
    if expected == "":
        told = f"invalid value of shards: {number}. Use an integer from 1 to 256.\n"
        assert (done.returncode, done.stderr, output.read_text("utf-8")) == (1, told, "")
        return
    name, _, numbers = output.read_text("utf-8").strip().partition("=")
    assert (done.returncode, name) == (0, "numbers")
    assert json.loads(numbers) == list(range(1, int(number) + 1))
    assert expected is None or numbers == expected


def test_shards_of_other_artifacts_are_not_merged(tmp_path: Path) -> None:
    """What the portal collects begins with the artifact's name, and a shard is no report yet."""
    uploads = [s["with"] for s in steps("validate.yml") if "upload-artifact" in str(s)]
    part, whole = (one["name"] for one in uploads if "name" in one)
    pages = [one for one in uploads if "name" not in one]  # named like their files
    assert [one["path"] for one in pages] == ["${{ inputs.artifact }}.html"] * 2
    assert [one["archive"] for one in pages] == ["false", "false"]
    of_shard = "format('shard-{0}-of-{1}', matrix.shard, inputs.artifact)"
    assert part == f"${{{{ inputs.shards > 1 && {of_shard} || inputs.artifact }}}}"
    assert whole == "${{ inputs.artifact }}"
    (got,) = (s["with"] for s in steps("validate.yml") if "download-artifact" in str(s))
    assert got == {"pattern": "shard-*-of-${{ inputs.artifact }}", "path": "shards"}
    stub(tmp_path, "python3", "exit 0")
    place = tmp_path / "work/merging"
    place.mkdir(parents=True)
    (place / "bin").symlink_to(tmp_path / "bin")
    stub(tmp_path, "python", 'shift 2; printf "%s\\n" "$@" >> ../words')
    for index in (1, 2):
        file = tmp_path / f"work/shards/shard-{index}-of-accelerator-report/report.json"
        file.parent.mkdir(parents=True)
        file.touch()
    assert run(tmp_path, script("validate.yml", "Merge the reports")).returncode == 0
    assert words(tmp_path) == [
        *("install", "--quiet", "--only-binary", ":all:", "--require-hashes"),
        *("-r", "portal/requirements-harness.lock"),
        *("report", "merge", "--out", "report.json"),
        *(f"shards/shard-{index}-of-accelerator-report/report.json" for index in (1, 2)),
    ]


def test_hostile_inputs_of_the_validation_are_words(tmp_path: Path) -> None:
    portal(tmp_path)
    variables = dict.fromkeys(("ACCELERATOR", "DEVICE", "SUITES", "TRIGGER", "SHARD"), HOSTILE)
    variables["SHARDS"] = HOSTILE
    assert run(tmp_path, script("validate.yml", "Validate"), variables).returncode == 0
    assert words(tmp_path)[2] == HOSTILE
    prepare = script("validate.yml", "Build torch and the plugin")
    assert run(tmp_path, prepare, {"PREPARE": HOSTILE}).returncode == 127
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize(("tag", "status"), [("v1.2.3", 0), ("v1.2.4", 1), (HOSTILE, 1)])
def test_a_tag_of_another_version_is_not_released(tmp_path: Path, tag: str, status: int) -> None:
    portal(tmp_path, 'printf "accelerator-%s 1.2.3\\n" reports portal')
    text = script("release.yml", "Compare the tag with the versions")
    assert run(tmp_path, text, {"TAG": tag}).returncode == status
    assert not list(tmp_path.rglob("evil"))


def repository(folder: Path) -> Path:
    """A clone with one commit on main, as the checkout makes it; returns the remote."""
    remote, work = folder / "remote", folder / "work"
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", str(work)]
    for command in (
        ["git", "init", "--quiet", "--bare", "--initial-branch=main", str(remote)],
        ["git", "init", "--quiet", "--initial-branch=main", str(work)],
        [*git, "remote", "add", "origin", str(remote)],
        [*git, "commit", "--quiet", "--allow-empty", "-m", "first"],
        [*git, "push", "--quiet", "origin", "main"],
    ):
        subprocess.run(command, check=True, capture_output=True)
    for name in ("accelerators", "data"):
        (work / name).mkdir()
        (work / name / "old").touch()
    return remote


def pushed(remote: Path) -> list[str]:
    listed = ["git", "-C", str(remote), "ls-tree", "-r", "--name-only", "main"]
    done = subprocess.run(listed, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def installed_portal(folder: Path) -> None:
    """The real command, where the workflows have it."""
    place = folder / "work/.venv/bin"
    place.mkdir(parents=True)
    (place / "accelerator-portal").symlink_to(Path(sys.executable).with_name("accelerator-portal"))


@pytest.mark.parametrize("published", ["true", "false", "", HOSTILE])
def test_the_site_is_published_where_it_was_built_anew(tmp_path: Path, published: str) -> None:
    stub(tmp_path, "gh", 'printf "gh %s\\n" "$*" >> ../words')
    done = run(
        tmp_path, script("nightly.yml", "Trigger the site's deployment"), {"PUBLISHED": published}
    )
    assert done.returncode == 0, done.stderr
    assert words(tmp_path) == (["gh workflow run pages.yml"] if published == "true" else [])


@pytest.mark.parametrize(
    ("name", "step", "expected"),
    [
        ("nightly.yml", "Push changed data", ["README.md", "accelerators/old", "data/old"]),
        (
            "upstream-answer.yml",
            "Push reports of PyTorch's main",
            ["README.md", "accelerators/old"],
        ),
    ],
)
def test_what_changed_is_pushed_beside_what_somebody_pushed_meanwhile(
    tmp_path: Path, name: str, step: str, expected: list[str]
) -> None:
    remote = repository(tmp_path)
    installed_portal(tmp_path)
    stub(tmp_path, "gh", 'printf "gh %s\\n" "$*" >> ../words')
    (tmp_path / "work/upstream-ledger.json").touch()
    other = tmp_path / "other"
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-C", str(other)]
    subprocess.run(["git", "clone", "--quiet", str(remote), str(other)], check=True)
    (other / "README.md").touch()
    for command in (["add", "."], ["commit", "--quiet", "-m", "second"], ["push", "--quiet"]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    for _ in range(2):  # a run that is started again pushes nothing twice
        done = run(tmp_path, script(name, step), {"GITHUB_REF_NAME": "main"})
        assert done.returncode == 0, done.stderr
        assert pushed(remote) == expected
    assert words(tmp_path) == 2 * ["gh auth setup-git"]


def test_what_is_settled_is_kept_only_when_the_reports_are_pushed() -> None:
    """Else a report of main would be settled, and nowhere."""
    names = [step.get("name") for step in steps("upstream-answer.yml")]
    assert names[-2:] == ["Push reports of PyTorch's main", "Upload the ledger"]
    push, keep = steps("upstream-answer.yml")[-2:]
    assert push["id"] == "push"
    assert keep["if"] == "always() && steps.push.outcome == 'success'"


def test_what_was_published_is_recorded_after_pages_has_succeeded(tmp_path: Path) -> None:
    assert workflow("pages.yml")["jobs"]["record"]["needs"] == ["build", "deploy"]
    assert "--preview" in script("nightly.yml", "Run the nightly update")
    remote = repository(tmp_path)
    installed_portal(tmp_path)
    stub(tmp_path, "gh", "true")
    done = run(tmp_path, script("pages.yml", "Record the deployment"), {"INPUTS": "ab" * 32})
    assert done.returncode == 0, done.stderr
    command = ["git", "-C", str(remote), "show", "archive:published.sha256"]
    assert subprocess.run(command, check=True, capture_output=True).stdout == b"ab" * 32
    for wrong in ("", HOSTILE):
        assert run(
            tmp_path, script("pages.yml", "Record the deployment"), {"INPUTS": wrong}
        ).returncode


def test_the_night_runs_with_the_report_of_the_cpu_or_without(tmp_path: Path) -> None:
    portal(tmp_path)
    variables = {
        "GITHUB_REPOSITORY": "example/portal",
        "GITHUB_OUTPUT": "outputs",
        "GITHUB_STEP_SUMMARY": "summary",
    }
    assert run(tmp_path, script("nightly.yml", "Run the nightly update"), variables).returncode == 0
    assert words(tmp_path) == [
        *("nightly", "--preview", "--archive", "archive"),
        *("--made-here", "incoming/made-here", "--trials", "incoming/trials"),
        *("--issues", "example/portal", "--pull-requests", "example/portal"),
        *("--outputs", "outputs", "--summary", "summary"),
    ]
    assert (tmp_path / "work/incoming/made-here").is_dir()


@pytest.mark.parametrize(("event", "more"), [("schedule", ["--all"]), ("pull_request", [])])
def test_executorch_runs_whole_once_a_week_and_by_default_for_a_pull_request(
    tmp_path: Path, event: str, more: list[str]
) -> None:
    made = "mkdir -p made-here/cpu; echo {} > made-here/cpu/executorch.json"
    stub(tmp_path, "make", f'printf "%s\\n" "$@" >> ../words; {made}; exit 2')
    text = script("executorch.yml", "Run the tests")
    assert run(tmp_path, text, {"EVENT": event, "SHARD": "3"}).returncode == 0
    (target, arguments) = words(tmp_path)
    assert target == "validate-executorch"
    assert arguments.removeprefix("ARGS=").split() == ["--shard", "3/8", *more]


def test_a_run_of_executorch_without_a_report_has_failed(tmp_path: Path) -> None:
    stub(tmp_path, "make", "exit 2")
    text = script("executorch.yml", "Run the tests")
    assert run(tmp_path, text, {"EVENT": "schedule", "SHARD": "1"}).returncode == 1


def test_a_pull_request_runs_executorch_with_the_label_only() -> None:
    job = workflow("executorch.yml")["jobs"]["validate"]
    assert "contains(github.event.pull_request.labels.*.name, 'executorch')" in job["if"]
    shards = job["strategy"]["matrix"]["shard"]
    assert [int(shard) for shard in shards] == list(range(1, 9))  # the script divides by as many
