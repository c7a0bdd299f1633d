# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the manual that ships with the extension: the pages of docs/ as web pages, with their pictures.

python workshop/manual.py FOLDER
"""

import re
import sys
from html import escape
from pathlib import Path
from shutil import copy, rmtree

from markdown_it import MarkdownIt
from mdit_py_plugins.anchors import anchors_plugin

DOCS = Path(__file__).resolve().parent.parent / "docs"
STYLE = """
body { max-width: 56em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 sans-serif; }
body { color: #222; background: #fff; }
nav a { margin-right: 1em; } img { max-width: 100%; } a { color: #1a5fb4; }
table { border-collapse: collapse; }
td, th { border: 1px solid #ccc; padding: .3em .6em; vertical-align: top; }
code { background: #f2f2f2; } pre { background: #f2f2f2; padding: 1em; overflow-x: auto; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #222; } a { color: #78aeed; } td, th { border-color: #555; }
  code, pre { background: #333; } }
"""
PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Superpose: {title}</title><style>{style}</style></head>
<body>
<nav>{links}</nav>
{body}</body>
</html>
"""


def titles(pages: list[Path]) -> dict[Path, str]:
    """Return the first heading of each page."""
    found = {page: re.search(r"^# (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE) for page in pages}
    return {page: heading[1] for page, heading in found.items()}


def as_html(text: str) -> str:
    """Return the body of a page; headings are anchors, and links to pages lead to the web pages."""
    renderer = MarkdownIt("gfm-like", {"linkify": False}).use(anchors_plugin, max_level=4)
    return re.sub(r'href="([\w-]+)\.md(#|")', r'href="\1.html\2', renderer.render(text))


def make(folder: Path) -> None:
    """Make the manual in the folder, in place of what is there."""
    rmtree(folder, ignore_errors=True)
    (folder / "pictures").mkdir(parents=True)
    pages = sorted(DOCS.glob("*.md"), key=lambda page: (page.stem != "panel", page.stem))
    named = titles(pages)
    links = "".join(f'<a href="{page.stem}.html">{escape(title)}</a>' for page, title in named.items())
    for page, title in named.items():
        body = as_html(page.read_text(encoding="utf-8"))
        html = PAGE.format(title=escape(title), style=STYLE, links=links, body=body)
        (folder / f"{page.stem}.html").write_text(html, encoding="utf-8")
        for picture in re.findall(r'src="(pictures/[^"]+)"', body):
            copy(DOCS / picture, folder / picture)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
