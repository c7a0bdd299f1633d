# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of following another body's motion begin with."""

import bpy
import pytest
from walking import stander, walker


@pytest.fixture
def body(rigify, made_once):
    """A human that stands, active, and is to follow one that walks."""
    return made_once("who is to follow a walk", lambda: (walker(), stander()))


@pytest.fixture
def leader(body):
    """The human that walks."""
    return bpy.data.objects["Walk"]
