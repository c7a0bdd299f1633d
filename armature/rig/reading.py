# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is solved and how, read from an armature: what stands in the way is refused by name."""

from collections.abc import Sequence

import numpy as np
from bpy.types import Object, PoseBone

from ...solvers import Comfort
from ...solvers.geometry import Array
from ..errors import RigError
from ..goals import GoalSetting, sentence
from ..joints.joint import Joint, read_joints
from ..joints.locks import free_rotation
from ..setup.comfort import read_comfort
from ..setup.effectors import is_effector
from .dependencies import first_moved
from .effectors import Grab, effector_arrays
from .extent import figure_extent
from .goals import bones_of_goals, carried_along, check_goals, read_goals, without_driven
from .meant import instance_text, is_selected
from .movers import animated_paths, keyed_turns
from .obstacles import obstacles, sizer_of
from .parts import parts_of, without_part
from .rig import Rig
from .roots import hangs, only_turning, root_arrays
from .soles import soles_of
from .twists import read_twists
from .usable_targets import check_target
from .ways import Ways, ways_of


def read_rig(ob: Object, grabs: Sequence[Grab] = ()) -> Rig:
    """Return who is solved on the armature object and how; changes nothing.

    Bones that are held in ``grabs`` are effectors of the first rank, whether they are in the list or not.
    Where there is no list, the bones above them are solved, from a root that stays where it is. Raises
    RigError naming the object, bone or target that stands in the way.
    """
    check_armature(ob)
    blocked, held, paths = obstacles(ob), {grab.bone for grab in grabs}, animated_paths(ob.animation_data)
    ways = ways_of(ob, blocked, held)
    effector_bones, every_bone = _effector_bones(ob, ways, grabs), _parents_first(ob)
    wanted = {link.name for bone in effector_bones for link in ways.up(bone)}
    soles = soles_of(ob, [bone for bone in effector_bones if bone.name not in held], blocked, paths)
    wanted |= {bone for sole in soles for bone in sole.bones}
    goals = _goals(ob, wanted, ways)
    wanted |= {link.name for bone in bones_of_goals(ob, goals) for link in ways.up(bone)}
    _check_any(ob, goals, wanted)
    along = carried_along(ob, wanted, blocked) if any(goal.of_all for goal in goals) else set()
    twists, unshared = read_twists(ob, every_bone, wanted, blocked)
    along |= {twist.bone for twist in twists if not twist.carries}
    bones = [bone for bone in every_bone if bone.name in wanted | along]
    joints = read_joints(ob, bones)
    stiffness = np.array([_stiffness(*pair) for pair in zip(bones, joints, strict=True)])
    stiffness[[bone.name in along for bone in bones]] = 1.0
    roots = root_arrays(ob, bones, effector_bones, stiffness, blocked)
    loose = only_turning(bones, effector_bones, roots["free_location"], paths)
    parts = parts_of(ob, effector_bones, [ob.superpose.goals[goal.index] for goal in goals], grabs)
    rig = Rig(
        object_name=ob.name,
        stiffness=stiffness,
        joints=joints,
        comforts=_comforts(ob, bones),
        **_bone_arrays(ob, bones),
        **roots,
        **effector_arrays(bones, effector_bones, grabs, parts, paths),
        goals=goals,
        twists=twists,
        feet=soles,
        soles=(),
        keyed=keyed_turns(paths),
        notes=(
            *_notes(ob, bones, joints, stiffness, blocked),
            *loose,
            *unshared,
            *without_driven(ob, goals, wanted, blocked),
            *without_part(effector_bones, parts),
        ),
    )
    moved = _moved_bones(rig, every_bone)
    _check_obstacles(rig, blocked)
    _check_carriers(rig, ob)
    _check_targets(ob, effector_bones, moved)
    check_goals(ob, goals, moved)
    return rig


def check_armature(ob: Object | None) -> None:
    """Raise RigError unless the object is an armature whose pose can be read and written."""
    if ob is None:
        raise RigError("Choose an armature first")
    if ob.type != 'ARMATURE':
        raise RigError(instance_text(ob) or f"'{ob.name}' is not an armature")
    if ob.library is not None:
        raise RigError(f"Armature '{ob.name}' is linked: make a library override of it first")
    if ob.override_library and ob.override_library.is_system_override:
        part = f"Armature '{ob.name}' is a part of a library override that may not be edited"
        raise RigError(f"{part}: choose Object > Library Override > Make")
    check_posed(ob)


def check_posed(ob: Object) -> None:
    """Raise RigError unless the armature object shows its pose."""
    if ob.mode == 'EDIT':
        raise RigError(f"Armature '{ob.name}' is in edit mode")
    if ob.data.pose_position == 'REST':
        raise RigError(f"Armature '{ob.name}' shows its rest position: switch it to Pose Position")


def _moved_bones(rig: Rig, bones: list[PoseBone]) -> frozenset[str]:
    """Return the names of all ``bones``, parents first, solved or not, that the solve moves."""
    moved = set(rig.moving_names)
    for bone in bones:
        parent = bone.parent
        if parent is not None and parent.name in moved:
            moved.add(bone.name)
    return frozenset(moved)


def _effector_bones(ob: Object, ways: Ways, grabs: Sequence[Grab]) -> list[PoseBone]:
    """Return the bones with an enabled effector that takes part, and then the others that the user holds.

    In the order of the armature's bones and not of the list, which would tell in the rounding.
    """
    held = [ob.pose.bones[grab.bone] for grab in grabs]
    enabled = [bone for bone in ob.pose.bones if is_effector(bone) and bone.superpose.enabled]
    if not (
        enabled or held or ob.is_property_set("superpose")
    ):  # merely reading what is asked would store it
        raise _nothing_asked(ob)
    if ob.superpose.scope == 'SELECTED':
        enabled = [bone for bone in enabled if _is_chosen(bone, ways)]
    return [*enabled, *(bone for bone in held if bone not in enabled)]


def _is_chosen(bone: PoseBone, ways: Ways) -> bool:
    """Return whether a bone on the way to the root is selected."""
    return any(is_selected(link) for link in ways.up(bone))


def _goals(ob: Object, solved: set[str], ways: Ways) -> tuple[GoalSetting, ...]:
    """Return the goals that take part.

    If a part of the body is solved, these are the goals about its bones alone. Where no effectors say which
    part that is, they are the goals with a selected bone on the way from theirs to the root.
    """
    goals, bones = read_goals(ob), ob.pose.bones
    if ob.superpose.scope == 'ALL':
        return goals
    if solved:
        return tuple(goal for goal in goals if solved.issuperset(goal.bones))
    return tuple(g for g in goals if any(_is_chosen(bones[name], ways) for name in g.bones))


def _check_any(ob: Object, goals: tuple[GoalSetting, ...], wanted: set[str]) -> None:
    """Refuse what asks for nothing."""
    if wanted:
        return
    if goals:
        words = sentence(goals[0].words)
        raise RigError(f"{words} has no bones to hold: choose its Bone, or add an effector")
    if ob.superpose.scope == 'SELECTED':
        raise RigError("No bone on the way from an enabled effector or goal to the root is selected")
    raise _nothing_asked(ob)


def _nothing_asked(ob: Object) -> RigError:
    return RigError(f"Armature '{ob.name}' has no enabled effector or goal")


def _parents_first(ob: Object) -> list[PoseBone]:
    """Return all bones by how far they are from their roots; each way up is gone once."""
    depths: dict[str, int] = {}
    for bone in ob.pose.bones:
        line, above = [bone.name], bone.parent
        while above is not None and above.name not in depths:
            line.append(above.name)
            above = above.parent
        depth = 0 if above is None else depths[above.name] + 1
        depths |= {name: depth + further for further, name in enumerate(reversed(line))}
    return sorted(ob.pose.bones, key=lambda bone: depths[bone.name])


def _stiffness(bone: PoseBone, joint: Joint) -> float:
    """Return the bone's stiffness: 1 where nothing may turn, that of Blender's IK where it has none here."""
    if joint.held:
        return 1.0
    own = bone.superpose.stiffness if bone.is_property_set("superpose") else 0.0
    return own or joint.stiffness


def _speed(bone: PoseBone) -> float:
    return bone.superpose.turn_speed if bone.is_property_set("superpose") else 0.0


def _comforts(ob: Object, bones: list[PoseBone]) -> tuple[Comfort, ...]:
    found = (read_comfort(bone) for bone in bones if ob.superpose.use_comfort)
    return tuple(comfort for comfort in found if comfort)


def _bone_arrays(ob: Object, bones: list[PoseBone]) -> dict:
    names = tuple(bone.name for bone in bones)
    indices = {bone.name: index for index, bone in enumerate(ob.pose.bones)}
    parents = [names.index(b.parent.name) if b.parent and b.parent.name in names else -1 for b in bones]
    return {
        "names": names,
        "indices": np.array([indices[name] for name in names]),
        "parents": np.array(parents),
        "inherits_rotation": np.array([b.bone.use_inherit_rotation for b in bones]),
        "modes": tuple(b.rotation_mode for b in bones),
        "free_rotation": np.array([free_rotation(b) for b in bones]),
        "locked_axes": np.array([list(b.lock_rotation) for b in bones]),
        "aligned": np.array([b.parent is not None and b.bone.inherit_scale == 'ALIGNED' for b in bones]),
        "carriers": np.array([indices[b.parent.name] if b.parent else -1 for b in bones]),
        "sizers": tuple(sizer_of(b) for b in bones),
        "lengths": np.array([b.bone.length for b in bones]),
        "extent": _extent_at_rest(ob, bones),
        "speeds": np.array([_speed(b) for b in bones]),
    }


def _extent_at_rest(ob: Object, bones: list[PoseBone]) -> float:
    heads, solved = (np.array([b.bone.head_local for b in some]) for some in (ob.pose.bones, bones))
    return figure_extent(heads, solved) or max(b.bone.length for b in bones)


def _notes(
    ob: Object, bones: list[PoseBone], joints: tuple[Joint, ...], stiffness: Array, blocked: dict[str, str]
) -> list[str]:
    notes = []
    for bone, joint, stiff in zip(bones, joints, stiffness, strict=True):
        notes.extend(joint.notes)
        if stiff == 1 and bone.name in blocked:
            notes.append(f"Bone '{bone.name}' stays as it is: {blocked[bone.name]} places it")
        elif bone.parent and bone.parent.name in blocked and bone.parent not in bones and hangs(ob, bone):
            cause = f"{blocked[bone.parent.name]} places '{bone.parent.name}'"
            notes.append(f"'{bone.name}' is solved from its parent on: {cause}")
    return notes


def _check_obstacles(rig: Rig, blocked: dict[str, str]) -> None:
    """Refuse a bone that should move, or be carried, while something besides its channels places it."""
    moves, carried = rig.moving, np.zeros(len(rig.names), bool)
    for index, parent in enumerate(rig.parents):
        carried[index] = parent >= 0 and (moves[parent] or carried[parent])
    about = {bone: goal.words for goal in rig.goals for bone in goal.bones}
    ends = {*rig.places.tolist(), *(rig.names.index(bone) for bone in about)}
    # Effectors first: which bone meets the target is the first thing to choose anew.
    for index in sorted(range(len(rig.names)), key=lambda index: index not in ends):
        name = rig.names[index]
        if name in blocked and (index in ends or moves[index] or carried[index]):
            trouble = "be carried by its parents" if carried[index] and not moves[index] else "be solved"
            choice = "a free control bone as the effector" if index in ends else "a Root Bone below it"
            way_out = f"Choose {choice}, or switch that off"
            if name in about and index not in rig.places:
                way_out = f"{sentence(about[name])} uses the bone: disable the goal, or switch that off"
            raise RigError(f"Bone '{name}' cannot {trouble}: {blocked[name]} places it. {way_out}")


def _check_carriers(rig: Rig, ob: Object) -> None:
    """Refuse a root that hangs on what the solve moves: it would be elsewhere once it is solved."""
    moving = rig.moving_names
    for root in np.flatnonzero((rig.parents < 0) & (rig.carriers >= 0)):
        cause = first_moved(ob, ob.pose.bones[int(rig.carriers[root])].name, ob, moving)
        if cause is not None:
            raise RigError(
                f"'{rig.names[root]}' depends on bone '{cause}', which the solve moves too: solve them one "
                "after the other, with the other's effectors disabled"
            )


def _check_targets(ob: Object, effector_bones: list[PoseBone], moved: frozenset[str]) -> None:
    for bone in filter(is_effector, effector_bones):
        instead = "Create makes a new one, or choose another object"
        check_target(ob, bone.superpose, f"'{bone.name}'", moved, instead)
