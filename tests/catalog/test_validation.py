from __future__ import annotations

import pytest

from accelerator_portal.catalog import Problem
from tests.folders import (
    ACCELERATOR,
    COMPATIBILITY,
    EXAMPLE,
    INSTALL,
    RELEASES,
    SELECTOR,
    ProblemsAfter,
)

SEE = "see the format reference"
ANY_OS = '"linux", "windows" or "macos"'

TOO_DEEP = "Python cannot parse this code; reduce the nesting"
JOINED = (
    "the lines change their meaning when joined into one line; "
    "write each statement on one line, without comments"
)


def with_feature(name: str, works: str) -> str:
    return f"mark: EX\nfeatures: {{{name}: {{works: {works}, source: made-up}}}}\n"


ACCELERATOR_KEYS = (
    "access, additional_platform, description, device, dispatch_key, documentation, "
    "error_names, features, hardware, identify, integration, lifecycle, maintainers, mark, name, "
    "operating_systems, own_sites, package, report_feeds, sources, suites, summary, support, "
    "upstream_ci, upstream_events, vendor, vendor_names"
)


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        # unknown and missing keys
        (ACCELERATOR, "mark: EX", "mark: EX\nlogo: x", [
            f'9: unknown key "logo"; use one of: {ACCELERATOR_KEYS}'
        ]),
        (ACCELERATOR, "Made up., value: ex", "Made up., valeu: ex", [
            '13: "value" is missing; add device.value',
            '13: unknown key "valeu"; did you mean "value"?',
        ]),
        (ACCELERATOR, "import: torch_example", "module: torch_example", [
            '14: "import" is missing; add package.import',
            ('14: unknown key "module"; '
            "use one of: autoload, autoload_since, import, name, note, repository, shared_name, "
            "source"),
        ]),
        (ACCELERATOR, "mark: EX\n", with_feature("compile", "partly"), [
            ('9: features.compile: "partly" has no note that says which part works; '
            "add a note with the source's words")
        ]),
        (ACCELERATOR, "mark: EX\n", with_feature("compiler", "yes"), [
            '9: features: unknown key "compiler"; did you mean "compile"?'
        ]),
        (ACCELERATOR, "mark: EX\n", with_feature("amp", "maybe"), [
            '9: features.amp.works: "maybe" is not known; use "yes", "partly" or "no"'
        ]),
        (ACCELERATOR, "mark: EX", "mark: EX\na(b): 1\nstr: 1\ntuple[int, ...]: 1", [
            f'{line}: unknown key "{key}"; use one of: {ACCELERATOR_KEYS}'
            for line, key in [(9, "a(b)"), (10, "str"), (11, "tuple[int, ...]")]
        ]),
        (INSTALL, "id: ex2", "id: Ex2", [
            ('7: variants[1].id: "Ex2" has an invalid format; '
            "use lowercase letters and digits, separated by single - _ . characters"),
        ]),
        # wrong types
        (ACCELERATOR, "name: Example\n", "name: 4\n", [
            '6: name: 4 is read as the number 4; put it in quotes: "4"'
        ]),
        (ACCELERATOR, "mark: EX", "mark: no", [
            '8: mark: no is read as the truth value false; put it in quotes: "no"'
        ]),
        (ACCELERATOR, "mark: EX", "mark: 2026-01-02", [
            '8: mark: 2026-01-02 is read as the date 2026-01-02; put it in quotes: "2026-01-02"'
        ]),
        (ACCELERATOR, "mark: EX", "mark:", [f"8: mark: expected a text; {SEE}"]),
        (ACCELERATOR, "mark: EX", "mark: [E, X]", [f"8: mark: expected a text; {SEE}"]),
        (ACCELERATOR, "device: {note: Made up., value: ex, source: made-up}", "device: ex", [
            f"13: device: expected a mapping (key: value); {SEE}"
        ]),
        (ACCELERATOR, "import: torch_example", "import: torch_example, autoload: yess", [
            f"14: package.autoload: expected true or false; {SEE}"
        ]),
        (INSTALL, "methods: [pip, uv]", "methods: pip", [
            "23: options[1].methods: expected a list; write [pip]"
        ]),
        (INSTALL, "methods: [pip, uv]", "methods: [pip, conda, {a: b}, null]", [
            ('23: options[1].methods[2]: "conda" is not known; '
            'use "pip", "uv", "docker", "source" or "libtorch"'),
            ('23: options[1].methods[3]: expected "pip", "uv", "docker", "source" or "libtorch"; '
            f"{SEE}"),
            ('23: options[1].methods[4]: "null" is not known; '
            'use "pip", "uv", "docker", "source" or "libtorch"'),
        ]),
        (INSTALL, "methods: [pip, uv]", "methods: []", [
            "23: options[1].methods: the value is empty; enter a value or remove the key"
        ]),
        (SELECTOR, "os: windows", "os: no", [f'3: start[2].os: "no" is not known; use {ANY_OS}']),
        # texts
        (ACCELERATOR, "mark: EX", 'mark: " "', [
            '8: mark: " " has an invalid format; write two letters or digits'
        ]),
        (ACCELERATOR, "name: Example\n", 'name: " "\n', [
            "6: name: the text is empty; enter a value or remove the key"
        ]),
        (ACCELERATOR, "name: Example\n", 'name: "a\\nb"\n', [
            "6: name: the text has a line break or a tab; write it on one line"
        ]),
        (ACCELERATOR, "name: Example\n", f"name: {'x' * 41}\n", [
            "6: name: more than 40 characters; shorten it"
        ]),
        # addresses
        *(
            (ACCELERATOR, "https://example.org/forum", url, [
                (f'16: support[1].url: "{shown}" is not a web address; '
                "write a full https:// address")
            ])
            for url, shown in [
                ("javascript:alert(1)", "javascript:alert(1)"),
                ("https://", "https://"),
                ("//example.org", "//example.org"),
                ("https://exa mple.org", "https://exa mple.org"),
                ("https://example.org/<x>", "https://example.org/<x>"),
                ("https://[", "https://["),
                ("x" * 80, "x" * 60),
            ]
        ),
        # versions
        (COMPATIBILITY, '"1.10.0"', "1.10", [
            '7: rows[1].torch: 1.10 is read as the number 1.1; put it in quotes: "1.10"'
        ]),
        (COMPATIBILITY, '"1.10.0"', '"1.10.0-rc1"', [
            '7: rows[1].torch: "1.10.0-rc1" is not in normalized form; write "1.10.0rc1"'
        ]),
        (COMPATIBILITY, '"1.10.0"', '"new"', [
            '7: rows[1].torch: "new" is not a version; use a format like "2.10.0"'
        ]),
        (INSTALL, '">=1.10"', "1.10", [
            '37: options[3].torch: 1.10 is read as the number 1.1; put it in quotes: "1.10"'
        ]),
        (INSTALL, '">=1.10"', '"new"', [
            ('37: options[3].torch: "new" is not a version specifier; '
            'use a format like ">=2.6,<2.15"')
        ]),
        (INSTALL, '">=1.10"', '["1.10.0", "new"]', [
            '37: options[3].torch[2]: "new" is not a version; use a format like "2.10.0"'
        ]),
        (INSTALL, '">=1.10"', "{a: b}", [f"37: options[3].torch: expected a text; {SEE}"]),
        (RELEASES, '["3.12", "3.13", "3.13t"]', '[3.12, "3.13.1", "3.१३"]', [
            '14: releases[1].python[1]: 3.12 is read as the number 3.12; put it in quotes: "3.12"',
            ('14: releases[1].python[2]: "3.13.1" has an invalid format; '
            'use a format like "3.13", or "3.13t"'),
            ('14: releases[1].python[3]: "3.१३" has an invalid format; '
            'use a format like "3.13", or "3.13t"'),
        ]),
        # days
        *(
            (ACCELERATOR, "2026-01-02", day, [
                "5: sources.made-up.read: expected a date; use a format like 2026-11-21"
            ])
            for day in ("1763683200", "2026-01-02 10:00:00", "soon", '"1763683200"', "", "true")
        ),
        # records that contradict themselves
        (ACCELERATOR, "    read:", "    package: torch\n    read:", [
            "2: sources.made-up: a source needs either url or package; set exactly one of the two"
        ]),
        (ACCELERATOR, "read: 2026-01-02", "read: 2026-01-02\n    as_of: 2026-01-03", [
            "2: sources.made-up: as_of is later than read; use a date that is not after read"
        ]),
        (INSTALL, "      - docker:", "      - run: [ls]\n        docker:", [
            ("43: options[3].steps[1]: a step must have exactly one action; "
            "use one of: pip, docker, download, run, env")
        ]),
        (INSTALL, "      - docker:", "      - run:\n      - docker:", [
            ("43: options[3].steps[1]: a step must have exactly one action; "
            "use one of: pip, docker, download, run, env")
        ]),
        # addresses with placeholders
        (INSTALL, '      - docker: {image: "example/torch:{torch}-{variant_version}"}',
         '      - download: {url: "https://example.org/{torch}/"}', [
            ("43: options[3].steps[1].download.url: the address does not end with a file name; "
            "use the address of a file")
        ]),
        (INSTALL, '      - docker: {image: "example/torch:{torch}-{variant_version}"}',
         '      - download: {url: "http://example.org/{torch}"}', [
            ('43: options[3].steps[1].download.url: "http://example.org/{torch}" '
            "is not a web address with https; write https:// instead of http://")
        ]),
        (ACCELERATOR, "https://example.org/forum", "http://example.org", [
            ('16: support[1].url: "http://example.org" is not a web address with https; '
            "write https:// instead of http://")
        ]),
        (INSTALL, '["torch=={torch}"], index: "{index}"', '["torch=={torch}"], index: "{torch}"', [
            ('25: options[1].steps[1].pip.index: "{torch}" is not a web address; '
            "write a full https:// address")
        ]),
        # what is not seen
        *(
            (ACCELERATOR, "vendor: Example Vendor", f'vendor: "a{written}b"', [
                f"7: vendor: the character {name} is not allowed in text; remove it"
            ])
            for written, name in [
                (r"\u202e", "U+202E"), (r"\u2028", "U+2028"), (r"\0", "U+0000"),
                (r"\u200b", "U+200B"), (r"\e", "U+001B"), (r"\u2066", "U+2066"),
            ]
        ),
        # checks that one line cannot hold
        *(
            (INSTALL, "      print(torch.__version__)\n", f"      {code}\n", [
                f"14: checks.python.code: {problem}"
            ])
            for code, problem in [
                ("# a comment\n      print(1)", JOINED),
                ("print(1)  # a comment\n      print(2)", JOINED),
                ("print(\n      1,\n      2)", JOINED),
                ("if torch: print(1)",
                 "compound statements are not allowed; use only imports, assignments and calls"),
                ("print(", "invalid Python: '(' was never closed; correct the code"),
                (f"print({'-' * 3000}1)", TOO_DEEP),
                (f"print({'+'.join('1' * 1500)})", TOO_DEEP),
            ]
        ),
        (INSTALL, '    torch: ">=1.10"', "    compatibility: true\n    wheels: ex", [
            "36: options[3]: wheels and compatibility cannot be combined; remove one of the two"
        ]),
        (INSTALL, '    torch: ">=1.10"', "    images: ex\n    archives: ex", [
            "36: options[3]: images and archives cannot be combined; remove one of the two"
        ]),
        (INSTALL, '    torch: ">=1.10"\n', "", [
            ("36: options[3]: the option has no torch releases; "
            "add wheels, images, archives, compatibility or torch")
        ]),
        (INSTALL, "    os: [linux]\n", "", [
            "36: options[3]: the option has no operating systems or architectures; add os and arch"
        ]),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_line_and_what_would_be_right(
    path: str, old: str, new: str, expected: list[str], problems_after: ProblemsAfter
) -> None:
    found = problems_after((path, old, new))
    assert [problem for problem in found if problem.startswith(path)] == [
        f"{path}:{problem}" for problem in expected
    ]


@pytest.mark.parametrize("text", ["- a\n- b\n", "just words\n", "3\n", "[]\n", "~\n"])
def test_a_file_of_another_shape_is_told_so(text: str, problems_after: ProblemsAfter) -> None:
    found = problems_after((SELECTOR, EXAMPLE[SELECTOR], text))
    assert found == [f"{SELECTOR}:1: the file: expected a mapping (key: value); {SEE}"]


@pytest.mark.parametrize("path", ["::error::x.json", " ::error::x", "##[error]x", "a##[add-mask]b"])
def test_what_is_told_of_a_file_is_no_command_of_a_workflow(path: str) -> None:
    for told in (str(Problem(path, 1, path, path)), Problem(path, 1, path, path).words):
        assert not told.lstrip().startswith("::")
        assert "##[" not in told
