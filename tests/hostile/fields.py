"""Values that their fields refuse, by the file and the text that they stand instead of."""

from __future__ import annotations

from collections.abc import Mapping
from json import dumps

from tests.folders import ACCELERATOR, COMPATIBILITY, GUIDE, INSTALL

NO_ADDRESS, NO_FORM = "is not a web address", "has an invalid format"

_ADDRESSES = {
    "javascript": "javascript:alert(1)",
    "javascript in mixed letters": "JaVaScRiPt:alert(1)",
    "javascript behind a space": " javascript:alert(1)",
    "javascript with a tab": "java\tscript:alert(1)",
    "javascript that holds an address": "javascript:'https://pytorch.org'",
    "javascript behind slashes": "javascript://pytorch.org/%0aalert(1)",
    "vbscript": "vbscript:msgbox(1)",
    "data": "data:text/html,<script>alert(1)</script>",
    "a file": "file:///etc/passwd",
    "FTP": "ftp://example.org/",
    "plain HTTP": "http://example.org/",
    "no scheme": "//example.org/",
    "no host": "https:///x",
    "nothing but a scheme": "https://",
    "no slashes": "https:example.org",
    "one slash": "https:/example.org",
    "backslashes": "https:\\\\example.org",
    "a backslash before the host": "https://pytorch.org\\@evil.example/",
    "a quotation mark": 'https://example.org/"onmouseover="alert(1)',
    "an apostrophe": "https://example.org/'onmouseover='alert(1)",
    "a backtick": "https://example.org/`",
    "a bracket": "https://example.org/<script>",
    "a space": "https://example.org/ onmouseover=alert(1)",
    "a line break": "https://example.org/\nx",
    "a user": "https://pytorch.org@evil.example/",
    "a user and a password": "https://pytorch.org:443@evil.example/",
    "letters of another alphabet": "https://pyt\u043erch.org/",
    "a space without width in the host": "https://example\u200b.org/",
    "a point of full width": "https://pytorch\uff0eorg/",
    "percent signs in the host": "https://pytorch.org%2f.evil.example/",
    "an address of version 6 that does not end": "https://[::1",
    "capitals in the scheme": "HTTPS://example.org/",
    "too many letters": f"https://example.org/{'x' * 500}",
}
_HIDDEN_ADDRESSES = {
    "an override of direction": "https://example.org/\u202egpj.exe",
    "a control sign": "https://example.org/\u0001",
}
_PACKAGES = (
    "torch; rm -rf /",
    "torch && id",
    "../x",
    "torch ",
    "-e .",
    "t\u043erch",
    "",
    "x" * 101,
)
_MODULES = ("os; x", "a-b", "1a", "a..b", "t\u043erch", "__import__('os')", "")
_LOGINS = ("../x", "a b", "-a", "a--b", '"><b>', "x" * 40, "")
_IDS = ("../x", "/etc", "A", "a b", "a--b", "-a", "a-", "\u0441uda", "a\nb", "x" * 61, "", "a/b")
_MARKS = ("", "A", "ABC", "A<", "\u00c4A", "A\n")
_NAMES = ("<b>x</b>", "a & b", "x" * 41, "", "a\nb", "a\u202eb", "</title>", "&lt;")
_VERSIONS = ("9" * 5000, "1.0; id", "../1", "latest", "v2.1.0", "1.0+" + "x" * 200, "")
_DAYS = ("20260102", "2026-13-01", "tomorrow", "0000-00-00", "'2026-01-02T00:00'", "1e9")
_VARIABLES = ("A B", "A;id", "A=B", "\u00c4", "1A", "", "A" * 101)
_PLACEHOLDERS = ("{0}", "{torch.__class__}", "{index!r}", "{nothing}", "{torch:>9999999999}")

_SIGNS = "\u2705\u2713\u2714\u2611\u2715\u2717\u274c\u25cb\u25cf\u2605\u2b50\u2260\u2205\u221a\u26a0\u2139\uffee"
_VERDICTS = {f"U+{ord(sign):04X}": f"{sign} verified" for sign in _SIGNS}

_HOST = (
    ["--privileged"], ["--privileged=true"], ["--rm", "--privileged"], ["--use-api-socket"],
    ["--pid=host"], ["--pid", "host"], ["--net", "host"], ["--network=host"], ["--userns=host"],
    ["--uts", "host"], ["--cap-add=SYS_ADMIN"], ["--cap-add", "all"], ["--cap-add=CAP_BPF"],
    ["--security-opt", "seccomp=unconfined"], ["--security-opt=apparmor=unconfined"],
    ["--security-opt=label=disable"], ["-v", "/:/host"], ["-v/:/host"], ["-v=/:/host"],
    ["-itv", "/:/host"], ["--volume", "//:/host"], ["--volume=/usr/..:/host"], ["-v", "/etc/:/x"],
    ["-v", "/var/run/docker.sock:/var/run/docker.sock"], ["-v", "/var/run:/x"],
    ["--mount", "type=bind,source=/,target=/x"], ["--mount=type=bind,src=/run/docker.sock"],
    ["--device", "/dev"],
)  # fmt: skip

Edit = tuple[str, str, str, str]  # path, what stands there, what stands there then, what is said


def _each(what: str, values: tuple[str, ...] | Mapping[str, str], *edit: str) -> dict[str, Edit]:
    """One case for each value; `{}` in the edit's new text is where it stands."""
    path, old, new, says = edit
    named = values if isinstance(values, Mapping) else {value[:40]: value for value in values}
    return {
        f"{what}: {name!r}": (path, old, new.replace("{}", dumps(value)), says)
        for name, value in named.items()
    }


_CARD = "hardware: {generations: [{name: x, builds: [], note: x, source: made-up,"
_URL = 'url: "https://example.org/forum"'
_STEP = '["torch=={torch}"]'

REFUSED: Mapping[str, Edit] = {
    **_each("an address", _ADDRESSES, ACCELERATOR, _URL, "url: {}", "support[1].url"),
    **_each(
        "an address", _HIDDEN_ADDRESSES, ACCELERATOR, _URL, "url: {}", "is not allowed in text"
    ),
    **_each(
        "an address of a source",
        {"javascript": "javascript:alert(1)"},
        GUIDE,
        "url: https://example.org/made-up",
        "url: {}",
        NO_ADDRESS,
    ),
    **_each(
        "an index of packages",
        ("http://example.org/", "file:///x", "--extra-index-url x", "{index}@evil.example"),
        INSTALL,
        'packages: ["torch=={torch}"], index: "{index}"',
        'packages: ["torch=={torch}"], index: {}',
        NO_ADDRESS,
    ),
    **_each(
        "an index on a host that is a placeholder",
        ("https://{torch}.evil.example/", "https://{torch}/", "https://evil{variant}.example/x"),
        INSTALL,
        'packages: ["torch=={torch}"], index: "{index}"',
        'packages: ["torch=={torch}"], index: {}',
        "a placeholder in its host",
    ),
    **_each(
        "an address of a source on a host that is malformed or private",
        {
            "Punycode without letters": "https://xn--/",
            "Punycode": "https://xn--pytrch-lxf.org/",
            "this machine": "https://localhost/",
            "this machine as a number": "https://2130706433/",
            "this machine by version 6": "https://[::1]/",
            "the metadata of a cloud": "https://169.254.169.254/latest/",
            "a port that is none": "https://example.org:99999/",
            "a name without a point": "https://intranet/",
        },
        GUIDE,
        "url: https://example.org/made-up",
        "url: {}",
        "is not the name of a public host",
    ),
    **_each(
        "the name of a file to download",
        {
            name: f"https://example.org/{name}"
            for name in (
                "%E2%80%AEgpj.exe",
                "%1B[2Jx",
                "x%00y",
                "x%0Ay",
                "..%2F..%2F%2Ebashrc",
                "-o",
                "%2D%2Doutput",
                "a%5C..%5Cb",
                ".bashrc",
                "a%20b",
                "a;b",
                "%C2%ADx",
                "x" * 201,
            )
        },
        INSTALL,
        'docker: {image: "example/torch:{torch}-{variant_version}"}',
        "download: {url: {}}",
        "is not plain",
    ),
    **_each(
        "a package to install",
        (
            "torch torchvision",
            "torch; rm -rf /",
            "torch ==",
            "../torch",
            "torch\\",
            "torch@x",
            "t\u043erch",
        ),
        INSTALL,
        'packages: ["torch=={torch}"], index',
        "packages: [{}], index",
        "is not a valid requirement; write one package per item",
    ),
    **_each(
        "an option as a package",
        ("--no-deps", "-r requirements.txt", "--index-url=https://evil.example", "-e ."),
        INSTALL,
        'packages: ["torch=={torch}"], index',
        "packages: [{}], index",
        "is an option, not a package",
    ),
    **_each("a package", _PACKAGES, ACCELERATOR, "name: torch-example", "name: {}", "package.name"),
    **_each(
        "a module", _MODULES, ACCELERATOR, "import: torch_example", "import: {}", "package.import"
    ),
    **_each(
        "a login",
        _LOGINS,
        ACCELERATOR,
        "support:\n",
        "maintainers: [{github: {}, source: made-up}]\nsupport:\n",
        "maintainers[1].github",
    ),
    **_each("an id", _IDS, INSTALL, "id: ex2,", "id: {},", "variants[1].id"),
    **_each("a mark", _MARKS, ACCELERATOR, "mark: EX", "mark: {}", "mark"),
    **_each("a name", _NAMES, ACCELERATOR, "name: Example\n", "name: {}\n", "name"),
    **_each("a name", _VERDICTS, ACCELERATOR, "name: Example\n", "name: {}\n", "in a name"),
    **_each("a vendor", _VERDICTS, ACCELERATOR, "vendor: E", "vendor: {} # ", "in a name"),
    **{
        f"a container with {' '.join(args)}": (
            INSTALL,
            'variant_version}"}',
            f'variant_version}}", args: {dumps(args)}}}',
            "isolates the container less from the reader's machine; remove it, or state the reason",
        )
        for args in _HOST
    },
    **{
        f"a command with {' '.join(args)}": (
            INSTALL,
            '- docker: {image: "example/torch:{torch}-{variant_version}"}',
            f"- run: {dumps([engine, 'run', *args, 'x'])}",
            "write the command as a docker step with host_access",
        )
        for args, engine in zip(_HOST, ("docker", "podman") * len(_HOST), strict=False)
    },
    "a reason for nothing": (
        INSTALL,
        'variant_version}"}',
        (
            'variant_version}", args: [--net, none, -v, "/opt:/opt", --privileged=false], '
            "host_access: {reason: x, source: made-up}}"
        ),
        "remove host_access",
    ),
    **_each(
        "a version",
        _VERSIONS,
        COMPATIBILITY,
        '{torch: "1.10.0", variant',
        "{torch: {}, variant",
        "rows[1].torch",
    ),
    **_each(
        "a range of versions",
        ("=={}".format("9" * 5000), ">=1; id", "~", "*", ",".join([">=1"] * 9000)),
        INSTALL,
        'torch: ">=1.10"',
        "torch: {}",
        "options[3].torch",
    ),
    **_each("a placeholder", _PLACEHOLDERS, INSTALL, f"packages: {_STEP}", "packages: [{}]", "{"),
    **_each(
        "a variable",
        _VARIABLES,
        INSTALL,
        "    steps:\n      - docker:",
        "    steps:\n      - env: {{}: x}\n      - docker:",
        "steps[1].env",
    ),
    **{
        f"a day: {day!r}": (
            ACCELERATOR,
            "read: 2026-01-02",
            f"read: {day}",
            "read",
        )
        for day in _DAYS
    },
    "a figure that is infinite": (
        ACCELERATOR,
        "support:\n",
        f"{_CARD} models: [{{name: x, memory_gb: .inf}}]}}]}}\nsupport:\n",
        "memory_gb",
    ),
    "a figure that is none": (
        ACCELERATOR,
        "support:\n",
        f"{_CARD} models: [{{name: x, power_w: .nan}}]}}]}}\nsupport:\n",
        "power_w",
    ),
    "a check that is a program": (
        INSTALL,
        "import torch\n      print(torch.__version__)",
        "while True: pass",
        "compound statements are not allowed",
    ),
    "a check that no parser can read": (
        INSTALL,
        "import torch\n      print(torch.__version__)",
        "x = " + "-" * 3900 + "1",
        "Python cannot parse this code",
    ),
    "a check of brackets": (
        INSTALL,
        "import torch\n      print(torch.__version__)",
        "(" * 3900,
        "invalid Python",
    ),
    "a variant that nobody describes": (INSTALL, "variants: [ex2]", "variants: [../ex2]", "ex2"),
}
