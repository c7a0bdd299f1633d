# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of dragging begin with."""

import sys
from math import inf

import bpy
import figures
import pytest
from handheld import pose_mode


@pytest.fixture(autouse=True)
def _empty_file(left_empty, blend):
    """Begin with nothing."""


@pytest.fixture(autouse=True)
def _unhurried(addon, monkeypatch):
    """Moves end when they are found: how fast the machine is has no say in where they lead."""
    monkeypatch.setattr(sys.modules[f"{addon.name}.operators.posing.with_mouse"], "FRAME", inf)


@pytest.fixture
def ob():
    """A figure in Pose Mode with effectors and no targets."""
    found = figures.figure()
    figures.select_bones(found, *figures.EFFECTORS)
    bpy.ops.superpose.add_effectors()
    return pose_mode(found)


@pytest.fixture
def metarig(rigify):
    """Rigify's human in Pose Mode, as it comes."""
    bpy.ops.object.armature_human_metarig_add()
    return pose_mode(bpy.context.object)
