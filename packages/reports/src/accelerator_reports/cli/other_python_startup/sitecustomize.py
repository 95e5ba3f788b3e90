"""Adds the folders of this package to the end of `sys.path` in another Python interpreter.

`validate --python` adds the folder of this module to PYTHONPATH, so that every process of the
validation run imports this module at startup. Packages of the other Python are found first. This
package and its base dependencies are found in the added folders.
"""  # noqa: INP001 - a folder for PYTHONPATH, no package

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

sys.path[:] = [folder for folder in sys.path if Path(folder) != Path(__file__).parent]
sys.path.extend(os.environ.get("ACCELERATOR_PORTAL_PATH", "").split(os.pathsep))

# The other Python may have its own sitecustomize, which this module hides.
_this = sys.modules.pop("sitecustomize")
try:
    import_module("sitecustomize")
except ImportError:
    sys.modules["sitecustomize"] = _this
