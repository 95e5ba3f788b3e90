from __future__ import annotations

import pytest

from tests.folders import EXAMPLE, INSTALL, Edit, ProblemsAfter, Tree, edited, problems_in

IMAGE = '"example/torch:{torch}-{variant_version}"'
NARROW = "restrict the option, or remove the placeholder"


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        (
            [(INSTALL, "  - id: ex1\n", "  - id: ex0\n    name: Example 0\n  - id: ex1\n")],
            ['8: no option has the variant "ex0"; remove it, or add an option'],
        ),
        (
            [(INSTALL, '">=1.10"', '">=3"')],
            ['36: the option "image" matches no combination; check its releases and filters'],
        ),
        (
            [(INSTALL, '"torch=={torch}"', '"torch=={troch}"'),
             (INSTALL, "methods: [pip, uv]", "os: [linux]\n    methods: [pip, uv]")],
            [('21: {troch} is not a placeholder (torch 1.10.0 on linux and 7 more); '
             'did you mean "torch"?')],
        ),
        (
            [(INSTALL, '"torch=={torch}"', '"torch=={torch}", "{torchvision}"')],
            [f"21: {{torchvision}} has no value (torch 1.9.1 on linux and 1 more); {NARROW}"],
        ),
        (
            [(INSTALL, "packages: [torch]", 'packages: ["torch=={torch}"]')],
            [f"28: {{torch}} has no value (torch preview on linux); {NARROW}"],
        ),
        (
            [(INSTALL, IMAGE, '"{plugin}"')],
            [("36: {plugin} has no value (torch 1.10.0 on linux); "
              "add compatibility: true, and plugin: to the rows of compatibility.yaml")],
        ),
        (
            [(INSTALL, "print(torch.__version__)", "print('$' + torch.__version__)")],
            [('21: "import torch; print(\'$\' + torch.__version__)" cannot be quoted for '
             "PowerShell and cmd alike (torch 1.10.0 on windows and 1 more); "
             "write it without quotes, $, % and backticks")],
        ),
        (
            [(INSTALL, "methods: [docker]", "methods: [docker, pip]")],
            [('36: "image" and "wheels" both match ex2, 1.10.0, linux, x86_64, pip, 3.12; '
             "restrict one of the two")],
        ),
        (
            [(INSTALL, "methods: [docker]", "methods: [docker, source]"),
             (INSTALL, "methods: [pip, uv]", "methods: [pip, uv, docker]"),
             (INSTALL, '"torch=={torch}"', "torch")],
            [('36: "image" and "wheels" both match ex2, 1.10.0, linux, x86_64, docker, any; '
             "restrict one of the two")],
        ),
        ([(INSTALL, "    variants: [ex2]", '    python: ["3.13"]\n    variants: [ex2]')], []),
    ],
)  # fmt: skip
def test_every_option_leads_to_rows_of_its_own(
    edits: list[Edit], expected: list[str], problems_after: ProblemsAfter
) -> None:
    found = problems_after(*edits)
    assert [p for p in found if p.startswith(INSTALL)] == [f"{INSTALL}:{e}" for e in expected]


def test_a_fault_in_one_folder_hides_nothing_in_another(tree: Tree) -> None:
    other = {
        path.replace("example", "other"): text.replace("name: Example\n", "name: Other\n")
        for path, text in edited(
            (INSTALL, "id: ex1\n", "id: ex0\n    name: Idle\n  - id: ex1\n")
        ).items()
        if path.startswith("accelerators")
    }
    faulty = edited((INSTALL, '"torch=={torch}"', '"torch=={troch}"'))
    problems = problems_in(tree({**EXAMPLE, **faulty, **other}))
    idle = 'accelerators/other/install.yaml:8: no option has the variant "ex0"; '
    assert idle + "remove it, or add an option" in problems
