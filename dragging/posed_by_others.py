# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pose that somebody made leaves of what is asked for."""

from collections.abc import Iterable
from dataclasses import replace

from ..armature import Batch, FrameSnapshot, Rig
from ..solvers import Settings, unsought
from .asked import on_soles
from .found import Found


def as_it_stands(rig: Rig, frame: FrameSnapshot, settings: Settings, yields: Iterable[bool]) -> Found:
    """Return the pose of the frame with what it leaves of what is asked; none is sought.

    Feet may stand on their soles. ``yields``: by effector, whether it has given way: it is not missed. Raises
    RigError or SolverError.
    """
    rig = on_soles(rig, frozenset())
    parts = tuple('FOLLOWS' if one else part for one, part in zip(yields, rig.parts, strict=True))
    asked = replace(rig, parts=parts)
    batch = Batch(asked, [frame])
    return Found(asked, frame, batch.skeleton, unsought(batch.request_in([frame], settings)))
