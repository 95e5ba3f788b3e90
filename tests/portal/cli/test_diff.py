from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_portal.site.difference import Difference
from accelerator_reports.cli import main
from tests.folders import EXAMPLE, FAQ
from tests.portal.site.difference.two_sites import site_of


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("sites")
    new = {**EXAMPLE, FAQ: EXAMPLE[FAQ].replace("No, it is", "No, that is")}
    return site_of(folder / "old", EXAMPLE), site_of(folder / "new", new)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["diff", *map(str, arguments)])


def test_markdown(sites: tuple[Path, Path]) -> None:
    done = run(*sites)
    assert done.exit_code == 0
    assert done.output == (
        "Readers will see 1 changed section or question.\n\n### `Example` (`example`)\n\n"
        "**Guide and questions**\n\n- `Question: Does it exist?`\n"
    )


def test_json(sites: tuple[Path, Path]) -> None:
    done = run(*sites, "--format", "json")
    assert done.exit_code == 0
    (platform,) = Difference.model_validate_json(done.output).platforms
    assert json.loads(done.output)["schema_version"] == 1
    assert [item.name for item in platform.texts] == ["Question: Does it exist?"]


def test_what_cannot_be_read_is_named_without_a_traceback(
    sites: tuple[Path, Path], tmp_path: Path
) -> None:
    broken = Path(shutil.copytree(sites[1], tmp_path / "broken"))
    (broken / "api/v1/quality.json").write_text("{", "utf-8")
    done = run(sites[0], broken)
    assert done.exit_code == 1
    assert done.output.startswith(f"{broken}/api/v1/quality.json:1: invalid JSON")
    assert isinstance(done.exception, SystemExit)


def test_a_report_is_read_when_it_is_compared(sites: tuple[Path, Path], tmp_path: Path) -> None:
    broken = Path(shutil.copytree(sites[1], tmp_path / "broken"))
    entry = {"id": "r", "accelerator": "example", "kind": "baseline", "report": "r.json"}
    index: dict[str, object] = {"reports": [entry | {"counts": {}}], "suites": {}}
    (broken / "api/v1/results/index.json").write_text(json.dumps(index), "utf-8")
    (broken / "api/v1/results/r.json").write_text('{"tests": 1}', "utf-8")
    done = run(sites[0], broken)
    assert done.exit_code == 1
    assert "api/v1/results/r.json:1: this is not a test report; build the site again" in done.output
