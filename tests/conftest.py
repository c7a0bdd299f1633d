# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every test may ask for; without Blender, `tests/blender` is left out and the rest still runs."""

import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from hypothesis import settings
from shipped import ROOT

SHARED = Path(os.environ.get("SUPERPOSE_SHARED", ROOT.parent / "shared"))
HAS_BLENDER = "bpy" in sys.modules or importlib.util.find_spec("bpy") is not None

SCRATCH = tempfile.mkdtemp(prefix="superpose-tests-")
# Blender reads this once, when it starts or bpy is first imported: nobody's own settings are touched.
os.environ.setdefault("BLENDER_USER_RESOURCES", SCRATCH)
# Several runs share one checkout, so none may write into it.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", SCRATCH)
repeatable = settings(derandomize=True, database=None, deadline=None, print_blob=True)
settings.register_profile("some", repeatable, max_examples=20)
settings.register_profile("many", repeatable, max_examples=200)
settings.load_profile(os.environ.get("SUPERPOSE_EXAMPLES", "some"))

SESSION = pytest.StashKey()
if HAS_BLENDER:
    import bpy  # before any test does: importing it makes addon_utils and mathutils importable
else:
    collect_ignore = ["blender"]


def pytest_report_header():
    if not HAS_BLENDER:
        return f"numpy {np.__version__}; no bpy here: tests/blender is left out"
    kind = bpy.app.binary_path or "bpy wheel"
    return f"numpy {np.__version__}; Blender {bpy.app.version_string} ({kind})"


def pytest_collection_modifyitems(config, items):
    """Leave to other rings the parts of the tests that they run.

    What is marked once has no other ring, unless this is a Blender program, of which all parts run.
    """
    if part := os.environ.get("SUPERPOSE_PART"):
        own, others, runs_once = [], [], not is_program()
        for item in items:
            is_whole = runs_once and item.get_closest_marker("once")
            (own if is_whole or is_in(part, item) else others).append(item)
        config.hook.pytest_deselected(items=others)
        items[:] = own


def is_program():
    """A wheel of Blender has no program."""
    return HAS_BLENDER and bool(bpy.app.binary_path)


def is_in(part, item):
    """By its name: so each case of a test may be in any part, and stays in it when others are added."""
    number, of = (int(word) for word in part.split("/"))
    return crc32(item.nodeid.encode()) % of == number - 1


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture
def rng():
    return np.random.default_rng(20260)


@pytest.fixture(scope="session")
def shared_data():
    """The folder of real rigs and motions that lies beside the checkout."""
    data = SHARED / "data"
    if not data.is_dir():
        pytest.skip(f"no rigs and motions: {data} is missing")
    return data


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    session.config.stash[SESSION] = session


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """With bpy loaded the interpreter's own way out crashes (4.2) or hangs (4.5): take the short way."""
    shutil.rmtree(SCRATCH, ignore_errors=True)
    session = config.stash.get(SESSION, None)
    if session is None or not HAS_BLENDER:
        return
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(int(session.exitstatus))
