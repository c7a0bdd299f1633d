# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What body a rig is, and which of its bones is what: roles by names and by shape.

``recognise`` gives a ``Body``. Directions always go from joint to joint, never along a bone; scale,
rotation, the order of siblings and the rest pose make no difference.
"""

from .body import SURE, Body
from .directions import directions
from .holds import is_name, label, said
from .masses import Mass, masses
from .recognition import recognise
from .role import Role
from .twists import TwistShare, twist_shares

__all__ = [
    "SURE",
    "Body",
    "Mass",
    "Role",
    "TwistShare",
    "directions",
    "is_name",
    "label",
    "masses",
    "recognise",
    "said",
    "twist_shares",
]
