# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body in the user's hand: bones that are held are where the hand has them, and the rest follows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, zip_longest
from math import inf

import bpy
import numpy as np
from bpy.types import Context, Object, Scene

from ...armature import (
    AS_POSED,
    Batch,
    Ground,
    KeptPose,
    Rig,
    Sight,
    are_animated,
    channels_of,
    is_effector,
    is_plain,
    mirrored_place,
    present_sight,
    read_frame,
    read_rig,
    settings_of,
    sole_of,
    target_matrix,
    unmovable_words,
    write_pose,
)
from ...armature.autokey import (
    channels_along,
    check_keys,
    key_channels,
    remarks_on_keys,
    standing_targets,
    write_and_key,
)
from ...armature.by_role.recognised import whole_body
from ...armature.fcurves.generated import count_generated
from ...armature.rig.effectors import has_target
from ...dragging import Drag, Found
from ...reports import (
    Report,
    miss_text,
    missed_lines,
    report_of,
    stay_text,
    store,
    strays_text,
    summary,
    with_behind,
)
from ...solvers.geometry import Array
from ..setup.first_set_up import doubt_text
from .between_keys import between_keys_text
from .carried import carried_by_part, following_carrier, grab_of, pinned_part, with_others_still, with_stiff
from .fingers import finger_of, with_loose
from .followers import apart, followers_with_targets, gave_way
from .motion import Motion
from .planted import keep_planted, with_feet_planted
from .targets_along import TargetsAlong, targets_along

# The share of what can be seen by which a target is not left behind: a solve would turn joints for it.
_UNSEEN = 0.05
_OUTDATED = "Bake Pins again before you render: what it keyed beside this frame was out of date, and is gone"


@dataclass(eq=False)
class Puppet:
    """``uid``: the armature's id in this session, which outlives undo. ``turns``: what is held keeps the turn
    that the hand gives it, a hand that only follows, too. ``drag``: how the body follows; ``rows`` of the
    effectors that are held, by bone; ``begin``: where they were, world (4, 4). ``mirrored``: the bone that
    goes as the first one's mirror image, if there is one; others than these two keep their places to the
    first. ``followers``: the rows of those, by bone, whose
    targets go where they do. ``constraints``: those of the bones. ``found``: the pose for the
    last motion, which with whether pins were released is ``asked``, and ``left``: the channels that were
    written of it.
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
        missed = [(bone, row) for bone, row in self.rows.items() if report.missed[0, row]]
        misses = [f"'{bone}' by {miss_text(scene, *left_of(report, row))}" for bone, row in missed]
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

    def settle(self, context: Context, ob: Object) -> Report:
        """Leave the body as it was found, and key it where automatic keyframing says so; return how it went.

        Targets are keyed too, where frames go by them. The panel shows how it went. Raises RigError where
        keys would do nothing: then all is as it was before.
        """
        self.rest(ob)
        gone = self.along.going(self.going(_UNSEEN))
        self.take_back(ob)
        kept = self.along.channels(self._keyed(ob, gone))
        check_keys(context, kept)
        generated = count_generated(ob)
        written = write_and_key(context, ob, self.drag.rig, self.found.solution.pose)
        self.along.move(places_of(context, ob, gone))
        context.view_layer.update()
        kept = channels_along(self.drag.rig, ob, kept)
        stand = standing_targets(self.drag.rig, ob)
        key_channels(context, [*kept, *stand], holds=[*kept, *stand])
        if ob.superpose_live:
            ob.superpose.followed = AS_POSED
        report = self.report(self.sights(context, ob))
        remarks = [remarks_on_keys(context, [*written, *kept]), between_keys_text(context, self.drag.rig, ob)]
        remarks += [_OUTDATED] if count_generated(ob) < generated else []
        self._leave_told(context.scene, ob, self._by_targets(context, ob, report), remarks)
        keep_planted(ob, self.drag, self.found)
        self._show_row(ob)
        return report

    def stand_on(self, ob: Object, ground: Ground | None) -> None:
        """Have feet that are held know the face that the first was put on; the others are on none."""
        for bone, own in zip_longest(self.begin, [ground]):
            if is_effector(foot := ob.pose.bones[bone]) and sole_of(foot):
                foot.superpose.ground = own or (0.0, 0.0, 0.0, 0.0)

    def _keyed(self, ob: Object, gone: Sequence[str]) -> list[str]:
        """Return whose targets to key of those that have ``gone`` along.

        A first key would have what is free, and was not dragged itself, asked for in all frames.
        """
        bones = [ob.pose.bones[name] for name in gone]
        pairs = zip(bones, are_animated(ob, bones, ()), strict=True)
        return [
            bone.name
            for bone, is_animated in pairs
            if is_animated or bone.name in self.rows or bone.superpose.hold != 'FREE'
        ]

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

    def stay_text(self, ob: Object) -> str:
        """Return which targets of these cannot go along and why, in a sentence."""
        bones = [ob.pose.bones[name] for name in self.going()]
        return stay_text(unmovable_words(filter(has_target, bones), self._bearers()))

    def _bearers(self) -> set[str]:
        """Return the bones whose targets would go along if they did not carry others that stay."""
        going = self.going()
        return self.along.targets.keys() & set(going) - set(self.along.going(going))

    def _by_targets(self, context: Context, ob: Object, report: Report) -> Report:
        """Return the report in which what is held is as far off as it is from a target that stays behind."""
        bones = [ob.pose.bones[name] for name in self.rows]
        bearers = self._bearers()
        targeted = filter(has_target, bones)
        stay = {bone.name: why for bone in targeted for why in unmovable_words([bone], bearers)}
        if not stay:
            return report
        frame = read_frame(self.drag.rig, ob, context.evaluated_depsgraph_get())
        places = np.array(list(places_of(context, ob, stay).values()))
        behind = {self.rows[name]: why for name, why in stay.items()}
        rows = list(behind)
        listed = [ob.pose.bones[name] for name in stay]
        moves = [each.superpose_position_weight > 0 for each in listed]
        turns = [each.superpose_rotation_weight > 0 and all(each.superpose.rotation_axes) for each in listed]
        distances, angles = apart(places, frame.targets[rows])
        counts = frame.influences[rows] > 0
        return with_behind(report, behind, distances * counts * moves, angles * counts * turns)

    def _leave_told(self, scene: Scene, ob: Object, report: Report, of_keys: Sequence[str]) -> None:
        """Leave where the panel shows it how the drag went, and what there is to know of its keys."""
        rig = self.found.rig
        strays = strays_text(scene, ob, rig, (), report.strays)
        is_listed = all(is_effector(ob.pose.bones[bone]) for bone in self.rows)
        missed = () if is_listed else missed_lines(scene, ob, rig, report)  # the list has no place for it
        notes = *of_keys, *missed, self.stay_text(ob), doubt_text(ob)
        store(scene, ob, rig, report, summary(scene, report), strays=strays, notes=notes)

    def _show_row(self, ob: Object) -> None:
        """Make the bone that was dragged the active one of the list; if it has no row there, none is."""
        ob.superpose.active_bone_index = ob.pose.bones.find(self.bone)

    def let_go(self, context: Context) -> None:
        """Let others touch the pose again, and live posing see how it is."""
        self.kept.let_go()
        ob = self.armature(context)
        if ob:
            ob.update_tag()
            context.view_layer.update()


def take_hold(context: Context, ob: Object, bone: str, turns: bool) -> Puppet:
    """Return the body held by a bone, and by that of the other side where Blender mirrors what is posed.

    The other effectors stay where they are. Where the armature is live, they are asked to be where their
    targets are. So are feet that stand on their balls there, or that stood there before their heels had to
    lift. Raises RigError or SolverError.
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


def places_of(context: Context, ob: Object, bones: Sequence[str]) -> dict[str, Array]:
    """Return where the points of bones that meet their targets are, world (4, 4), by bone."""
    depsgraph = context.evaluated_depsgraph_get()
    offsets = {name: offset_of(ob, name) for name in bones}
    return {name: np.array(target_matrix(ob, name, offset, depsgraph)) for name, offset in offsets.items()}


def offset_of(ob: Object, name: str) -> tuple[float, float, float]:
    bone = ob.pose.bones[name]
    return tuple(bone.superpose_offset) if is_effector(bone) else (0.0, 0.0, 0.0)


def other_side(ob: Object, bone: str) -> str:
    """Return the bone that is posed as this one's mirror image, where there is one and Blender mirrors."""
    other = bpy.utils.flip_name(bone) if ob.pose.use_mirror_x else bone
    return other if other != bone and other in ob.pose.bones else ""


def left_of(report: Report, row: int) -> tuple[float, float]:
    return report.distances[0, row], report.angles[0, row]
