# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""In which frame a live armature is followed, and how it enters that again."""

from bpy.types import Depsgraph, Object, Scene

from ..armature import evaluate_again, is_as_posed, is_kept, shows_keys
from .armatures import LiveArmatures, there
from .follower import Follower
from .reading import read


def follow_on(follower: Follower, scene: Scene, ob: Object, depsgraph: Depsgraph, **how: float) -> bool:
    """Follow the armature, or pose one that was opened, away or refused in its frame first; return whether it
    has moved.

    What a script has posed since, before anything was evaluated, stays as it is.
    """
    if is_as_posed(ob) or _is_edited_aside(follower, ob):
        follower.opened = None
    if _is_of_other_frame(follower, scene, ob):
        return follower.enter_frame(scene, ob, depsgraph)
    _note_frame(scene, ob)
    if follower.opened is None:
        return follower.follow(scene, ob, depsgraph, **how)
    read(ob, depsgraph).check()  # what is refused stays as it is
    return _enter_anew(follower, scene, ob, depsgraph)


def enter_again(follower: Follower, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
    """Pose the armature anew if another one has moved what it hangs on; return whether that was so."""
    return follower.is_outdated(ob, depsgraph) and _enter_anew(follower, scene, ob, depsgraph)


def leave_behind(live: LiveArmatures, scene: Scene, depsgraph: Depsgraph) -> None:
    """Note which armatures have come along into the frame; others are posed in theirs once they are back."""
    evaluated = there(depsgraph)
    for ob, follower in live.followed():
        is_there, is_elsewhere = ob in evaluated, scene.objects.get(ob.name) != ob
        if is_elsewhere or is_kept(ob) or (is_there and follower.left is not None):
            _note_frame(scene, ob)
        elif is_there or ob.superpose.followed_frame != scene.frame_current_final:
            live.set_aside(ob, follower.opened or follower.left)
            ob.superpose.followed = ""  # that was for the frame before, in a file that is saved as well
        elif follower.left is not None:  # another view layer has it
            follower.left.put_back(ob)


def _note_frame(scene: Scene, ob: Object) -> None:
    """Keep with the armature in which frame it is left: an undo step tells of no frame."""
    if ob.superpose.followed_frame != scene.frame_current_final:
        ob.superpose.followed_frame = scene.frame_current_final


def _is_edited_aside(follower: Follower, ob: Object) -> bool:
    """Return whether an armature that was refused has been posed by others since, in the same frame."""
    known = follower.opened
    return known is not None and known.began(ob) is None and ob.superpose.followed != ""


def _is_of_other_frame(follower: Follower, scene: Scene, ob: Object) -> bool:
    """Return whether undo or redo brought back how the armature was in another frame.

    Blender stays in the present one, and shows its keys there: then targets have to go along, and pins to
    stand.
    """
    if follower.left is None or not follower.is_restored:
        return False
    rig, is_other = follower.left.reading.rig, ob.superpose.followed_frame != scene.frame_current_final
    return is_other and rig.is_of(ob) and shows_keys(rig, ob)


def _enter_anew(follower: Follower, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
    """Pose the armature from the frame's own pose; return whether it had to be."""
    follower.leave_frame(ob)
    evaluate_again(scene, depsgraph)
    return follower.enter_frame(scene, ob, depsgraph)
