from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from accelerator_portal.catalog import load_catalog
from accelerator_portal.site import RepositoryLinks
from accelerator_portal.site.templates import TEMPLATES_FOLDER, Templates
from tests.folders import ACCELERATOR, EXAMPLE, REPOSITORY, Tree

SINCE = "none since torch-example 2.6.0; before that: import torch_example"


@pytest.mark.parametrize(
    ("integration", "package", "words"),
    [
        ("in-tree", "", "none"),
        ("in-tree", ", autoload: false", "none"),
        ("out-of-tree", "", "not stated"),
        ("out-of-tree", ", autoload: false", "import torch_example"),
        ("out-of-tree", ", autoload: true", "none"),
        ("out-of-tree", ", autoload: true, autoload_since: 2.6.0", SINCE),
    ],
)
def test_a_plugin_is_imported_unless_torch_loads_it(
    tree: Tree, integration: str, package: str, words: str
) -> None:
    text = EXAMPLE[ACCELERATOR].replace("value: in-tree", f"value: {integration}")
    text = text.replace("import: torch_example", f"import: torch_example{package}")
    catalog, problems = load_catalog(tree({**EXAMPLE, ACCELERATOR: text}))
    assert catalog is not None, problems
    links = RepositoryLinks("https://example.org", "https://example.org/edit/")
    templates = Templates(REPOSITORY / TEMPLATES_FOLDER, catalog=catalog, repository=links)
    page = LexborHTMLParser(templates.page("run-anywhere.md").content)
    (cell,) = page.css("tbody td:last-child")
    assert cell.text() == words
    assert [code.text() for code in cell.css("code")] == words.split(": ")[-1:] * (
        "import" in words
    )
