# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the pose is the one that was solved. It is told fast enough to be asked whenever the panel is
drawn.

It is told from the channels of the solved bones, from where Blender shows them, from where the armature and
the targets are, and from what effectors hold. It is not told to the bit: keys give back what was keyed with
the rounding of their curves.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from bpy.types import Object, PoseBone, PropertyGroup
from numpy.typing import NDArray

from ..armature import CHANNELS, Rig, is_effector, place_of
from ..armature.bone_columns import bone_column
from ..armature.setup.array_text import from_text, to_text
from ..armature.setup.effectors import HOLDS, WEIGHTS

_SAME = 1e-6  # a difference in single precision that is rounding
_SAME_PLACE = 5e-5  # and what it may come to along a chain of bones, of the armature's size


class _Stand(NamedTuple):
    """How a rig stood when its pose was solved.

    ``effectors`` and ``bones``, those that are solved: places in ``ob.pose.bones``. ``values``: as of
    ``_values``. ``shown``: where Blender showed the bones, as of ``_matrices``; None if it did not yet.
    """

    effectors: list[int]
    bones: list[int]
    values: NDArray[np.float32]
    shown: NDArray[np.float32] | None

    @property
    def text(self) -> str:
        places = (" ".join(map(str, places)) for places in (self.effectors, self.bones))
        return "|".join([*places, *(to_text(part) for part in self[2:] if part is not None)])


def _stored(ob: Object) -> _Stand | None:
    """Return how the rig stood by the report that is stored; None if there is none of a single pose."""
    if not ob.superpose.stand:
        return None
    effectors, bones, values, *shown = ob.superpose.stand.split("|")
    return _Stand(
        [int(place) for place in effectors.split()],
        [int(place) for place in bones.split()],
        from_text(values),
        from_text(shown[0]).reshape(-1, 4, 4) if shown else None,
    )


def stand_of(ob: Object, rig: Rig, *, is_evaluated: bool) -> str:
    """Return which bones of ``ob.pose.bones`` are effectors and solved, and how they and the targets are.

    ``is_evaluated``: Blender shows the channels that the bones have; else it is unknown where they will be.
    """
    places, bones = rig.indices[rig.places].tolist(), rig.indices.tolist()
    effectors = [place for place in places if is_effector(ob.pose.bones[place])]
    shown = _matrices(ob, bones) if is_evaluated else None
    return _Stand(effectors, bones, _values(ob, effectors, bones), shown).text


def renew_stand(ob: Object, rig: Rig) -> None:
    """Have the report, of a pose a moment ago, hold for the present one, which Blender does not show yet."""
    ob.superpose.stand = stand_of(ob, rig, is_evaluated=False)


def complete_stand(ob: Object) -> None:
    """Add where Blender shows the bones to a stand that was stored before that was evaluated."""
    stand = _stored(ob)
    if stand and stand.shown is None:
        ob.superpose.stand = stand._replace(shown=_matrices(ob, stand.bones)).text


def take_up_targets(ob: Object) -> None:
    """Take into the stand where targets are that have gone along with the pose, now that it is evaluated."""
    stand = _stored(ob)
    if stand:
        present = _values(ob, stand.effectors, stand.bones)
        own = len(stand.bones) * sum(CHANNELS.values()) + 16  # channels of bones, and where the armature is
        taken_up = np.concatenate([stand.values[:own], present[own:]])
        ob.superpose.stand = stand._replace(values=taken_up).text


def is_outdated(ob: Object) -> bool:
    """Return whether bones or targets are elsewhere than when the report of a single pose was stored, or
    effectors hold anything else."""
    stand = _stored(ob)
    if stand is None:
        return False
    if len(ob.pose.bones) <= max(stand.bones):
        return True
    present = _values(ob, stand.effectors, stand.bones)
    if stand.values.shape != present.shape or not np.allclose(stand.values, present, rtol=_SAME, atol=_SAME):
        return True
    return stand.shown is not None and not _is_same_place(stand.shown, _matrices(ob, stand.bones))


def _is_same_place(before: NDArray[np.float32], present: NDArray[np.float32]) -> bool:
    """Return whether bones (bones, 4, 4) are in the same places; axes and heads are as long as they are."""
    return all(
        np.allclose(one, other, rtol=0, atol=_SAME_PLACE * np.abs(np.nan_to_num(one)).max(), equal_nan=True)
        for one, other in ((before[:, :3], present[:, :3]), (before[:, 3], present[:, 3]))
    )


def _matrices(ob: Object, bones: Sequence[int]) -> NDArray[np.float32]:
    """Return where Blender shows the bones, (bones, 4, 4), by columns: three axes and the head."""
    return bone_column(ob.pose.bones, "matrix", 16)[bones].reshape(-1, 4, 4)


def _values(ob: Object, effectors: Sequence[int], bones: Sequence[int]) -> NDArray[np.float32]:
    parts = [bone_column(ob.pose.bones, name, width)[bones] for name, width in CHANNELS.items()]
    asked = [*(_wanted(ob.pose.bones[place]) for place in effectors)]
    asked += [_asked(goal) for goal in ob.superpose.goals if goal.enabled]
    parts += [np.array(ob.matrix_world), np.array([*chain.from_iterable(asked)])]
    return np.concatenate([part.ravel() for part in parts]).astype(np.float32)


def _wanted(bone: PoseBone) -> list[float]:
    """Return what says where the effector should be, and how firmly."""
    settings = bone.superpose
    weights = [getattr(bone, name) for name in WEIGHTS]
    held = HOLDS.index(settings.hold)
    return _aimed(settings, [*bone.superpose_offset, bone.superpose_influence, *weights, held])


def _asked(goal: PropertyGroup) -> list[float]:
    """Return what says what a goal besides effectors asks for."""
    weights = [goal.weight, goal.position_weight, goal.rotation_weight]
    return _aimed(goal, [*goal.place, *goal.turn, goal.influence, *weights])


def _aimed(settings: PropertyGroup, own: list[float]) -> list[float]:
    """Return the settings' ``own`` numbers and where their target is, if they have one."""
    target = settings.target
    if target is None:
        return own
    aim = target.pose.bones.get(settings.target_bone) if target.pose else None
    matrix = target.matrix_world @ aim.matrix if aim else place_of(target)
    return [*own, *chain.from_iterable(matrix)]
