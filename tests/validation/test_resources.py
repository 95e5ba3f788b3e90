"""A measured suite has the machine alone; others share it."""

from __future__ import annotations

import pytest

from accelerator_validation.plan import RunError
from accelerator_validation.request import Resources, processor_count, resources_for


def test_usual_suites_share_the_machine_as_asked() -> None:
    assert resources_for(["operators"], None, None) == Resources(min(2, processor_count()), 1)
    assert resources_for(["operators", "integration"], 5, 3) == Resources(5, 3)


def test_a_measured_suite_has_one_worker_and_every_processor() -> None:
    assert resources_for(["speed"], None, None) == Resources(1, processor_count())
    assert resources_for(["speed"], 1, 4) == Resources(1, 4)


@pytest.mark.parametrize(
    ("suites", "workers", "said"),
    [
        (["speed", "operators"], None, "cannot run together with operators.*Run them separately"),
        (["speed"], 2, "cannot run with 2 workers.*Remove --workers"),
    ],
)
def test_what_would_slow_it_is_refused(suites: list[str], workers: int, said: str) -> None:
    with pytest.raises(RunError, match=said):
        resources_for(suites, workers, None)
