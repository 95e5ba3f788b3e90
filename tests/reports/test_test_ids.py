from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_reports.test_ids import (
    MAX_CASE,
    MAX_NAME,
    ParsedTestId,
    parse_device_generic_name,
    parse_junit_test_id,
    parse_pytest_node_id,
    shortened_with_digest,
    valid_suite_id,
)


@pytest.mark.parametrize(
    ("container", "test", "expected"),
    [
        ("tests.test_x", "test_a", ParsedTestId("tests.test_x::test_a", {})),
        ("", "test_a", ParsedTestId("test_a", {})),
        ("TestX", "", ParsedTestId("TestX", {})),
        ("", "", ParsedTestId("", {})),
        ("x", "t[cpu-float32]", ParsedTestId("x::t", {"dtype": "float32"}, "cpu")),
        ("x", "t[torch.float16-cuda:1]", ParsedTestId("x::t", {"dtype": "float16"}, "cuda:1")),
        ("x", "t[bf16]", ParsedTestId("x::t", {"dtype": "bfloat16"})),
        ("x", "t[3-float32-a]", ParsedTestId("x::t", {"dtype": "float32", "case": "3-a"})),
        ("x", "t[float32--1]", ParsedTestId("x::t", {"dtype": "float32", "case": "-1"})),
        ("x", "t[float32-int8]", ParsedTestId("x::t", {"case": "float32-int8"})),
        ("x", "t[cpu-cuda]", ParsedTestId("x::t", {"case": "cpu-cuda"})),
        ("x", "t[cudagraphs]", ParsedTestId("x::t", {"case": "cudagraphs"})),
        ("x", "t[meta-a]", ParsedTestId("x::t", {"case": "a"}, "meta")),
        ("x", "t[meta-a/B-1]", ParsedTestId("x::t", {"case": "meta-a/B-1"})),
        ("x", "t[npu-meta-a/B]", ParsedTestId("x::t", {"case": "meta-a/B"}, "npu")),
        ("x", "t[npu-a/B]", ParsedTestId("x::t", {"case": "a/B"}, "npu")),
        ("x", "t[a[0]]", ParsedTestId("x::t", {"case": "a[0]"})),
        ("x", "t[", ParsedTestId("x::t[", {})),
        ("x", "[a]", ParsedTestId("x::[a]", {})),
        # PyTorch's device-generic tests
        ("TestXCUDA", "test_a_cuda", ParsedTestId("TestX::test_a", {}, "cuda")),
        (
            "test_ops.TestXXPU",
            "test_a_xpu_float8_e4m3fn",
            ParsedTestId("test_ops.TestX::test_a", {"dtype": "float8_e4m3fn"}, "xpu"),
        ),
        (
            "TestXPRIVATEUSE1",
            "test_a_privateuse1_float32_int64",
            ParsedTestId("TestX::test_a", {"case": "float32_int64"}, "privateuse1"),
        ),
        (
            "TestXPRIVATEUSE1",
            "test_copy_cpu_npu_int8",
            ParsedTestId("TestX::test_copy_cpu", {"dtype": "int8"}, "npu"),
        ),
        (
            "TestXCUDA",
            "test_cuda_to_cpu_cuda_int8",
            ParsedTestId("TestX::test_cuda_to_cpu", {"dtype": "int8"}, "cuda"),
        ),
        ("TestXCUDA", "test_a_cuda_graphs", ParsedTestId("TestXCUDA::test_a_cuda_graphs", {})),
        ("TestXCUDA", "test_a_cudagraph", ParsedTestId("TestXCUDA::test_a_cudagraph", {})),
        ("TestXCUDA", "test_a", ParsedTestId("TestXCUDA::test_a", {})),
        ("TestXCUDA", "_cuda", ParsedTestId("TestXCUDA::_cuda", {})),
        ("TestX", "test_a_cuda_int8", ParsedTestId("TestX::test_a_cuda_int8", {})),
    ],
)
def test_a_name_becomes_an_identity(container: str, test: str, expected: ParsedTestId) -> None:
    assert parse_junit_test_id(container, test) == expected


@pytest.mark.parametrize(
    ("test", "device", "name", "parameters"),
    [
        ("test_add_cpu_float32", "cpu", "test_x.TestX::test_add", {"dtype": "float32"}),
        (
            "test_add_privateuseone_float32",
            "privateuseone",
            "test_x.TestX::test_add",
            {"dtype": "float32"},
        ),
        ("test_add_my_chip", "my_chip", "test_x.TestX::test_add", {}),
    ],
)
def test_a_generic_test_has_one_name_on_every_device(
    test: str, device: str, name: str, parameters: dict[str, str]
) -> None:
    assert parse_device_generic_name("test_x.TestX", test, device) == ParsedTestId(
        name, parameters, device
    )


def test_a_test_that_names_no_device_is_no_generic_one() -> None:
    assert parse_device_generic_name("test_x.TestX", "test_add", "cpu") is None
    assert parse_device_generic_name("test_x.TestX", "test_add_cpu_fast", "cpu") is None


@pytest.mark.parametrize(
    ("nodeid", "name"),
    [
        ("tests/ops/test_x.py::TestX::test_y[a::b/c]", "tests.ops.test_x.TestX::test_y"),
        ("tests/test_x.py::test_y", "tests.test_x::test_y"),
        ("tests/test_x.py", "tests.test_x"),
        ("user can login", "user can login"),
    ],
)
def test_a_node_has_the_name_that_junit_gives_it(nodeid: str, name: str) -> None:
    assert parse_pytest_node_id(nodeid).name == name


def test_no_identity_tells_two_devices_apart() -> None:
    for device in ("cpu", "cuda", "npu", "xpu"):
        found = parse_junit_test_id(f"TestX{device.upper()}", f"test_a_{device}_float32")
        assert (found.name, found.parameters) == ("TestX::test_a", {"dtype": "float32"})
        found = parse_junit_test_id("TestX", f"test_a[{device}-float32]")
        assert (found.name, found.parameters) == ("TestX::test_a", {"dtype": "float32"})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pytest", "pytest"),
        ("a_b.c-1", "a_b.c-1"),
        ("My Tests (GPU)", "my-tests-gpu"),
        ("TestX\n", "testx"),
        ("Prüfung", "pr-fung"),
        ("測試", None),
        ("", None),
        ("x" * 61, "x" * 60),
        ("x" * 59 + "-y-z", "x" * 59),
    ],
)
def test_a_suite_has_an_id(name: str, expected: str | None) -> None:
    assert valid_suite_id(name) == expected


@given(st.text(max_size=500), st.text(max_size=600))
def test_any_name_fits_a_report(container: str, test: str) -> None:
    found = parse_junit_test_id(container, test)
    assert len(found.name) <= MAX_NAME
    assert all(0 < len(value) <= MAX_CASE for value in found.parameters.values())
    assert set(found.parameters) <= {"dtype", "case"}


def test_two_long_names_stay_two() -> None:
    one, other = (
        shortened_with_digest("x" * 300 + "1", MAX_NAME),
        shortened_with_digest("x" * 300 + "2", MAX_NAME),
    )
    assert one != other
    assert len(one) == len(other) == MAX_NAME
    assert shortened_with_digest("x" * MAX_NAME, MAX_NAME) == "x" * MAX_NAME
