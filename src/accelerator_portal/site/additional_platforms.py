"""The portal's platforms in the format of pytorch.org's page of Additional Platforms."""

from __future__ import annotations

from html import escape

from packaging.version import Version

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.fields import Os
from accelerator_portal.install.additional_platforms import (
    AdditionalPlatform,
    AdditionalPlatforms,
    Commands,
    listed_id,
)
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.rows import PREVIEW, InstallRow
from accelerator_portal.site.anchors import slug
from accelerator_portal.site.vendor_text import render_vendor_text

_SYSTEMS: tuple[Os, ...] = ("linux", "windows")


def additional_platforms(catalog: Catalog) -> AdditionalPlatforms:
    """Return every platform that pytorch.org's own selector lacks and that has a pip command.

    `generated_at` is the day on which the newest fact was read: the same facts make the same file.
    """
    found = {p: entry for p in catalog.platforms if (entry := _platform(catalog, p))}
    days = [
        s.read for p in catalog.platforms for _, file in p.sourced_files() for s in file.values()
    ]
    return AdditionalPlatforms(
        schema_version=1,
        generated_at=f"{max(days)}T00:00:00+00:00" if days else None,
        platforms={listed_id(platform): entry for platform, entry in found.items()},
        html={listed_id(platform): _guide(platform) for platform in found},
    )


def _platform(catalog: Catalog, platform: Platform) -> AdditionalPlatform | None:
    if platform.id in catalog.defaults.primary:
        return None
    rows = [row for row in rows_by_platform(catalog)[platform.id] if row.method == "pip"]
    stable = _commands(platform, [row for row in rows if row.build != PREVIEW])
    if stable is None:
        return None
    return AdditionalPlatform(
        name=platform.accelerator.name,
        support_channel=platform.accelerator.support[0].url,
        stable=stable,
        preview=_commands(platform, [row for row in rows if row.build == PREVIEW]),
    )


def _commands(platform: Platform, rows: list[InstallRow]) -> Commands | None:
    lines = {os: _line(platform, [row for row in rows if row.os == os]) for os in _SYSTEMS}
    if not any(lines.values()):
        return None
    return Commands(linux=lines["linux"], windows=lines["windows"])


def _line(platform: Platform, rows: list[InstallRow]) -> str | None:
    """The newest build's commands for the most usual architecture and the first variant."""
    if not rows:
        return None
    variants = [variant.id for variant in platform.install.variants]
    newest = max((row.build for row in rows if row.build != PREVIEW), key=Version, default=PREVIEW)
    best = min(
        (row for row in rows if row.build == newest),
        key=lambda row: (
            row.arch != "x86_64",
            variants.index(row.variant) if row.variant in variants else 0,
        ),
    )
    return " && ".join(best.commands)


def _guide(platform: Platform) -> str:
    """The guide as HTML; ids begin with the platform's, as all guides share one page there."""
    parts = [f"<h1>Installing on {escape(platform.accelerator.name)}</h1>\n"]
    for section in platform.guide.sections:
        anchor = f"{listed_id(platform)}-{slug(section.title)}"
        html = render_vendor_text(section.text, anchor, lambda _: None)
        parts.append(f'<h2 id="{anchor}">{section.title}</h2>\n{html}')
    links = "".join(
        _source_item(source.title, source.url) for source in platform.guide.sources.values()
    )
    return (
        "".join(parts)
        + f'<h2 id="{listed_id(platform)}-sources">Sources</h2>\n<ul>\n{links}</ul>\n'
    )


def _source_item(title: str, url: str | None) -> str:
    text = escape(title)
    return f'<li><a href="{escape(url)}">{text}</a></li>\n' if url else f"<li>{text}</li>\n"
