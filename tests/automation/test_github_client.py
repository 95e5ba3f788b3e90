"""The real client against the double: limits, errors, redirects, what is asked twice."""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from accelerator_automation.github.api import GitHubError, read_all_pages, read_response
from accelerator_automation.github.client import GitHubClient, client_from_environment
from accelerator_automation.github.models import Comment
from accelerator_portal.http import count_traffic
from tests.automation.conftest import QUICK
from tests.automation.github_double import HOME, OWN_TOKEN, TOKEN, Fault, GitHubDouble
from tests.automation.github_limits import PRIMARY, SECONDARY, GitHubLimits
from tests.automation.made_up import MadeUpGitHub
from tests.automation.upstream.scene import SimulatedClock

COMMENTS = f"repos/{HOME}/issues/1/comments"


def test_it_reads_and_writes_as_who_the_token_is(
    double: GitHubDouble, client: GitHubClient
) -> None:
    made = json.loads(client.send("POST", COMMENTS, {"body": '`$(x)` "y" 日本'}))
    assert (made["user"]["login"], made["body"]) == ("portal[bot]", '`$(x)` "y" 日本')
    assert json.loads(client.get(f"{COMMENTS}?per_page=100&page=1")) == [made]
    assert {asked.token for asked in double.asked} == {TOKEN}


def test_an_empty_answer_is_one(double: GitHubDouble, client: GitHubClient) -> None:
    assert client.send("POST", f"repos/{HOME}/dispatches", {"event_type": "x"}) == b""
    assert double.dispatched == [(HOME, {"event_type": "x"})]


def test_a_refusal_is_told_in_a_line(client: GitHubClient) -> None:
    with pytest.raises(GitHubError, match=r"^repos/a/b/issues: Not Found \(HTTP 404\)$") as raised:
        client.get("repos/a/b/issues")
    assert (raised.value.status, raised.value.passing) == (404, False)


def test_a_wrong_token_is_said_and_never_shown(double: GitHubDouble) -> None:
    stranger = GitHubClient("a-stranger", double.home, QUICK)
    with pytest.raises(GitHubError, match=r"Bad credentials \(HTTP 401\)$"):
        stranger.get(COMMENTS)
    assert "a-stranger" not in repr(stranger)
    stranger.close()


@pytest.mark.parametrize(
    "fault",
    [
        Fault("GET", 502),
        Fault("GET", 500, times=2),
        Fault("GET", 403, SECONDARY),
        Fault("GET", 403, PRIMARY, {"x-ratelimit-reset": "1"}),
        Fault("GET", 429, "Too Many Requests", {"retry-after": "0"}),
        Fault("GET", cut=True),
    ],
    ids=["502", "two 500", "secondary limit", "primary limit", "429", "cut off"],
)
def test_what_passes_is_asked_again(
    double: GitHubDouble, client: GitHubClient, fault: Fault
) -> None:
    double.faults = [fault]
    assert client.get(COMMENTS) == b"[]"
    assert len(double.said("GET", "comments")) >= 2


def test_what_does_not_pass_ends(double: GitHubDouble, client: GitHubClient) -> None:
    double.faults = [Fault("GET", 503, "down", times=99)]
    with pytest.raises(GitHubError, match=r"down \(HTTP 503\)$") as raised:
        client.get(COMMENTS)
    assert raised.value.passing
    assert len(double.said("GET", "comments")) == QUICK.tries


def test_an_answer_that_is_cut_off_is_asked_for_again(
    double: GitHubDouble, client: GitHubClient
) -> None:
    for number in range(20):
        client.send("POST", COMMENTS, {"body": str(number)})
    double.faults = [Fault("GET", half=True, times=2)]
    assert len(json.loads(client.get(COMMENTS))) == 20
    double.faults = [Fault("GET", half=True, times=99)]
    with pytest.raises(GitHubError, match=r"comments: GitHub's response was cut off$") as raised:
        client.get(COMMENTS)
    assert raised.value.passing
    assert len(double.said("GET", "comments")) == 3 + QUICK.tries


def test_a_file_that_is_cut_off_is_asked_for_again(
    double: GitHubDouble, client: GitHubClient
) -> None:
    number = double.add_artifact(HOME, 7, "report", b"PK" * 100)
    double.faults = [Fault("GET files/", half=True)]
    path = f"repos/{HOME}/actions/artifacts/{number}/zip"
    assert client.download(path, 200) == b"PK" * 100


def test_a_403_for_an_hour_is_an_error_within_seconds(
    double: GitHubDouble, client: GitHubClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    said = {"retry-after": "3600"}
    reset = {"x-ratelimit-reset": str(int(time.time()) + 3600)}
    for fault in (Fault("GET", 403, SECONDARY, said), Fault("GET", 403, PRIMARY, reset)):
        double.faults = [fault]
        with pytest.raises(GitHubError, match="rate limit lasts longer than the maximum") as raised:
            client.get(COMMENTS)
        assert raised.value.passing
        assert sum(pauses) < 1.5


def test_a_forbidden_request_is_not_repeated(double: GitHubDouble, client: GitHubClient) -> None:
    double.faults = [Fault("GET", 403, "Resource not accessible by integration", times=9)]
    with pytest.raises(GitHubError, match=r"not accessible by integration \(HTTP 403\)$") as raised:
        client.get(COMMENTS)
    assert not raised.value.passing
    assert len(double.asked) == 1


@pytest.mark.parametrize("body", [b"<html>Forbidden</html>", b"[]", b"\xff", b""])
def test_a_403_of_a_proxy_is_told_in_a_line(
    double: GitHubDouble, client: GitHubClient, monkeypatch: pytest.MonkeyPatch, body: bytes
) -> None:
    monkeypatch.setattr(double, "answer", lambda _: (403, {}, body))
    with count_traffic() as traffic, pytest.raises(GitHubError, match=r"refused \(HTTP 403\)$"):
        client.get(COMMENTS)
    assert traffic.refusals == 1


def test_a_post_is_repeated_only_where_it_was_refused(
    double: GitHubDouble, client: GitHubClient
) -> None:
    double.faults = [Fault("POST", 403, SECONDARY)]
    client.send("POST", COMMENTS, {"body": "one"})
    for lost in (Fault("POST", 502, after=True), Fault("POST", after=True, cut=True)):
        double.faults = [lost]
        with pytest.raises(GitHubError) as raised:
            client.send("POST", COMMENTS, {"body": "two"})
        assert raised.value.passing
    assert [c["body"] for c in double.comments[HOME, 1]] == ["one", "two", "two"]
    assert len(double.said("POST", "comments")) == 4


def test_a_file_is_fetched_where_it_is_kept_without_the_token(
    double: GitHubDouble, client: GitHubClient
) -> None:
    number = double.add_artifact(HOME, 7, "report", b"PK")
    assert client.download(f"repos/{HOME}/actions/artifacts/{number}/zip", 2) == b"PK"
    assert [asked.token for asked in double.asked] == [TOKEN, ""]


def test_a_file_is_read_to_its_limit_and_no_further(
    double: GitHubDouble, client: GitHubClient
) -> None:
    number = double.add_artifact(HOME, 7, "report", b"x" * 200_000)
    with pytest.raises(GitHubError, match="more than 100,000 bytes"):
        client.download(f"repos/{HOME}/actions/artifacts/{number}/zip", 100_000)


@pytest.mark.parametrize("moved", ["http://example.org/x", "file:///etc/passwd", "ftp://a/b"])
def test_a_file_is_fetched_over_https_alone(
    double: GitHubDouble, client: GitHubClient, moved: str
) -> None:
    double.moved = moved
    number = double.add_artifact(HOME, 7, "report", b"PK")
    with pytest.raises(GitHubError, match="is not https"):
        client.download(f"repos/{HOME}/actions/artifacts/{number}/zip", 9)


def test_a_file_that_is_gone_is_said(double: GitHubDouble, client: GitHubClient) -> None:
    number = double.add_artifact(HOME, 7, "report", b"PK", expired=True)
    with pytest.raises(GitHubError, match=r"Artifact has expired \(HTTP 410\)$"):
        client.download(f"repos/{HOME}/actions/artifacts/{number}/zip", 9)


def test_threads_do_not_mix_up_their_requests(double: GitHubDouble, client: GitHubClient) -> None:
    def send(number: int) -> None:
        client.send("POST", f"repos/{HOME}/issues/{number}/comments", {"body": str(number)})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(send, range(100)))
    assert all(
        [c["body"] for c in found] == [str(number)]
        for (_, number), found in double.comments.items()
    )
    assert len(double.comments) == 100


def test_the_environment_says_who_and_where(
    double: GitHubDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GH_TOKEN", f" {TOKEN}\n")
    monkeypatch.setenv("GITHUB_API_URL", f"{double.home}/")
    client = client_from_environment(patience=QUICK)
    assert client.get(COMMENTS) == b"[]"
    client.close()
    monkeypatch.delenv("GH_TOKEN")
    with pytest.raises(GitHubError, match=r"^GH_TOKEN is empty. Set it to a GitHub token$"):
        client_from_environment()


def test_without_pygithub_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GH_TOKEN", TOKEN)
    monkeypatch.setitem(sys.modules, "github", None)
    words = (
        r"^PyGithub is not installed\. .*pip install \./packages/reports \. \./packages/automation$"
    )
    with pytest.raises(GitHubError, match=words):
        client_from_environment()


def test_the_double_enforces_the_limits_of_each_token() -> None:
    clock = SimulatedClock()
    limits = GitHubLimits(clock.now, frozenset({TOKEN}))

    def refused(method: str, count: int = 1, token: str = TOKEN) -> list[str]:
        answers = [limits.refusal(token, method, COMMENTS) for _ in range(count)]
        return [answer[0] for answer in answers if answer]

    assert refused("POST", 81) == [SECONDARY]
    clock.pause(61)
    assert refused("POST") == []
    for _ in range(15):
        clock.pause(60)
        assert refused("GET", 60) == []
    clock.pause(1)
    assert limits.of(TOKEN).requests.total == 981
    assert refused("GET", 20) == [PRIMARY]
    assert refused("GET", token=OWN_TOKEN) == []
    assert limits.refused == {TOKEN: 2}
    clock.pause(3600)
    assert refused("GET") == []


def test_a_step_counts_what_is_asked_of_github(
    double: GitHubDouble, client: GitHubClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    json_type = {"content-type": "application/json; charset=utf-8"}
    monkeypatch.setattr(double, "answer", lambda _: (200, json_type, '"日本"'.encode()))
    with count_traffic() as traffic:
        client.get(COMMENTS)
    assert traffic.bytes == 8
    monkeypatch.undo()
    double.faults = [Fault("GET", 502)]
    stranger = GitHubClient("a-stranger", double.home, QUICK)
    with count_traffic() as traffic:
        assert client.get(COMMENTS) == b"[]"
        with pytest.raises(GitHubError):
            stranger.get(COMMENTS)
    stranger.close()
    assert (traffic.requests, traffic.retries, traffic.refusals) == (3, 1, 1)
    assert traffic.bytes >= len(b"[]")


@pytest.mark.parametrize("answer", ["", "{", "[]", '{"id": 0, "user": null}'])
def test_another_form_is_refused(answer: str) -> None:
    api = MadeUpGitHub({})
    api.answers["repos/a/b"] = answer.encode()
    with pytest.raises(GitHubError, match=r"^repos/a/b: the response has an unexpected format"):
        read_response(api, "repos/a/b", Comment)


def test_a_list_without_end_is_not_read_without_end() -> None:
    class Endless(MadeUpGitHub):
        asked = 0

        def get(self, path: str) -> bytes:
            assert path.startswith("x?per_page=100&page=")
            self.asked += 1
            return b"[" + b",".join([b'{"id": 1, "user": null}'] * 100) + b"]"

    api = Endless({})
    assert len(list(read_all_pages(api, "x", Comment))) == 100 * api.asked
    assert api.asked == 30
