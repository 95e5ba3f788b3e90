"""Lists in the form of PyTorch's, made up for the releases of the tests."""

from __future__ import annotations

import json

from tests.folders import INSTALL, edited

STEP = 'packages: ["torch=={torch}"], index: "{index}"'
FILES = edited(
    (INSTALL, STEP, 'packages: ["torch=={torch}", "torchvision==0.10.0"], index: "{index}"')
)
"""The example, whose command also installs torchvision."""

WHL = "https://download.pytorch.org/whl"
ARCHIVES = "https://download.pytorch.org/libtorch"


def pip(command: str | None, **other: object) -> dict[str, object]:
    """Return an entry for pip."""
    return {"note": None, "command": command, **other}


def archive(*addresses: str) -> dict[str, object]:
    """Return an entry for LibTorch."""
    return {"note": None, "versions": {f"Download {a[-12:]}:": a for a in addresses} or None}


LINUX_PIP = {
    "accnone": pip(f"pip3 install torch torchvision --index-url {WHL}/cpu"),
    "cuda.x": pip("pip3 install torch torchvision torchaudio"),
    "cuda.y": pip(f"pip3 install torch torchvision --index-url {WHL}/ex1"),
    "rocm5.x": pip(None),
}

NIGHTLY_LINUX = {
    "pip": {"cuda.x": pip(f"pip3 install --pre torch --index-url {WHL}/nightly/ex9")},
    "libtorch": {"cuda.x": archive(f"{ARCHIVES}/nightly/ex9/libtorch-latest.zip")},
}

PUBLISHED = {
    "latest_stable": "1.10.0",
    "versions": {
        "preview": {"linux": NIGHTLY_LINUX},
        "1.10.0": {
            "linux": {"pip": LINUX_PIP, "conda": {"accnone": pip("conda install pytorch")}},
            "macos": {"pip": {"cuda.x": pip("pip3 install torch", default=True)}},
            "windows": {"libtorch": {"accnone": archive(f"{ARCHIVES}/cpu/libtorch-win-a.zip")}},
        },
        "lts-1.8.2": {"linux": {"pip": LINUX_PIP}},
        "1.8.0": {"linux": {"pip": LINUX_PIP}},
    },
}

PUBLISHED_TEXT = json.dumps(PUBLISHED)

PREVIOUS_TEXT = f"""\
## Commands for Versions >= 1.0.0

### v1.10.0

#### Conda

##### OSX

```
conda install pytorch==1.10.0
```

#### Wheel

##### OSX

```
pip install torch==1.10.0 torchvision==0.10.0
```

##### Linux and Windows

```
# ROCM 7.2 (Linux only)
pip install torch==1.10.0 torchvision==0.9.0 --index-url {WHL}/ex1
# CUDA 13.0
pip install torch==1.10.0 torchvision==0.10.0 torchaudio==1.10.0 --index-url {WHL}/ex2
```

### Another heading

```
pip install torch==0.1
```
"""
