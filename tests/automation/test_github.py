from __future__ import annotations

import pytest

from accelerator_automation.github.api import GitHubError, read_all_pages, read_response
from accelerator_automation.github.models import Comment
from tests.automation.made_up import MadeUpGitHub


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
