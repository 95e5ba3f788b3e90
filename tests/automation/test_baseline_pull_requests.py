"""Baselines whose files changed, from a vendor's repository to pull requests on the double."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from accelerator_automation.cited_files import CHECK_INTERVAL_DAYS, cited_files
from accelerator_automation.github import branch
from accelerator_automation.github.api import GitHubError
from accelerator_automation.github.client import GitHubClient
from accelerator_automation.github.comments import BOT
from accelerator_automation.proposals import ProposalResults
from accelerator_automation.pull_requests import propose_baselines
from accelerator_portal.catalog import Catalog
from accelerator_reports.file_reading import ImportOptions, with_entry_counts
from accelerator_reports.formats.pytorch_benchmarks import read_dynamo_csv
from accelerator_reports.merge import merged_results
from accelerator_reports.report_file import report_text
from tests.automation.github_double import HOME, Fault, GitHubDouble
from tests.automation.github_git import GitStore
from tests.folders import Tree, edited, loaded
from tests.portal.results.made_up import made_up

VENDOR = "acme/plugin"
FILES = ("ci/inductor_timm_inference.csv", "ci/inductor_timm_training.csv")
BASELINE = "accelerators/example/results/baseline.json"
BRANCH = "baseline/example-baseline"
NOW = dt.datetime(2026, 3, 5, 2, tzinfo=dt.timezone.utc)
FIRST = "name,float32,float16\na,pass,\nb,fail_to_run,pass\nc,pass,pass\n"
SECOND = "name,float32,float16\na,pass,pass\nb,pass,pass\nd@acme,pass,\n"
OTHER = "name,float32\na,pass\n"


@pytest.fixture
def vendor(double: GitHubDouble) -> GitStore:
    store = double.git[VENDOR] = GitStore()
    store.push("main", {FILES[0]: FIRST, FILES[1]: OTHER}, "a@example.org")
    return store


@pytest.fixture
def report(tmp_path: Path, vendor: GitStore) -> str:
    """The report as `report import` writes it."""
    read = []
    for path, text in zip(FILES, (FIRST, OTHER), strict=True):
        file = tmp_path / Path(path).name
        file.write_text(text, "utf-8")
        read.append(read_dynamo_csv(file, ImportOptions()))
    found = merged_results(read)
    commit = vendor.branches["main"][:9]
    origins = [{"repository": VENDOR, "commit": commit, "path": path} for path in FILES]
    made = made_up(0, {}, kind="baseline", environment={}, origins=origins)
    note = with_entry_counts("Made up.", found.entries)
    changes = {"suites": found.suites, "tests": found.tests, "note": note}
    return report_text(made.model_copy(update=changes))


@pytest.fixture
def catalog(tree: Tree, report: str) -> Catalog:
    return loaded(tree({**edited(), BASELINE: report}))


@pytest.fixture
def git(double: GitHubDouble, report: str) -> GitStore:
    double.login = BOT
    store = double.git[HOME] = GitStore()
    store.push("main", {BASELINE: report, ".github/CODEOWNERS": ""}, "a@example.org")
    return store


def all_nights(propose: Callable[[dt.timedelta], ProposalResults]) -> ProposalResults:
    """All nights of a week, as one: each platform is looked up in one of them."""
    done = ProposalResults("nothing")
    for day in range(CHECK_INTERVAL_DAYS):
        night = propose(dt.timedelta(days=day))
        done.outcomes |= night.outcomes
        done.problems |= night.problems
    return done


def week(client: GitHubClient, catalog: Catalog) -> ProposalResults:
    return all_nights(lambda days: propose_baselines(client, HOME, catalog, NOW + days))


def push(vendor: GitStore, text: str, path: str = FILES[0]) -> str:
    return vendor.push("main", {FILES[0]: FIRST, FILES[1]: OTHER, path: text}, "a@example.org")


def test_a_changed_file_is_one_pull_request_that_says_what_changed(
    client: GitHubClient, git: GitStore, vendor: GitStore, catalog: Catalog
) -> None:
    assert week(client, catalog).words == "nothing"
    before = vendor.branches["main"]
    commit = push(vendor, SECOND)
    assert week(client, catalog).words == "1 opened"
    (pull,) = git.pulls
    assert pull["title"] == "Update the results that example-baseline expects"
    a, b, c, d = (
        f"timm/{name}?compiler=inductor&dtype=float" for name in ("a", "b", "c", "d@acme")
    )
    end = "&mode=inference: "
    assert pull["body"].splitlines()[2:9] == [
        f"The CI of `acme/plugin` expects other results since `{BASELINE}` was imported.",
        f"Newest commit: `{commit}` of 2026-03-04.",
        "",
        "- 6 tests (before: 6)",
        f"- Added: `{a}16{end}passed`, `{d}32{end}passed`",
        f"- Removed: `{c}32{end}passed`, `{c}16{end}passed`",
        f"- Changed: `{b}32{end}failed, now passed`",
    ]
    assert git.changed(BRANCH) == [BASELINE]
    written = json.loads(git.files(BRANCH)[BASELINE])
    assert [one["commit"] for one in written["origins"]] == [commit, before]
    assert written["started"] == "2026-03-04T05:06:07Z"
    assert written["note"] == "Made up. Entries read: 7. Taken: 6. Left out: 1 empty cells."
    assert week(client, catalog).words == "1 unchanged"


def test_a_file_with_the_same_results_changes_nothing(
    client: GitHubClient, git: GitStore, vendor: GitStore, catalog: Catalog
) -> None:
    push(vendor, FIRST.replace("\n", "\n\n"))
    assert week(client, catalog).words == "nothing"
    assert not git.pulls


def test_a_file_of_more_than_a_megabyte_is_read_whole(
    client: GitHubClient, git: GitStore, vendor: GitStore, catalog: Catalog
) -> None:
    push(vendor, SECOND + "\n" * 1024 * 1024)
    assert week(client, catalog).words == "1 opened"
    assert "- 6 tests (before: 6)\n" in git.pulls[0]["body"]


def test_a_result_with_other_details_is_named(
    client: GitHubClient, git: GitStore, vendor: GitStore, catalog: Catalog
) -> None:
    push(vendor, FIRST.replace("fail_to_run", "eager_fail_to_run"))
    week(client, catalog)
    name = "timm/b?compiler=inductor&dtype=float32&mode=inference"
    assert f"- Same result, other details: `{name}`\n" in git.pulls[0]["body"]


def test_a_declined_commit_is_not_proposed_again_and_a_later_one_is(
    client: GitHubClient, git: GitStore, vendor: GitStore, catalog: Catalog
) -> None:
    push(vendor, SECOND)
    week(client, catalog)
    git.pulls[0]["state"] = "closed"
    assert week(client, catalog).words == "1 declined by closing"
    push(vendor, OTHER)
    assert week(client, catalog).words == "1 opened"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# Support\n", "inductor_timm_inference.csv:1: unknown format; "),
        ("name,float32\na\n", "inductor_timm_inference.csv:2: the row has 1 values"),
        (
            "test_config:\n  a/b-single_device-inference: {status: EXPECTED_PASSING}\n",
            f"{BASELINE}:1: the files of this baseline now have other suites; import",
        ),
    ],
)
def test_a_file_that_changed_its_form_is_one_problem(
    client: GitHubClient, vendor: GitStore, catalog: Catalog, text: str, words: str
) -> None:
    push(vendor, text)
    done = week(client, catalog)
    assert not done.outcomes
    assert list(done.problems) == ["example-baseline"]
    assert done.problems["example-baseline"].startswith(words)


def test_a_file_that_is_gone_is_one_problem(
    client: GitHubClient, git: GitStore, vendor: GitStore, double: GitHubDouble, catalog: Catalog
) -> None:
    push(vendor, SECOND)
    double.faults.append(Fault(f"contents/{FILES[1]}", 404, times=99))
    assert "HTTP 404" in week(client, catalog).problems["example-baseline"]
    vendor.branches.clear()
    assert week(client, catalog).problems == {
        "example-baseline": f"GitHub refused a request: {VENDOR} has no commit of {FILES[0]}"
    }
    assert not git.pulls


def test_the_list_of_a_pytorch_release_is_read_again_at_the_next_release(
    client: GitHubClient, git: GitStore, double: GitHubDouble, tree: Tree, report: str
) -> None:
    pytorch = double.git["pytorch/pytorch"] = GitStore()
    commit = pytorch.push("v1.10.0", {FILES[0]: FIRST, FILES[1]: OTHER}, "a@example.org")
    pytorch.push("main", {FILES[0]: SECOND, FILES[1]: OTHER}, "a@example.org")
    made = json.loads(report.replace(VENDOR, "pytorch/pytorch"))

    def of(torch: str, day: int) -> str:
        started = f"2026-01-0{day}T00:00:00Z"
        return json.dumps({**made, "environment": {"torch": torch}, "started": started})

    reports = {"baseline": of("1.9.1", 2), "older": of("1.9.0", 1)}
    files = {f"accelerators/example/results/{name}.json": text for name, text in reports.items()}
    assert week(client, loaded(tree({**edited(), **files}))).words == "1 opened"
    written = json.loads(git.files(BRANCH)[BASELINE])
    assert written["environment"] == {"torch": "1.10.0"}
    assert written["tests"] == made["tests"]
    assert {one["commit"] for one in written["origins"]} == {commit}
    known = {BASELINE: of("1.10.0", 2)}
    assert week(client, loaded(tree({**edited(), **known}))).words == "nothing"


def test_a_folder_is_converted_from_one_archive(
    client: GitHubClient, git: GitStore, vendor: GitStore, double: GitHubDouble, tree: Tree
) -> None:
    skip = '    if flag_gems.vendor_name == "example":\n        pytest.skip("Issue #7")\n'
    test = "import flag_gems\n\ndef test_{}():\n" + skip
    files = {f"tests/test_{name}.py": test.format(name) for name in ("b", "a")}
    others = {"tests/conftest.py": "(", "tests/inner/test_c.py": "(", "src/tests/test_d.py": "("}
    # This test file looks like the CSV of another format.
    plain = {"tests/test_plain.py": "name, = [1]\n\ndef test_plain():\n    pass\n"}
    commit = vendor.push("main", {**files, **others, **plain}, "a@example.org")
    origins = [{"repository": VENDOR, "commit": "0123456", "path": "tests"}]
    suites = [{"name": "flaggems", "kind": "operator"}]
    made = made_up(0, {}, kind="baseline", environment={}, origins=origins, suites=suites)
    catalog = loaded(tree({**edited(), BASELINE: report_text(made)}))
    assert not cited_files(catalog)["example"]
    assert week(client, catalog).words == "1 opened"
    written = json.loads(git.files(BRANCH)[BASELINE])
    assert [one["name"] for one in written["tests"]] == ["test_a::test_a", "test_b::test_b"]
    left_out = "Left out: 1 not always skipped on this hardware."
    assert written["note"] == f"Entries read: 3. Taken: 2. {left_out}"
    assert written["origins"] == [{**origins[0], "commit": commit}]
    assert len(double.said("GET", "zipball")) == 1
    assert not double.said("GET", f"{VENDOR}/contents")


def test_a_damaged_or_large_archive_of_a_folder_is_one_problem(
    client: GitHubClient,
    vendor: GitStore,
    double: GitHubDouble,
    tree: Tree,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {"tests/test_a.py": "a\n", "tests/test_b.py": "b\n"}
    commit = vendor.push("main", files, "a@example.org")
    origins = [{"repository": VENDOR, "commit": "0123456", "path": "tests"}]
    made = made_up(0, {}, kind="baseline", environment={}, origins=origins)
    catalog = loaded(tree({**edited(), BASELINE: report_text(made)}))
    double.files[1] = b"PK"
    double.moved = f"{double.home}/files/1"
    place = f"repos/{VENDOR}/zipball/{commit}"
    what = f"GitHub refused a request: {place}: the archive cannot be read"
    assert week(client, catalog).problems == {"example-baseline": what}
    double.moved = ""
    monkeypatch.setattr(branch, "_MOST_UNPACKED", 3)
    assert "test_b.py has more than 1 bytes" in week(client, catalog).problems["example-baseline"]


def test_a_passing_failure_of_github_is_no_problem_of_a_baseline(
    client: GitHubClient, git: GitStore, vendor: GitStore, double: GitHubDouble, catalog: Catalog
) -> None:
    push(vendor, SECOND)
    double.faults.append(Fault("contents/", 503, times=99))
    with pytest.raises(GitHubError):
        week(client, catalog)
    assert not git.pulls
