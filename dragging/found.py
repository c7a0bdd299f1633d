# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is found for a drag or an edit by hand."""

from dataclasses import dataclass

from ..armature import FrameSnapshot, Rig
from ..solvers import Skeleton, Solution


@dataclass(frozen=True, eq=False)
class Found:
    """A pose and what it was found for: until Blender shows it only the solver can be asked.

    Of the ``rig`` the effectors that go along ask for nothing: they are where they are wanted.
    """

    rig: Rig
    frame: FrameSnapshot
    skeleton: Skeleton
    solution: Solution
