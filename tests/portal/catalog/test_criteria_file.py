from __future__ import annotations

import pytest
from pydantic import ValidationError

from accelerator_portal.catalog.files.criteria_file import BasicSet, ReadinessCriterion

ONE = {"name": "nn.test_pooling.TestA::test_a", "why": "It pools."}
OTHER = {"name": "test_torch.TestB::test_b", "why": "It copies."}


def basic(*tests: dict[str, str]) -> BasicSet:
    groups = [
        {"title": "A", "suite": "pytorch-tests", "source": "a", "tests": tests},
        {
            "title": "B",
            "suite": "integration",
            "source": "a",
            "tests": [{"name": "streams", "why": "x"}],
        },
    ]
    record = {"suite": "pytorch-tests", "meaning": "A proposal.", "groups": groups}
    return BasicSet.model_validate(record)


def test_a_basic_set_names_the_files_to_run_and_no_other_suites() -> None:
    found = basic(ONE, OTHER, {**OTHER, "name": "test_torch.TestB::test_c"})
    assert found.files == ("nn/test_pooling", "test_torch")
    assert ("integration", "streams") in found.tests


def test_a_test_stands_in_a_basic_set_once() -> None:
    with pytest.raises(ValidationError, match=r"listed twice: nn\.test_pooling"):
        basic(ONE, ONE)


@pytest.mark.parametrize("limits", [{}, {"at_least": 0.5, "at_most": 0.9}])
def test_a_criterion_has_one_limit(limits: dict[str, float]) -> None:
    record = {"id": "a", "title": "A", "measure": "passed", "weight": 1, "why": "It counts."}
    with pytest.raises(ValidationError, match="keys is required: at_least, at_most; set one"):
        ReadinessCriterion.model_validate({**record, **limits})
    assert ReadinessCriterion.model_validate({**record, "at_most": 0.9}).is_met(0.9)
