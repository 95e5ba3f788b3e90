from __future__ import annotations

from tests.folders import ACCELERATOR, Tree, edited, problems_in

NOTED = "device: {note: Made up., value: ex, source: made-up}"
DEVICE = NOTED.replace("note: Made up., ", "")


def two(first: str, second: str) -> dict[str, str]:
    """The example and a copy of it that another vendor made."""
    files = edited((ACCELERATOR, NOTED, first))
    other = edited((ACCELERATOR, NOTED, second))
    copies = {
        path.replace("/example/", "/other/"): text.replace("name: Example\n", "name: Other\n")
        for path, text in other.items()
        if path.startswith("accelerators/")
    }
    return {**files, **copies}


def test_a_shared_device_without_a_note_is_named_on_each(tree: Tree) -> None:
    problems = problems_in(tree(two(DEVICE, DEVICE.replace("ex,", "EX,"))))
    assert problems == [
        f'accelerators/{folder}/accelerator.yaml:13: the device "ex" is also used by {name}; '
        "explain in device.note how to distinguish the platforms"
        for folder, name in (("example", "Other"), ("other", "Example"))
    ]


def test_with_notes_it_is_fine(tree: Tree) -> None:
    assert problems_in(tree(two(NOTED, NOTED))) == []


def test_one_alone_needs_no_note(tree: Tree) -> None:
    assert problems_in(tree(edited((ACCELERATOR, NOTED, DEVICE)))) == []
