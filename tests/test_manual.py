# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The manual that ships: every page of docs, with links, headings and pictures that are there."""

import re
import subprocess

import pytest
from shipped import ROOT

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    folder = tmp_path_factory.mktemp("manual")
    environments = [ROOT / "workshop/environments.sh", "tools"]
    place = subprocess.run(environments, capture_output=True, text=True, check=True).stdout.strip()
    python = f"{place}/bin/python"
    subprocess.run([python, ROOT / "workshop/manual.py", folder], check=True)
    return folder


def test_every_page_is_there(manual):
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")}
    assert {page.stem for page in manual.glob("*.html")} == pages


def test_what_pages_lead_to_is_there(manual):
    texts = {page.name: page.read_text(encoding="utf-8") for page in manual.glob("*.html")}
    for name, text in texts.items():
        for link in re.findall(r'(?:href|src)="([^"]+)"', text):
            if not link.startswith(("http:", "https:")):
                place, _, heading = link.partition("#")
                assert (manual / (place or name)).exists(), link
                assert not heading or f'id="{heading}"' in texts[place or name], link


def test_tables_are_tables(manual):
    assert not re.search(r"^\|", (manual / "panel.html").read_text(encoding="utf-8"), re.MULTILINE)
