from __future__ import annotations

from pathlib import Path

from accelerator_reports.failure_texts import NO_REASON
from accelerator_reports.formats.format_list import detect_format
from accelerator_reports.formats.xpu_skip_list import read_xpu_skip_list
from tests.reports.format_file import FormatFile

# The structure is that of torch-xpu-ops' file; the tests are made up.
LIST = """\
PYTORCH_TEST_DIR = "../test"
raise SystemExit("the file is never run")  # one line for Python: \x0c
skip_dict = {
    "nn/test_a_xpu.py": None,
    "test_b_xpu.py": (
        # RuntimeError: not implemented,
        # https://github.com/acme/ops/issues/12
        "test_one_xpu",
        "test_two_xpu",
    ),
    f"{PYTORCH_TEST_DIR}/nn/test_c.py": ["test_three"],
}
"""


FILE = FormatFile("skip_list_common.py", read_xpu_skip_list)


def test_tests_on_the_list_are_skipped_with_the_comment_above_them(tmp_path: Path) -> None:
    found = FILE.read(tmp_path, LIST)
    assert detect_format(tmp_path / FILE.name) == "xpu-skip-list"
    link = "https://github.com/acme/ops/issues/12"
    assert [(t.name, t.outcome, t.reason) for t in found.tests] == [
        ("test_b_xpu::test_one_xpu", "skipped", f"RuntimeError: not implemented, {link}"),
        ("test_b_xpu::test_two_xpu", "skipped", NO_REASON),  # the comment may not be its own
        ("test_c::test_three", "skipped", NO_REASON),
    ]
    known = found.tests[0].known_issue
    assert known
    assert str(known.url) == link
    assert found.suites[0].name == "xpu/torch-xpu-ops"
    assert found.entries == {"taken": 3}
    found = FILE.read(
        tmp_path, f"{LIST}skip_dict['test_d.py'] = ('test_four',)\nskip_dict.update({{}})"
    )
    assert found.entries == {"taken": 3, "with errors": 2}
