"""No way to fetch and run at once passes, and what a careful reader may paste does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.markdown_file import parse_markdown
from accelerator_portal.checks.rules.commands import command_safety
from tests.day import TODAY
from tests.folders import EXAMPLE, GUIDE, Tree, loaded
from tests.hostile.commands import BY_DESIGN, FETCHING, RUNNING, UNSEEN


@pytest.fixture
def example(tree: Tree) -> Catalog:
    return loaded(tree(EXAMPLE))


def is_refused(example: Catalog, command: str) -> bool:
    """Whether the check has something against a fence of a guide."""
    fence = f"## Start\n\n```bash\n{command}\n```"
    text = EXAMPLE[GUIDE].replace("## Start\n\nNothing.", fence)
    guide, problems = parse_markdown(GUIDE, text)
    assert guide
    assert problems == []
    (platform,) = example.platforms
    changed = replace(example, platforms=(replace(platform, guide=guide),))
    return bool([*command_safety.check(changed, TODAY)])


@pytest.mark.parametrize("run", RUNNING)
def test_nothing_that_is_fetched_is_run_at_once(run: str, example: Catalog) -> None:
    passed = {
        name
        for name, fetch in FETCHING.items()
        if not is_refused(example, RUNNING[run].format(fetch))
    }
    assert passed <= ({"python"} if run in UNSEEN else set())


@pytest.mark.parametrize("case", BY_DESIGN)
def test_what_a_careful_reader_may_paste_passes(case: str, example: Catalog) -> None:
    assert not is_refused(example, BY_DESIGN[case])
