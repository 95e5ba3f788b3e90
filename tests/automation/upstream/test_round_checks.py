"""Check runs of a round of answers follow the labels that the pull request has by then."""

from __future__ import annotations

import pytest

from accelerator_portal.automation.ownership import maintainers
from accelerator_portal.automation.upstream.answer_round import ComparedReport, post_answers
from accelerator_portal.automation.upstream.comment import CommentAccess
from tests.automation.github_double import BOT, GitHubDouble
from tests.automation.upstream.scene import NUMBER, UPSTREAM, change, client, populate, portal
from tests.automation.upstream.test_checks import RELAY
from tests.automation.upstream.test_marker import answer
from tests.folders import Tree, loaded


@pytest.mark.parametrize(("label", "count"), [("ciflow/crcr/ex_ample", 1), ("ciflow/other", 0)])
def test_a_label_that_was_added_after_the_dispatch_gets_its_check_run(
    tree: Tree, double: GitHubDouble, label: str, count: int
) -> None:
    populate(double)
    double.records[f"repos/{UPSTREAM}/pulls/{NUMBER}"]["labels"] = [{"name": label}]
    catalog = loaded(tree({**portal(), **RELAY}))
    desk = CommentAccess(client(double), BOT, maintainers(catalog))
    for _ in range(2):  # a round that is repeated makes no second one
        done = post_answers(desk, catalog, [ComparedReport(change(labels=()), answer())])
        assert not done.failed, done.said
    assert len(double.check_runs.get(UPSTREAM, [])) == count
