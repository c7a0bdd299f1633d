# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the targets of a body go that follows another one, frame by frame.

Both bodies are laid over each other at rest; each target then keeps its rotation in the frame of the leader's
bone, and its place there or where the follower's own proportions have it.
"""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Context

from ...solvers.geometry import Array, matvec
from ..errors import RigError
from ..frames.failing import check_sources
from ..frames.frame_snapshot import VISIBLE_DISTANCE
from ..frames.pose_kept import pose_kept
from ..frames.ranges import frame_rate, present_frame_kept
from ..frames.standstill import check_object
from ..problem.places import check_shown
from ..problem.spaces import check_armature_place, place_in_armature
from ..rig.mirrors import shown_rotation
from ..rig.reading import check_posed
from ..setup.sides import shown_extent
from .fingers import Fingers, read_fingers
from .flat_feet import laid_flat
from .ground import Floored, Soles, put_on_ground
from .hinges import doubts, hinges, with_hinges
from .hips import lowered
from .lead import Lead
from .proportions import Figure
from .rest import gets_up, goals_at_rest, laid_over, stands
from .toes import off_the_ground


@dataclass(frozen=True, eq=False)
class Tracks:
    """Where the targets of ``effectors`` go in the scene's frames ``numbers``.

    - ``places`` (frames, targets, 4, 4): to the world, without scale
    - ``offsets`` (frames, targets, 3): which points of the bones meet them, along the bones' axes
    - ``unlike``: the bones of a trunk unlike the leader's, where their rotations say how it bends
    - ``fingers``: those that are keyed themselves
    - ``leader_to_world`` (4, 4): where the leader stands over them in the first frame
    - ``notes``: what is to be told of the ground, in sentences
    """

    numbers: Sequence[int]
    effectors: Sequence[str]
    places: Array
    offsets: Array
    unlike: Sequence[str]
    fingers: Fingers
    leader_to_world: Array
    notes: Sequence[str]


def read_tracks(
    context: Context,
    lead: Lead,
    numbers: Sequence[int],
    levels: bool,
    bends: bool,
    fingers: Mapping[str, tuple[str, str]],
) -> Generator[int, None, Tracks]:
    """Go to each frame and return where targets are in it, giving how many are read.

    ``levels``: whether a tilted floor of the leader is made level, and feet are laid flat on it;
    ``bends``: whether toes bend as the ground of the body at rest needs. ``fingers``: bones to be keyed,
    each with the leader's and the role of both. Raises RigError.
    """
    leader, follower = lead.leader, lead.follower
    check_posed(leader)
    check_object(leader, f"Armature '{leader.name}'", context.view_layer)
    _check_driven(lead)
    for ob in (leader, follower):
        check_shown(ob)
    whole, is_told = lead.with_joints().with_more(fingers), stands(lead)
    whole = whole if is_told else with_hinges(whole)
    with pose_kept(follower), present_frame_kept(context.scene):
        posed, offsets = yield from _posed(context, whole, numbers)
    _check_driven(lead)  # a driver may have failed in any frame
    _check_posed(whole, numbers, posed)
    whole = replace(whole, gets_up=is_told and gets_up(whole, posed))
    over = laid_over(whole)
    bends_about = {} if is_told else hinges(whole, posed)
    rests = goals_at_rest(whole, over, bends_about)
    goals = np.array([np.array(goal) for goal in rests.values()])
    to_world, effectors = np.array(over), slice(len(lead.bones))
    figure, size = Figure(whole, over, goals, to_world @ posed), shown_extent(follower)
    turning = read_fingers(whole, fingers, posed)
    places, offsets = lowered(whole, over, figure.places)[:, effectors], offsets[:, effectors]
    floored, places, moved = _on_ground(lead, places, size, frame_rate(context.scene), levels)
    places = off_the_ground(lead, places, frame_rate(context.scene)) if bends else places
    places = _points_met(np.array(follower.matrix_world), places, offsets)
    is_trunk_led = "chest" in lead.roles.values()  # else the place of the head alone says how it bends
    unlike = figure.unlike(VISIBLE_DISTANCE * size) if is_trunk_led else []
    notes = floored.told(leader.name, levels) + ([] if is_told else doubts(lead, bends_about))
    return Tracks(numbers, tuple(lead.bones), places, offsets, unlike, turning, moved @ to_world, notes)


def _check_driven(lead: Lead) -> None:
    """Raise RigError naming a bone of the leader that a driver or a library fails."""
    for name in lead.bones.values():
        check_sources(lead.leader, name, f"Bone '{name}' of '{lead.leader.name}'")


def _posed(context: Context, lead: Lead, numbers: Sequence[int]) -> Generator[int, None, tuple[Array, Array]]:
    """Return the leader's bones (frames, targets, 4, 4) as they are to where it is in the first frame.

    And the offsets (frames, targets, 3) that effectors have meanwhile.
    """
    objects, bones, offsets = [], [], []
    effectors = [lead.follower.pose.bones[name] for name in lead.bones]
    for number in numbers:
        context.scene.frame_set(number)
        source = lead.leader.evaluated_get(context.evaluated_depsgraph_get())
        objects.append(np.array(source.matrix_world))
        bones.append([np.array(source.pose.bones[name].matrix) for name in lead.bones.values()])
        offsets.append([tuple(bone.superpose_offset) for bone in effectors])
        yield len(objects)
    check_armature_place(lead.leader.name, np.array(objects))
    moves = np.linalg.solve(objects[0], np.array(objects))
    return moves[:, None] @ np.array(bones), np.array(offsets)


def _check_posed(lead: Lead, numbers: Sequence[int], posed: Array) -> None:
    """Raise RigError for a leader that has no place or size in a frame, or stands still in all of them."""
    finite = np.isfinite(posed).all(axis=(-2, -1))
    flat = np.linalg.det(np.where(finite[..., None, None], posed, np.eye(4))[..., :3, :3]) == 0
    for bad, complaint in ((~finite, "is nowhere"), (flat, "is scaled to zero")):
        if bad.any():
            frame, bone = (int(place) for place in np.argwhere(bad)[0])
            name = list(lead.bones.values())[bone]
            raise RigError(f"Bone '{name}' of '{lead.leader.name}' {complaint} in frame {numbers[frame]}")
    if len(numbers) > 1 and (posed == posed[:1]).all():
        raise RigError(f"'{lead.leader.name}' does not move from frame {numbers[0]} to {numbers[-1]}")


def _on_ground(
    lead: Lead, places: Array, size: float, rate: float, levels: bool
) -> tuple[Floored, Array, Array]:
    """Return what put the motion on the ground at first, the ``places`` there, and the whole move (4, 4).

    Where the floor is made level feet are laid flat on it, and what that lifts is put down again.
    """
    body = _soles(lead), size, rate
    floored = put_on_ground(places, *body, levels)
    places = floored.move @ places
    if not levels:
        return floored, places, floored.move
    places = laid_flat(places, *body)
    again = put_on_ground(places, *body, levels).move
    return floored, again @ places, again @ floored.move


def _points_met(follower_to_world: Array, places: Array, offsets: Array) -> Array:
    """Return targets (frames, targets, 4, 4) that the points at ``offsets`` of bones at ``places`` meet."""
    _, turned = place_in_armature(follower_to_world, places)
    met = places.copy()
    met[..., :3, :3] = shown_rotation(places[..., :3, :3])
    met[..., :3, 3] += matvec(follower_to_world[:3, :3], matvec(turned, offsets))
    return met


def _soles(lead: Lead) -> Soles:
    """Return what of the effectors' bones is on the ground at rest."""
    to_world, bones = lead.follower.matrix_world, [own for own, _ in lead.pairs(list(lead.bones))]
    feet = {name: row for row, name in enumerate(lead.bones) if name in lead.feet}
    chains = [[bone.name, *(other.name for other in bone.parent_recursive)] for bone in bones]
    return Soles(
        rests=np.array([np.array(to_world @ bone.matrix_local) for bone in bones]),
        lengths=np.array([bone.length for bone in bones]),
        are_feet=np.array([name in feet for name in lead.bones]),
        are_hips=np.array([name in lead.hips for name in lead.bones]),
        carriers=np.array([next((feet[name] for name in chain if name in feet), -1) for chain in chains]),
    )
