from __future__ import annotations

import pytest

from accelerator_portal.catalog import load_catalog
from accelerator_portal.site.platforms.extra_imports import extra_import
from tests.folders import ACCELERATOR, EXAMPLE, Tree

SINCE = "none since torch-example 2.6.0; before that: "


@pytest.mark.parametrize(
    ("integration", "package", "words", "statement"),
    [
        ("in-tree", "", "none", ""),
        ("in-tree", ", autoload: false", "none", ""),
        ("out-of-tree", "", "not stated", ""),
        ("out-of-tree", ", autoload: false", "", "import torch_example"),
        ("out-of-tree", ", autoload: true", "none", ""),
        ("out-of-tree", ", autoload: true, autoload_since: 2.6.0", SINCE, "import torch_example"),
    ],
)
def test_a_plugin_is_imported_unless_torch_loads_it(
    tree: Tree, integration: str, package: str, words: str, statement: str
) -> None:
    text = EXAMPLE[ACCELERATOR].replace("value: in-tree", f"value: {integration}")
    text = text.replace("import: torch_example", f"import: torch_example{package}")
    catalog, problems = load_catalog(tree({**EXAMPLE, ACCELERATOR: text}))
    assert catalog is not None, problems
    found = extra_import(catalog.by_id["example"])
    assert (found.words, found.statement) == (words, statement)
