"""Example data in the format of pytorch.org's file; neither platform exists."""

from __future__ import annotations

from typing import Any

FILE: dict[str, Any] = {
    "schema_version": 1,
    "generated_at": "2026-01-02T03:04:05+00:00",
    "generator_commit": "0000000",
    "platforms": {
        "first_card": {
            "name": "First Card",
            "support_channel": "https://example.org/help",
            "stable": {
                "linux": "pip3 install torch==1.10.0 --index-url https://download.pytorch.org/whl/cpu"
                " && pip3 install torch-first==1.10.0"
            },
        },
        "ex2": {
            "name": "Second",
            "support_channel": "https://example.org/second",
            "stable": {
                "linux": "pip3 install torch --index-url https://download.pytorch.org/whl/ex2",
                "windows": "pip3 install torch --index-url https://download.pytorch.org/whl/ex2",
            },
            "preview": {
                "linux": "pip3 install --pre torch --index-url https://download.pytorch.org/whl/nightly/ex2"
            },
        },
    },
    "html": {
        "first_card": "<h1>Installing</h1><h2>Prerequisites</h2><p>A <b>driver</b>.</p>"
        "<h2>Installation</h2><h3>pip</h3><pre><code>pip install x\n\ny</code></pre>"
        "<h2>Verification</h2><ul><li>Run <a href='https://example.org/run'>it</a></li></ul>"
        "<h2>More</h2><p>Words &lt;b&gt;.</p><script>alert(1)</script>"
    },
}
