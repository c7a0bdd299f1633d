# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body in the user's hand: bones that are held are where the hand has them, and the rest follows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from math import inf

import bpy
import numpy as np
from bpy.types import Context, Object, Scene

from ...armature import (
    Batch,
    KeptPose,
    Rig,
    Sight,
    channels_of,
    is_plain,
    mirrored_place,
    present_sight,
    read_frame,
    read_rig,
    settings_of,
    write_pose,
)
from ...armature.by_role.recognised import whole_body
from ...dragging import Drag, Found
from ...reports import Report, miss_text, report_of
from ...solvers.geometry import Array
from .bone_places import places_of
from .carried import carried_by_part, following_carrier, grab_of, pinned_part, with_others_still, with_stiff
from .fingers import finger_of, with_loose
from .followers import followers_with_targets, gave_way
from .motion import Motion
from .planted import with_feet_planted
from .targets_along import TargetsAlong, targets_along


@dataclass(eq=False)
class Puppet:
    """A body that the user holds by one or more of its effectors.

    - ``uid``: the armature's id in this session, which outlives undo
    - ``turns``: what is held keeps the turn that the hand gives it; so does a hand that only follows
    - ``drag``: how the body follows
    - ``rows``: of the effectors that are held, by bone; ``begin``: where these were, world (4, 4), by bone
    - ``mirrored``: the bone that goes as the mirror image of the first one, or nothing; others than these two
      keep their places to the first
    - ``followers``: the rows, by bone, of those whose targets go where they do
    - ``constraints``: those of the bones
    - ``found``: the pose for the last motion; ``asked``: that motion, and whether pins were released;
      ``left``: the channels that were written of it
    """

    uid: int
    turns: bool
    frame_number: int
    drag: Drag
    rows: Mapping[str, int]
    begin: Mapping[str, Array]
    mirrored: str
    followers: Mapping[str, int]
    along: TargetsAlong
    kept: KeptPose
    constraints: tuple[tuple[str, bool], ...]
    found: Found | None = None
    asked: tuple[Motion, bool] | None = None
    left: Mapping[str, Array] = field(default_factory=dict)

    @property
    def bone(self) -> str:
        """The bone that is held, or the first of two."""
        return next(iter(self.begin))

    def follow(self, ob: Object, motion: Motion, are_pins_released: bool, seconds: float = inf) -> None:
        """Pose the body for a motion of what is held, in haste, as found within so many ``seconds`` or little
        more. Raises RigError or SolverError.
        """
        self._take(ob, motion, are_pins_released, partial(self.drag.move, seconds=seconds))

    def put(self, ob: Object, motion: Motion, are_pins_released: bool) -> None:
        """Pose the body for a motion of what is held that comes at once, as it stays.

        Raises as ``follow`` does.
        """
        self._take(ob, motion, are_pins_released, self.drag.put)

    def _take(
        self,
        ob: Object,
        motion: Motion,
        are_pins_released: bool,
        find: Callable[[Mapping[int, Array]], Found],
    ) -> None:
        """Pose the body as is found for a motion, unless it is the last one: what is at rest stays so."""
        if self.asked and self.asked[0].is_as(motion) and self.asked[1] == are_pins_released:
            return
        self.asked, self.drag.are_pins_released = None, are_pins_released
        places = self.places(ob, motion)
        found = find({self.rows[bone]: place for bone, place in places.items()})
        self.along.move(places)
        self._show(ob, found)
        self.asked = motion, are_pins_released

    def rest(self, ob: Object, seconds: float = inf) -> bool:
        """Pose the body for the last motion as it rests; return whether it is.

        Where that takes more ``seconds`` the next call goes on; what was late is caught up with meanwhile.
        Raises as ``follow`` does.
        """
        rested = self.drag.rest(seconds)
        found, self.drag.caught_up = rested or self.drag.caught_up, None
        if found is not None:
            self._show(ob, found)
        return rested is not None

    def _show(self, ob: Object, found: Found) -> None:
        self.found = found
        write_pose(self.drag.rig, ob, self.found.solution.pose)
        ob.update_tag()
        self.left = channels_of(ob)

    def places(self, ob: Object, motion: Motion) -> dict[str, Array]:
        """Return where the motion takes what is held, world (4, 4) by bone."""
        first = motion.of(self.begin[self.bone])
        move = first @ np.linalg.inv(self.begin[self.bone])
        places = {bone: move @ begin for bone, begin in self.begin.items() if bone != self.mirrored}
        places[self.bone] = first
        if self.mirrored:
            (bone, place), other = next(iter(places.items())), self.mirrored
            image = mirrored_place(ob, bone, other, place)
            if ob.pose.use_mirror_relative:
                before = mirrored_place(ob, bone, other, self.begin[bone])
                image = Motion.between(before, image).of(self.begin[other])
            places[other] = image
        return places

    def is_interrupted(self, context: Context) -> str:
        """Return what has come between since the last motion, or nothing."""
        ob = self.armature(context)
        if ob is None:
            return "its armature is not in this scene any more"
        if ob.mode != 'POSE':
            return "Pose Mode was left"
        if context.scene.frame_current != self.frame_number:
            return "the frame was changed"
        if not self.drag.rig.is_of(ob):
            return "bones were added, removed or renamed"
        if constraints_on(self.drag.rig, ob) != self.constraints:
            return "the constraints of its bones were changed"
        present = channels_of(ob)
        if any(not np.array_equal(present[name], values) for name, values in self.left.items()):
            return "the pose was changed by something else"
        return ""

    def armature(self, context: Context) -> Object | None:
        """Return the armature object if it is in the scene still."""
        return next((ob for ob in context.scene.objects if ob.session_uid == self.uid), None)

    def report(self, sights: Sequence[Sight] = ()) -> Report:
        """Return how the last motion went.

        ``sights``: what Blender shows of the pose, where that may be something else than was found.
        """
        found = self.found
        return report_of(found.rig, [found.frame], found.skeleton, found.solution, sights)

    def missed_text(self, scene: Scene, report: Report) -> str:
        """Return which of the bones that are held could not get where they are taken, and by how much."""
        left = {bone: (report.distances[0, row], report.angles[0, row]) for bone, row in self.rows.items()}
        missed = [bone for bone, row in self.rows.items() if report.missed[0, row]]
        misses = [f"'{bone}' by {miss_text(scene, *left[bone])}" for bone in missed]
        return f"missed {', '.join(misses)}" if misses else ""

    def sights(self, context: Context, ob: Object) -> list[Sight]:
        """Return what Blender shows of the pose, where anything else than its channels may have a say.

        Beside what the hand asked for, of which the scene knows nothing.
        """
        if is_plain(ob):
            return []
        asked = self.found.frame
        sight = present_sight(context.evaluated_depsgraph_get(), self.found.rig, ob)
        frame = replace(sight.frame, targets=asked.targets, influences=asked.influences)
        return [replace(sight, frame=frame)]

    def take_back(self, ob: Object) -> None:
        """Put body and targets back to how they were; what others have set since stays."""
        self.along.give_back()
        self.kept.give_back(ob, self.left)

    def going(self, share: float = 1.0) -> list[str]:
        """Return the bones whose targets have to go along for the pose to be found again.

        Of what gave way those that did by more than a ``share`` of what can be seen.
        """
        holds = self.drag.rig.holds
        followers = {
            bone: row
            for bone, row in self.followers.items()
            if holds[row] != 'PINNED' or self.drag.are_pins_released
        }
        return [*self.rows, *gave_way(followers, self.found, share)]

    def let_go(self, context: Context) -> None:
        """Let others touch the pose again, and live posing see how it is."""
        self.kept.let_go()
        ob = self.armature(context)
        if ob:
            ob.update_tag()
            context.view_layer.update()


def take_hold(context: Context, ob: Object, bone: str, turns: bool) -> Puppet:
    """Return the body held by a bone, and by that of the other side where Blender mirrors what is posed.

    The other effectors stay where they are. If the armature is live, they are asked to be where their targets
    are. Feet are in any case that stand on their balls there, or stood there before their heels had to lift.
    Raises RigError or SolverError.
    """
    body = None if turns else whole_body(ob)
    bone = (pinned_part(ob, body, bone) if body else "") or bone
    other = other_side(ob, bone)
    held = [name for name in (bone, other, *following_carrier(ob, bone)) if name]
    carried = {name: carried_by_part(ob, body, name) if body else () for name in held}
    rig = read_rig(ob, [grab_of(ob, name, names, turns) for name, names in carried.items()])
    rig = with_others_still(with_stiff(rig, {*chain(*carried.values())}), held)
    settings = settings_of(ob)
    frame = read_frame(rig, ob, context.evaluated_depsgraph_get())
    strays = {joint: far for name in held if body for joint, far in finger_of(ob, body, name).items()}
    rig, frame = with_loose(rig, strays, frame)
    if not ob.superpose_live:
        stands = Batch(rig, [frame]).standing_on_balls()[0]
        frame = replace(frame, influences=np.where(stands, frame.influences, 0.0))
    frame = with_feet_planted(rig, ob, frame)
    rows = {effector.bone: row for row, effector in enumerate(rig.effectors) if effector.bone in held}
    followers = followers_with_targets(rig, ob, frame, set(rows.values()))
    return Puppet(
        uid=ob.session_uid,
        turns=turns,
        frame_number=context.scene.frame_current,
        drag=Drag(rig, settings, frame, frozenset(rows.values())),
        rows=rows,
        begin=places_of(context, ob, held),
        mirrored=other,
        followers=followers,
        along=targets_along(rig, ob, [*held, *followers]),
        kept=KeptPose(ob),
        constraints=constraints_on(rig, ob),
    )


def constraints_on(rig: Rig, ob: Object) -> tuple[tuple[str, bool], ...]:
    """Return the constraints of all bones that are solved, and which of them are muted."""
    bones = (ob.pose.bones[int(index)] for index in rig.indices)
    return tuple((constraint.name, constraint.mute) for bone in bones for constraint in bone.constraints)


def other_side(ob: Object, bone: str) -> str:
    """Return the bone that is posed as this one's mirror image, where there is one and Blender mirrors."""
    other = bpy.utils.flip_name(bone) if ob.pose.use_mirror_x else bone
    return other if other != bone and other in ob.pose.bones else ""
