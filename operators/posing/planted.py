# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where pinned feet without targets stood before their heels had to lift: there they come down again.

A target remembers that. Without one the bone does, for as long as the foot's ball is there.
"""

from dataclasses import replace

import numpy as np
from bpy.types import Object, PoseBone

from ...armature import VISIBLE_DISTANCE, Batch, FrameSnapshot, Rig, figure_extents, places_in_pose
from ...dragging import Drag, Found


def with_feet_planted(rig: Rig, ob: Object, frame: FrameSnapshot) -> FrameSnapshot:
    """Return the frame in which feet whose heels had to lift are asked for where they stood."""
    places = {row: np.array(foot.superpose.planted) for row, foot in _feet(rig, ob).items()}
    if not any(place.any() for place in places.values()):
        return frame
    targets, influences = frame.targets.copy(), frame.influences.copy()
    for row, place in places.items():
        if place.any():
            targets[row], influences[row] = frame.armature_to_world @ place.reshape(4, 4), 1.0
    asked = replace(frame, targets=targets, influences=influences)
    stands = Batch(rig, [asked]).standing_on_balls()[0]
    left = np.isin(np.arange(len(stands)), list(places)) & ~stands
    return replace(asked, influences=np.where(left, 0.0, influences))


def keep_planted(ob: Object, drag: Drag, found: Found) -> None:
    """Have feet without targets remember where they stood if the drag leaves their heels lifted."""
    begun = places_in_pose(drag.rig, drag.begin, drag.batch.skeleton, drag.batch.pose)
    is_asked, standing = found.frame.influences > 0, {sole.foot for sole in found.rig.soles}
    off = found.solution.position_residuals[0] > VISIBLE_DISTANCE * figure_extents([drag.begin])[0]
    from_world = np.linalg.inv(drag.begin.armature_to_world)
    for row, foot in _feet(drag.rig, ob).items():
        place = from_world @ (found.frame.targets[row] if is_asked[row] else begun[row])
        is_lifted = foot.name in standing and off[row]
        foot.superpose.planted = place.ravel() if is_lifted else np.zeros(16)


def _feet(rig: Rig, ob: Object) -> dict[int, PoseBone]:
    """Return the pinned feet without targets, by their rows."""
    feet = {sole.foot for sole in rig.feet}
    bones = {row: one.bone for row, one in enumerate(rig.effectors) if one.bone in feet}
    return {row: ob.pose.bones[name] for row, name in bones.items() if rig.targetless[row]}
