# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of a body while something of it is moved, found from the pose where that began.

- ``Drag``: what is dragged. It begins with what was read of an armature (``read_rig``, ``settings_of``,
  ``read_frame``) and knows nothing of Blender from then on. Live posing gives it the frames that it reads; an
  operator gives it places alone.
- ``HandEdit``: bones that are moved by Blender's own means
- ``held_in_place``: pins that stand while frames go by
- ``solved``: all targets asked for at once
- ``as_it_stands``: a pose that somebody else has made
"""

from .by_hand import HandEdit, edited_bones
from .drag import FRAME, Drag
from .found import Found
from .lifted import Solved, gone_on_with, solved
from .pins import held_in_place
from .posed_by_others import as_it_stands

__all__ = [
    "FRAME",
    "Drag",
    "Found",
    "HandEdit",
    "Solved",
    "as_it_stands",
    "edited_bones",
    "gone_on_with",
    "held_in_place",
    "solved",
]
