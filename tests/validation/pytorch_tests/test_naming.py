from __future__ import annotations

import pytest

from accelerator_validation.pytorch_tests.source import name_and_parameters


@pytest.mark.parametrize("device", ["cpu", "cuda", "privateuseone", "openreg"])
def test_a_test_has_one_name_whatever_the_device(device: str) -> None:
    found = name_and_parameters("test_a.TestA", f"test_add_{device}_float32", device)
    assert (found.name, found.parameters) == ("test_a.TestA::test_add", {"dtype": "float32"})


@pytest.mark.parametrize(
    ("method", "name", "parameters"),
    [
        ("test_add_cpu_float32_int64", "test_add", {"case": "float32_int64"}),
        ("test_add_cpu_bits8", "test_add", {"case": "bits8"}),
        ("test_to_cpu_cpu", "test_to_cpu", {}),
        ("test_add", "test_add", {}),
    ],
)
def test_what_stands_behind_the_device_is_a_type_or_a_case(
    method: str, name: str, parameters: dict[str, str]
) -> None:
    found = name_and_parameters("test_a.TestA", method, "cpu")
    assert (found.name, found.parameters) == (f"test_a.TestA::{name}", parameters)
