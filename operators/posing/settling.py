# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a drag leaves once it is over: the pose, its keys, targets that go along, and what the panel says."""

from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
from bpy.types import Context, Object, Scene

from ...armature import (
    Ground,
    are_animated,
    is_effector,
    leave_as_posed,
    read_frame,
    sole_of,
    unmovable_words,
)
from ...armature.autokey import (
    channels_along,
    check_keys,
    key_channels,
    remarks_on_keys,
    standing_targets,
    write_and_key,
)
from ...armature.fcurves.generated import count_generated
from ...armature.rig.effectors import has_target
from ...reports import Report, missed_lines, stay_text, store, summary, with_behind
from ..setup.first_set_up import doubt_text
from .between_keys import between_keys_text
from .bone_places import places_of
from .followers import apart
from .planted import keep_planted
from .puppet import Puppet

# The share of what can be seen by which a target is not left behind: a solve would turn joints for it.
_UNSEEN = 0.05
_OUTDATED = "Bake Pins again before you render: what it keyed beside this frame was out of date, and is gone"


def settle(context: Context, ob: Object, puppet: Puppet) -> tuple[Report, str]:
    """Leave the body as it was found, and key it where automatic keyframing says so; return how it went, and
    what to say of the keys.

    Targets are keyed too, where frames go by them. The panel shows how it went. Raises RigError where
    keys would do nothing: then all is as it was before.
    """
    puppet.rest(ob)
    rig, along = puppet.drag.rig, puppet.along
    gone = along.going(puppet.going(_UNSEEN))
    puppet.take_back(ob)
    kept = along.channels(_keyed(ob, puppet, gone))
    check_keys(context, kept)
    generated = count_generated(ob)
    written = write_and_key(context, ob, rig, puppet.found.solution.pose)
    along.move(places_of(context, ob, gone))
    context.view_layer.update()
    kept = channels_along(rig, ob, kept)
    stand = standing_targets(rig, ob)
    key_channels(context, [*kept, *stand], holds=[*kept, *stand])
    if ob.superpose_live:
        leave_as_posed(ob, puppet.rows)
    report = puppet.report(puppet.sights(context, ob))
    of_keys = remarks_on_keys(context, [*written, *kept])
    remarks = [of_keys, between_keys_text(context, rig, ob)]
    remarks += [_OUTDATED] if count_generated(ob) < generated else []
    _leave_told(context.scene, ob, puppet, _by_targets(context, ob, puppet, report), remarks)
    keep_planted(ob, puppet.drag, puppet.found)
    # The bone that was dragged is the active one of the list; if it has no row there, none is.
    ob.superpose.active_bone_index = ob.pose.bones.find(puppet.bone)
    return report, of_keys


def stand_on(ob: Object, puppet: Puppet, ground: Ground | None) -> None:
    """Have feet that are held know the face that the first was put on; the others are on none."""
    for bone, own in zip_longest(puppet.begin, [ground]):
        if is_effector(foot := ob.pose.bones[bone]) and sole_of(foot):
            foot.superpose.ground = own or (0.0, 0.0, 0.0, 0.0)


def left_behind_text(ob: Object, puppet: Puppet) -> str:
    """Return which targets of what is dragged cannot go along and why, in a sentence."""
    bones = [ob.pose.bones[name] for name in puppet.going()]
    return stay_text(unmovable_words(filter(has_target, bones), _bearers(puppet)))


def _keyed(ob: Object, puppet: Puppet, gone: Sequence[str]) -> list[str]:
    """Return whose targets to key of those that have ``gone`` along.

    A first key would have what is free, and was not dragged itself, asked for in all frames.
    """
    bones = [ob.pose.bones[name] for name in gone]
    pairs = zip(bones, are_animated(ob, bones, ()), strict=True)
    return [
        bone.name
        for bone, is_animated in pairs
        if is_animated or bone.name in puppet.rows or bone.superpose.hold != 'FREE'
    ]


def _bearers(puppet: Puppet) -> set[str]:
    """Return the bones whose targets would go along if they did not carry others that stay."""
    going = puppet.going()
    return puppet.along.targets.keys() & set(going) - set(puppet.along.going(going))


def _by_targets(context: Context, ob: Object, puppet: Puppet, report: Report) -> Report:
    """Return the report in which what is held counts from its target, if that stays behind."""
    bones = [ob.pose.bones[name] for name in puppet.rows]
    bearers = _bearers(puppet)
    targeted = filter(has_target, bones)
    stay = {bone.name: why for bone in targeted for why in unmovable_words([bone], bearers)}
    if not stay:
        return report
    frame = read_frame(puppet.drag.rig, ob, context.evaluated_depsgraph_get())
    places = np.array(list(places_of(context, ob, list(stay)).values()))
    behind = {puppet.rows[name]: why for name, why in stay.items()}
    rows = list(behind)
    listed = [ob.pose.bones[name] for name in stay]
    moves = [each.superpose_position_weight > 0 for each in listed]
    turns = [each.superpose_rotation_weight > 0 and all(each.superpose.rotation_axes) for each in listed]
    distances, angles = apart(places, frame.targets[rows])
    counts = frame.influences[rows] > 0
    return with_behind(report, behind, distances * counts * moves, angles * counts * turns)


def _leave_told(scene: Scene, ob: Object, puppet: Puppet, report: Report, of_keys: Sequence[str]) -> None:
    """Leave where the panel shows it how the drag went, and what there is to know of its keys."""
    rig = puppet.found.rig
    is_listed = all(is_effector(ob.pose.bones[bone]) for bone in puppet.rows)
    missed = () if is_listed else missed_lines(scene, ob, rig, report)  # the list has no place for it
    notes = *of_keys, doubt_text(ob), *missed, left_behind_text(ob, puppet)
    store(scene, ob, rig, report, summary(scene, report), notes=notes)
