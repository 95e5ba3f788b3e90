from __future__ import annotations

from tools.coverage_by_component import table


def summary(lines: int, statements: int, taken: int, branches: int) -> dict[str, dict[str, int]]:
    counts = {
        "covered_lines": lines,
        "num_statements": statements,
        "covered_branches": taken,
        "num_branches": branches,
    }
    return {"summary": counts}


def test_modules_count_for_their_component_and_the_total() -> None:
    files = {
        "src/accelerator_portal/__init__.py": summary(0, 0, 0, 0),
        "packages/automation/src/accelerator_automation/github/api.py": summary(1, 2, 0, 0),
        "src/accelerator_portal/site/site_file.py": summary(10, 10, 2, 4),
        "src/accelerator_portal/site/difference/site_state.py": summary(5, 10, 1, 4),
        "src/accelerator_portal/catalog/catalog.py": summary(1000, 2000, 0, 0),
    }
    assert list(table({"files": files}))[2:] == [
        "| accelerator_automation | 50.0% of 2 | – |",
        "| catalog | 50.0% of 2,000 | – |",
        "| site | 75.0% of 20 | 37.5% of 8 |",
        "| **all** | 50.2% of 2,022 | 37.5% of 8 |",
    ]
