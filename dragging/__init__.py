# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of a body while something of it is moved, found from the pose where that began.

A ``Drag`` begins with what was read of an armature (``read_rig``, ``settings_of``, ``read_frame``) and knows
nothing of Blender from then on: live posing gives it the frames that it reads, an operator the places alone.
"""

from .drag import Drag, Found

__all__ = ["Drag", "Found"]
