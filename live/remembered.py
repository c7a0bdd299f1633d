# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a pose was found for, and how its bones hung together then, stored with the armature.

After undo, or in another session, a pose that has been found is not sought again.
"""

import numpy as np
from bpy.types import Object

from ..armature import Batch
from ..armature.problem.wanted import Wanted
from ..armature.setup.array_text import from_text, to_text
from .build import build_of, is_same_build
from .reading import Reading


def remember(ob: Object, wanted: Wanted, batch: Batch) -> None:
    """Store what a pose has been found for."""
    ob.superpose.followed = f"{wanted.digest}|{to_text(build_of(batch))}"


def is_found(ob: Object, wanted: Wanted) -> bool:
    """Return whether the pose that was found last was found for just that."""
    return ob.superpose.followed.partition("|")[0] == wanted.digest


def is_built(ob: Object, reading: Reading) -> bool:
    """Return whether the bones hang together as when a pose was last found."""
    before = from_text(ob.superpose.followed.partition("|")[2]).reshape(-1, 4, 3)
    farthest = float(np.abs(reading.frame.matrices[:, :3, 3]).max())
    return is_same_build(before, build_of(reading.batch), farthest)
