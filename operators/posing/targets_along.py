# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The targets of bones that are dragged go along, so that Live and Solve then find the pose that is seen."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import bpy
from bpy.types import Object
from mathutils import Matrix

from ...armature import Rig, Stands, bearers, borne_targets, place_targets, why_unmovable
from ...armature.autokey import Owner
from ...armature.frames.object_channels import object_channels
from ...armature.joints.turns import placing_channels
from ...armature.rig.effectors import has_target
from ...solvers.geometry import Array


@dataclass(frozen=True)
class TargetsAlong:
    """The targets that may go along by bone, by their ids in this session, and what their properties were.

    ``borne``: the targets that hang on each; ``left``: what their properties were when they were last moved;
    ``stands``: where they were and are, as a drag moves them more often than Blender evaluates them.
    """

    targets: Mapping[str, int]
    borne: Mapping[int, frozenset[int]]
    before: Mapping[int, Mapping[str, tuple[float, ...]]]
    left: dict[int, Mapping[str, tuple[float, ...]]] = field(default_factory=dict)
    stands: Stands = field(default_factory=Stands)

    def move(self, places: Mapping[str, Array]) -> None:
        """Put targets where their bones are, world (4, 4), by bone."""
        found = self._found()
        moved = {found[bone]: Matrix(places[bone].tolist()) for bone in self.going(places)}
        self.stands.take_up(found.values())
        place_targets(moved, self.stands)
        self.left.update({target.session_uid: object_channels(target) for target in moved})

    def going(self, bones: Iterable[str]) -> list[str]:
        """Return the bones whose targets can go along together: those that carry others stay."""
        found = self._found()
        going = {bone: found[bone] for bone in bones if bone in found}
        stay = bearers(self.borne, going)
        return [bone for bone in going if bone not in stay]

    def give_back(self) -> None:
        """Put the targets that were moved where they were, to the bit.

        What is no more as it was left has been set by others, and stays.
        """
        self.stands.moves.clear()
        for target in self._found().values():
            left, present = self.left.pop(target.session_uid, {}), object_channels(target)
            for name, values in left.items():
                trios = zip(self.before[target.session_uid][name], values, present[name], strict=True)
                setattr(target, name, [old if now == ours else now for old, ours, now in trios])

    def channels(self, bones: Collection[str]) -> list[tuple[Owner, str]]:
        """Return the properties that say where the targets of these bones are."""
        found = self._found()
        targets = (found[bone] for bone in bones if bone in found)
        return [channel for target in targets for channel in placing_channels(target)]

    def _found(self) -> dict[str, Object]:
        """Return the targets that are still in the file."""
        objects = {ob.session_uid: ob for ob in bpy.data.objects}
        return {bone: objects[uid] for bone, uid in self.targets.items() if uid in objects}


def targets_along(rig: Rig, ob: Object, bones: list[str]) -> TargetsAlong:
    """Return the targets of the bones that can be moved."""
    movable = [ob.pose.bones[name] for name in bones if has_target(ob.pose.bones[name])]
    targets = {bone.name: bone.superpose.target for bone in movable if not why_unmovable(bone)}
    before = {target.session_uid: object_channels(target) for target in targets.values()}
    ids = {name: target.session_uid for name, target in targets.items()}
    return TargetsAlong(ids, borne_targets(rig, ob), before)
