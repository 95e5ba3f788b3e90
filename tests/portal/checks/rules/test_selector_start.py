from __future__ import annotations

from tests.folders import EXAMPLE, SELECTOR, Tree, problems_in


def test_without_any_platform_each_choice_names_an_unknown_one(tree: Tree) -> None:
    root = tree({path: text for path, text in EXAMPLE.items() if path.startswith("data")})
    (root / "accelerators").mkdir()
    assert problems_in(root) == [
        f'{SELECTOR}:{line}: there is no platform "example"; remove it' for line in (2, 3)
    ]
