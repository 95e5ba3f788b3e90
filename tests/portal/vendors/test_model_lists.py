"""Lists of models are read as described, and what is not described is refused."""

from __future__ import annotations

import pytest
import yaml

from accelerator_portal.catalog.files.shared_files import (
    LIST_ITEM,
    ModelList,
    StatedModel,
    StatedModels,
)
from accelerator_portal.vendors.model_lists import NOT_MARKED, read_models, stated_models_text
from accelerator_reports.files.problem import ProblemsError
from tests.folders import REPOSITORY

DOCUMENT = """\
# Models

| Version | Model |
| --- | --- |
| 1 | of another heading |

## Language

| Model | Examples | FP16 | INT8 | Engine |
| --- | --- | --- | --- | --- |
| **Llama** \N{CIRCLED DIGIT ONE} | [a/b](https://x.example)<br>`c` | [\N{WHITE HEAVY CHECK MARK}](x) | - | one |
| | | - | \N{WHITE HEAVY CHECK MARK}\N{VARIATION SELECTOR-15} | two |
| Qwen | d | - | - | one |
| Gemma ** | e | \N{WHITE HEAVY CHECK MARK} | - | one |

### Soon

| Model | Examples | FP16 |
| --- | --- | --- |
| Later | f | \N{WHITE HEAVY CHECK MARK} |
"""


def described(**more: object) -> ModelList:
    about = {
        "source": "list",
        "by": "Acme",
        "software": "acme",
        "headings": ["Language"],
        "except_headings": {"Soon": "planned"},
        "name": "Model",
        "examples": "Examples",
        "details": ["Engine"],
        "supported": ["FP16", "INT8"],
        "marks": {"\N{WHITE HEAVY CHECK MARK}": True, "-": False},
        "except_rows": {"**": "broken"},
    }
    return ModelList.model_validate({**about, **more})


def refused(text: str = DOCUMENT, **more: object) -> str:
    with pytest.raises(ProblemsError) as caught:
        read_models("list.md", text, described(**more))
    (problem,) = caught.value.problems
    return str(problem)


def test_rows_become_models_and_every_row_is_counted() -> None:
    found = read_models("list.md", DOCUMENT, described())
    assert found.models == (
        StatedModel(name="Llama", examples="a/b, c", details="one, FP16"),
        StatedModel(name="Llama", details="two, INT8"),
    )
    assert found.rows == 5
    assert found.left_out == {NOT_MARKED: 1, "broken": 1, "planned": 1}
    assert found.taken == 2


def test_rows_of_one_model_are_merged_and_one_column_of_marks_is_no_detail() -> None:
    found = read_models("list.md", DOCUMENT, described(examples=None, supported=["INT8"]))
    assert found.models == (StatedModel(name="Llama", details="two"),)
    found = read_models("list.md", DOCUMENT, described(examples=None))
    assert found.models == (StatedModel(name="Llama", details="one, FP16; two, INT8"),)
    alone: dict[str, object] = {"examples": None, "supported": ["FP16", "BF16"]}
    found = read_models("list.md", DOCUMENT, described(**alone))
    assert found.models == (StatedModel(name="Llama", details="one"),)
    found = read_models("list.md", DOCUMENT, described(**alone, details=[]))
    assert found.models == (StatedModel(name="Llama", details="FP16"),)


def test_a_remark_that_a_model_is_deprecated_is_kept_from_a_column_that_is_not_read() -> None:
    text = "## Language\n\n| Class | Model |\n| --- | --- |\n| A *(Deprecated)* | B |\n| C | D |\n"
    alone: dict[str, object] = {"examples": None, "supported": [], "marks": {}, "details": []}
    found = read_models("list.md", text, described(**alone, except_headings={}, except_rows={}))
    assert found.models == (StatedModel(name="B (Deprecated)"), StatedModel(name="D"))


def test_a_detail_that_is_a_mark_becomes_the_name_of_its_column() -> None:
    columns: dict[str, object] = {"supported": ["FP16"], "details": ["Engine", "FP16", "INT8"]}
    found = read_models("list.md", DOCUMENT, described(examples=None, **columns))
    assert found.models == (StatedModel(name="Llama", details="one, FP16"),)
    text = DOCUMENT.replace("](x) | - |", "](x) | \N{WHITE HEAVY CHECK MARK} |")
    found = read_models("list.md", text, described(examples=None, **columns))
    assert found.models == (StatedModel(name="Llama", details="one, FP16, INT8"),)


def test_a_heading_or_a_filled_column_states_what_a_model_runs_for() -> None:
    text = (
        "# Models\n\n## Training\n\n| Model |\n| --- |\n| Llama |\n\n## Serving\n\n"
        "| Model | Inference |\n| --- | --- |\n| Llama | one card |\n| Qwen | |\n"
    )
    plain: dict[str, object] = {"headings": ["Models"], "except_headings": {}, "except_rows": {}}
    plain |= {"examples": None, "details": [], "supported": [], "marks": {}}
    places = {"training": "Training", "inference": "Inference"}
    found = read_models("list.md", text, described(**plain, purpose_from=places))
    assert found.models == (
        StatedModel(name="Llama", purpose=("training", "inference")),
        StatedModel(name="Qwen"),
    )
    assert 'no heading or column "Tuning"' in refused(
        text, **plain, purpose_from={"training": "Tuning"}
    )


def test_html_tables_with_spans_and_tables_in_tabs_are_read() -> None:
    text = (
        "# List\n<table><thead>\n<tr><th rowspan=2>Model</th><th colspan=2>Training</th></tr>\n"
        "<tr><th>A1</th><th>A2</th></tr>\n</thead>\n"
        "<tr><td rowspan=0>Llama</td><td colspan=0>no</td><td>yes</td></tr>\n"
        "<tr><td>yes</td><td rowspan=99999999999>no</td></tr></table>\n\n"
        '=== "Tab"\n\n    | Model | Training A1 |\n    | --- | --- |\n    | Qwen | yes |\n'
    )
    columns = {"supported": ["Training A1", "Training A2"], "marks": {"yes": True, "no": False}}
    plain: dict[str, object] = {
        "headings": ["List"],
        "except_headings": {},
        "except_rows": {},
        "examples": None,
    }
    found = read_models("list.md", text, described(**plain, **columns))
    assert found.models == (
        StatedModel(name="Llama", details="Training A2; Training A1"),
        StatedModel(name="Qwen", details="Training A1"),
    )


def test_an_html_page_is_not_read_as_markdown() -> None:
    row = "<tr><td>Llama</td><td>a/b</td></tr>\n"
    table = f"<table>\n\n    <tr><th>Model</th><th>Examples</th></tr>\n    {row}</table>\n"
    page = f"<div>\n\n    <h2>Language</h2>\n{table}</div>\n"
    about: dict[str, object] = {"except_headings": {}, "supported": [], "marks": {}}
    found = read_models("list.html", page, described(**about, except_rows={}))
    assert found.models == (StatedModel(name="Llama", examples="a/b"),)


def test_what_is_not_described_is_refused_with_its_place() -> None:
    unknown = DOCUMENT.replace("| Qwen | d | - |", "| Qwen | d | maybe |")
    assert refused(unknown) == (
        'list.md:13: "Qwen" has "maybe" in the column "FP16"; add it to marks'
    )
    assert 'no heading "Language"' in refused(DOCUMENT.replace("## Language", "## Speech"))
    broken = DOCUMENT.replace("| --- | --- | --- | --- | --- |", "| --- |").partition("###")[0]
    assert 'no table below the heading "Language"' in refused(broken, except_headings={})
    assert 'no column "Name"' in refused(name="Name")
    empty = described(headings=["Chat"], examples=None, supported=[], marks={}, except_headings={})
    with pytest.raises(ProblemsError, match="it has no columns"):
        read_models("list.html", "<h2>Chat</h2><table></table>", empty)
    assert 'no column "BF16"' in refused(supported=["BF16"])
    assert "no row is left out for: gone" in refused(except_rows={"**": "broken", "?!": "gone"})
    assert "no row states a supported model" in refused(headings=["Soon"])
    nameless = DOCUMENT.replace("| **Llama** \N{CIRCLED DIGIT ONE} |", "| |")
    assert "a row has no name of a model" in refused(nameless)
    assert "at most 400" in refused(DOCUMENT.replace("**Llama**", "Llama" * 90))


def test_items_of_lists_are_models_and_an_item_with_a_list_is_none() -> None:
    text = """\
# Models

| list item |
| --- |
| of a table |

## Inference

- Llama
  - Llama 2 [7B](https://x.example)
  - Llama 3
- Mistral

## Training

1. Llama 3
"""
    about: dict[str, object] = {
        "headings": ["Models"],
        "except_headings": {},
        "name": LIST_ITEM,
        "examples": None,
        "details": [],
        "supported": [],
        "marks": {},
        "purpose_from": {"inference": "Inference", "training": "Training"},
        "except_rows": {"Mistral": "withdrawn"},
    }
    found = read_models("list.md", text, described(**about))
    assert found.models == (
        StatedModel(name="Llama 2 7B", purpose=("inference",)),
        StatedModel(name="Llama 3", purpose=("inference", "training")),
    )
    assert (found.rows, found.left_out) == (4, {"withdrawn": 1})


@pytest.mark.parametrize(
    "folder",
    [file.parent.name for file in sorted(REPOSITORY.glob("accelerators/*/stated-models.yaml"))],
)
def test_a_file_without_changes_is_written_as_it_was(folder: str) -> None:
    text = (REPOSITORY / f"accelerators/{folder}/stated-models.yaml").read_text("utf-8")
    assert stated_models_text(StatedModels.model_validate(yaml.safe_load(text))) == text
