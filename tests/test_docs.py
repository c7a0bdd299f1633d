# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every python block of the scripting page runs, in order, in one namespace; links and figures hold."""

import re

import pytest
from shipped import ROOT

DOCS = ROOT / "docs"
SCRIPTING = DOCS / "scripting.md"
PAGES = sorted(DOCS.glob("*.md"))


def python_blocks(page):
    """Return (line, code) of each fenced python block."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text[: match.start(1)].count("\n"), match[1]) for match in found]


def test_the_examples_of_the_scripting_page_run_in_order():
    blocks, namespace = python_blocks(SCRIPTING), {}
    assert len(blocks) > 5
    for line, code in blocks:
        # Blank lines ahead make a traceback name the line of the page.
        exec(compile("\n" * line + code, str(SCRIPTING), "exec"), namespace)


def test_the_scripting_page_names_all_that_the_solvers_offer():
    import solvers

    text = SCRIPTING.read_text(encoding="utf-8")
    told = set(re.findall(r"\w+", text))
    # The kinds of error are told as one; their names say the rest.
    kinds = {"SkeletonError", "GoalError", "EffectorError", "LimitError", "ComfortError", "SettingsError"}
    assert set(solvers.__all__) - kinds <= told


def test_the_scripting_page_names_every_field_of_a_solution():
    from solvers import Solution

    text = SCRIPTING.read_text(encoding="utf-8")
    assert not [name for name in Solution.__dataclass_fields__ if f"`{name}`" not in text]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if not link.startswith(("http:", "https:", "mailto:"))]
    assert not [link for link in local if not (page.parent / link).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_of_the_repository_that_pages_name_are_there(page):
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`((?:solvers|tests|benchmarks|docs)/[\w./]+\.\w+)`", text)
    assert not [name for name in named if not (ROOT / name).exists()]


def test_the_page_of_solvers_tells_what_every_method_goes_by():
    from solvers import METHODS, PARAMETERS

    text = (DOCS / "solvers.md").read_text(encoding="utf-8")
    told = {name for method in METHODS[1:] for name in PARAMETERS[method]}
    assert not [name for name in told if f"`{name}`" not in text]
