"""One build, in a process of its own that reports what it used: `python -m benchmarks.build`."""

from __future__ import annotations

import json
import logging
import resource
import sys
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config

# `ru_maxrss` counts kilobytes, on macOS bytes.
_UNIT = 1 if sys.platform == "darwin" else 1024


def main() -> None:
    """Build the site of FOLDER; print processor seconds and peak memory, start-up included."""
    logging.basicConfig(level=logging.WARNING)
    config = load_config(str(Path(sys.argv[1]) / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    used = resource.getrusage(resource.RUSAGE_SELF)
    peak = used.ru_maxrss * _UNIT
    print(json.dumps({"cpu": used.ru_utime + used.ru_stime, "peak": peak}))


if __name__ == "__main__":
    main()
