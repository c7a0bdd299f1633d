# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of live posing begin with."""

import bpy
import pytest
from live_figures import live_figure


@pytest.fixture(autouse=True)
def _empty_file(blend):
    """Begin with nothing, and leave nothing live."""
    yield
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.fixture
def ob():
    """A figure with targets, live and at rest."""
    return live_figure()
