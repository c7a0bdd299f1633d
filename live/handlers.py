# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender calls while any armature is live; the only place where live posing meets Blender's events."""

from collections.abc import Callable
from functools import partial
from math import inf

import bpy
from bpy.app import timers
from bpy.app.handlers import (
    depsgraph_update_post,
    frame_change_post,
    frame_change_pre,
    save_post,
    save_post_fail,
    save_pre,
)
from bpy.types import Depsgraph, Object, Scene

from ..armature import RigError, evaluate_again, is_as_posed, is_kept, only_moved, present_time, shows_keys
from ..armature.autokey import is_on
from ..dragging import FRAME
from ..reports import redraw, refuse
from ..solvers import SolverError
from .follower import Follower
from .left import Left
from .past import Past
from .reading import read
from .saved import Opened, forget, keep, opened
from .undo_step import has_move_ended, push_posed

# By the armature's id in this session, which outlives undo. While frames or targets are followed, "at work"
# keeps Blender's updates that this takes from being followed in turn. "Late" is what was posed once Blender
# had made its step of undo, "stepped" how each armature was left until then, "past" in frames before.
_followers: dict[int, Follower] = {}
_at_work: list[Depsgraph] = []
_late: list[Depsgraph] = []
_stepped: dict[int, Left | None] = {}
_past: dict[int, Past] = {}
Step = Callable[..., bool]
_REST = 0.15  # seconds without a move after which the mouse rests
_MOMENT, _BREATH = 0.05, 0.01  # seconds of work that a move may have to wait for, and between these


def start() -> None:
    """Have Blender call, and begin with nothing known: loading a file takes its calls off and no more."""
    stop()
    has_move_ended(bpy.context)  # what has ended before is no concern of ours
    depsgraph_update_post.append(_on_update)
    frame_change_pre.append(_on_leaving_frame)
    frame_change_post.append(_on_frame)
    save_pre.append(_on_saving)
    save_post.append(_on_saved)
    save_post_fail.append(_on_saved)


def stop() -> None:
    """Have Blender call no more, and forget all drags."""
    for handlers, function in (
        (depsgraph_update_post, _on_update),
        (frame_change_pre, _on_leaving_frame),
        (frame_change_post, _on_frame),
        (save_pre, _on_saving),
        (save_post, _on_saved),
        (save_post_fail, _on_saved),
    ):
        if function in handlers:  # loading a file takes them off
            handlers.remove(function)
    for function in (_on_rest, _on_let_go, _on_opened):
        if timers.is_registered(function):
            timers.unregister(function)
    _followers.clear()
    _late.clear()
    _stepped.clear()
    _past.clear()


def is_running() -> bool:
    """Return whether Blender calls."""
    return _on_update in depsgraph_update_post


def read_anew() -> None:
    """Have every armature read as a whole next time, be it told of a change or not."""
    for follower in _followers.values():
        follower.is_edited = True


def take_as_restored() -> None:
    """Have every armature taken as it is, whatever was known of it: undo, redo or a file brought it back."""
    read_anew()
    for follower in _followers.values():
        follower.is_restored, follower.grabbed = True, None


def enter_file() -> None:
    """Have the frame in which a file was saved posed as it was there, as soon as anything is evaluated.

    Keys of bones that a solve moves have their own way with these as a file is opened.
    """
    for ob in _switched_on(bpy.data.objects):  # of all scenes: they are posed when they are shown
        found = opened(ob)
        if found is not None:
            _followers[ob.session_uid] = Follower(opened=found)
            if not timers.is_registered(_on_opened):
                timers.register(_on_opened)


def _on_opened() -> None:
    """Have what was opened evaluated, now that it is there."""
    for ob, follower in _followed():
        if follower.opened is not None:
            ob.update_tag()


def _on_update(scene: Scene, depsgraph: Depsgraph) -> None:
    if not (_at_work or only_moved(depsgraph)):
        read_anew()
    if depsgraph.id_type_updated('SCENE'):  # objects may have gone
        _forget_deleted()
    if depsgraph.id_type_updated('OBJECT') or depsgraph.id_type_updated('ARMATURE'):
        in_haste = _is_mouse_dragging()
        moves_keys = depsgraph.id_type_updated('ACTION')  # in the dope sheet: that is no pose to key
        if in_haste and is_on(bpy.context) and not moves_keys:
            for ob, follower in _followed():
                follower.grab(scene, ob)
        follow = partial(_follow_on, in_haste=in_haste, seconds=FRAME if in_haste else inf)
        _each(follow, follow, scene, depsgraph)
        if any(one.is_untold or (in_haste and one.is_hasty) for one in _followers.values()):
            _await_rest()
        has_ended = not in_haste and has_move_ended(bpy.context)
        if has_ended and _has_posed():
            _late.append(depsgraph)
        if in_haste or has_ended:
            _stepped.update((uid, follower.left) for uid, follower in _followers.items())
        if not in_haste and (_late or any(follower.grabbed for follower in _followers.values())):
            _await_let_go()


def _has_posed() -> bool:
    """Return whether any armature has been left anew since the move went on, or one ended.

    Blender may tell of the end of a move before it counts among the operators that are done.
    """
    return any(follower.left is not _stepped.get(uid) for uid, follower in _followers.items())


def _is_mouse_dragging() -> bool:
    """Return whether the user is moving something, so that an update will be followed by others.

    Scripts, and values that are set in the panels, want each update as exact as it can be.
    """
    windows = bpy.context.window_manager.windows
    running = (operator.bl_idname for window in windows for operator in window.modal_operators)
    return any(name.startswith("TRANSFORM_OT_") for name in running)


def _await_rest() -> None:
    """Have Blender call once nothing has been moved for a while."""
    if timers.is_registered(_on_rest):
        timers.unregister(_on_rest)
    timers.register(_on_rest, first_interval=_REST)


def _await_let_go() -> None:
    """Have Blender call as soon as keys and steps of undo can be made: not while it tells of an update."""
    if not timers.is_registered(_on_let_go):
        timers.register(_on_let_go)


def _on_rest() -> float | None:
    """Say how the pose stands that was edited by hand, refine what was found in haste, and have the update
    that follows show it; return when to go on.
    """
    is_done, context = True, bpy.context
    if any(one.is_untold for one in _followers.values()):
        _each(Follower.tell, Follower.tell, context.scene, context.evaluated_depsgraph_get())
        redraw()
    for ob, follower in _followed():
        if follower.is_hasty:
            is_done &= follower.rest(_MOMENT)
            if follower.dragged.is_ahead:
                ob.update_tag()
    return None if is_done else _BREATH


def _on_let_go() -> None:
    """Key what was posed while the user moved something, and since then, in the same step of undo."""
    context, followed = bpy.context, _followed()
    is_late = bool(_late)
    _late.clear()
    keyed = [ob.name for ob, follower in followed if follower.let_go(context, ob)]
    if keyed:
        context.view_layer.update()
    if keyed or is_late:
        push_posed(context, [ob for ob, _ in followed], bool(keyed))
    redraw()  # the panel may have got words, and Blender is told of no change


def _followed() -> list[tuple[Object, Follower]]:
    """Return the armatures of which something is known, with that."""
    pairs = ((ob, _followers.get(ob.session_uid)) for ob in bpy.data.objects)
    return [(ob, follower) for ob, follower in pairs if follower is not None]


def _on_frame(scene: Scene, depsgraph: Depsgraph) -> None:
    if depsgraph.mode == 'VIEWPORT':
        _each(Follower.enter_frame, _enter_again, scene, depsgraph)
        _leave_behind(scene, depsgraph)
    elif bpy.app.background:  # else a window may show the scene at the same time
        frame, subframe = present_time(scene)
        scene.frame_set(frame, subframe=subframe)  # the render takes up its poses


def _follow_on(follower: Follower, scene: Scene, ob: Object, depsgraph: Depsgraph, **how: float) -> bool:
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


def _note_frame(scene: Scene, ob: Object) -> None:
    """Keep with the armature in which frame it is left: an undo step tells of no frame."""
    if ob.superpose.followed_frame != scene.frame_current_final:
        ob.superpose.followed_frame = scene.frame_current_final


def _leave_behind(scene: Scene, depsgraph: Depsgraph) -> None:
    """Note which armatures have come along into the frame; others are posed in theirs once they are back."""
    there = _there(depsgraph)
    for ob, follower in _followed():
        is_there, is_elsewhere = ob in there, scene.objects.get(ob.name) != ob
        if is_elsewhere or is_kept(ob) or (is_there and follower.left is not None):
            _note_frame(scene, ob)
        elif is_there or ob.superpose.followed_frame != scene.frame_current_final:
            _set_aside(ob, follower.opened or follower.left)
            ob.superpose.followed = ""  # that was for the frame before, in a file that is saved as well
        elif follower.left is not None:  # another view layer has it
            follower.left.put_back(ob)


def _set_aside(ob: Object, known: Left | Opened | None) -> None:
    """Have an armature that is away, or refused, posed as if it had never been once it can be followed."""
    _stepped.pop(ob.session_uid, None)
    _followers[ob.session_uid] = Follower(opened=known)


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


def _enter_again(follower: Follower, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
    """Pose the armature anew if another one has moved what it hangs on; return whether that was so."""
    return follower.is_outdated(ob, depsgraph) and _enter_anew(follower, scene, ob, depsgraph)


def _enter_anew(follower: Follower, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
    """Pose the armature from the frame's own pose; return whether it had to be."""
    follower.leave_frame(ob)
    evaluate_again(scene, depsgraph)
    return follower.enter_frame(scene, ob, depsgraph)


def _on_leaving_frame(scene: Scene, *_: object) -> None:
    if bpy.app.is_job_running('RENDER'):
        return
    # Those that are baked too: what is read must not depend on the present frame.
    for ob in _switched_on(scene.objects):
        if ob.session_uid in _followers:
            follower = _followers[ob.session_uid]
            _past.setdefault(ob.session_uid, Past()).leave(ob, follower.left)
            follower.leave_frame(ob)


def _on_saving(*_: object) -> None:
    for ob, follower in _followed():
        keep(ob, follower.opened or follower.left)


def _on_saved(*_: object) -> None:
    for ob, _follower in _followed():
        forget(ob)


def _forget_deleted() -> None:
    """Forget the armatures that are gone; where none is live any more Blender calls no more."""
    left = {ob.session_uid for ob in bpy.data.objects if ob.superpose_live}
    for uid in _followers.keys() - left:
        del _followers[uid]
        _past.pop(uid, None)
    if not left:
        stop()


def _each(step: Step, again: Step, scene: Scene, depsgraph: Depsgraph) -> None:
    """Take a step with every live armature, and ``again`` with those that hang on another that has moved."""
    if _at_work or depsgraph.mode == 'RENDER':
        return
    _at_work.append(depsgraph)
    try:
        rigs = [ob for ob in _there(depsgraph) if not is_kept(ob)]
        if len(rigs) == 1:
            _take(step, scene, *rigs, depsgraph)
        is_settled = len(rigs) == 1 or _settle(rigs, step, again, scene, depsgraph)
        _look(rigs, scene, depsgraph, is_settled)
    finally:
        _at_work.clear()


def _settle(rigs: list[Object], step: Step, again: Step, scene: Scene, depsgraph: Depsgraph) -> bool:
    """Take steps until no armature moves what another hangs on; return whether it came to that."""
    for _ in rigs:
        read_anew()  # what one of them moves of another Blender does not tell
        moved = [ob for ob in rigs if _take_evaluated(step, scene, ob, depsgraph)]
        if not moved:
            return True
        step = again
    return False


def _take_evaluated(step: Step, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
    """Take a step and have it evaluated, so that what others move afterwards is told from what it did."""
    has_moved = _take(step, scene, ob, depsgraph)
    if has_moved:
        _show([ob], scene, depsgraph)
        _take(Follower.take_up, scene, ob, depsgraph)
    return has_moved


def _look(rigs: list[Object], scene: Scene, depsgraph: Depsgraph, is_settled: bool) -> None:
    """Let followers see what is shown of what they wrote: Blender itself evaluates it without calling.

    ``is_settled``: none of them has moved what another had followed.
    """
    pairs = [(ob, _followers.get(ob.session_uid)) for ob in rigs]
    unseen = [(ob, follower) for ob, follower in pairs if follower and follower.has_to_look(ob, is_settled)]
    if unseen:
        _show([ob for ob, _ in unseen], scene, depsgraph)
    for ob, _ in unseen:
        _take(Follower.look, scene, ob, depsgraph)


def _show(rigs: list[Object], scene: Scene, depsgraph: Depsgraph) -> None:
    """Have what was written to the armatures evaluated.

    While Blender tells of a frame that was chosen in a window, or by its number, all that is keyed is
    animated again with that: what keys have taken so is written and evaluated once more.
    """
    evaluate_again(scene, depsgraph)
    followers = [(ob, _followers.get(ob.session_uid)) for ob in rigs]
    if any([follower.left.write_again(ob) for ob, follower in followers if follower and follower.left]):
        evaluate_again(scene, depsgraph)


def _there(depsgraph: Depsgraph) -> list[Object]:
    """Return the armature objects that are switched on and evaluated."""
    rigs = _switched_on(depsgraph.view_layer.objects)
    return [ob for ob in rigs if ob.evaluated_get(depsgraph).is_evaluated]


def _switched_on(objects: bpy.types.bpy_prop_collection) -> list[Object]:
    return [ob for ob in objects if ob.type == 'ARMATURE' and ob.superpose_live and ob.mode != 'EDIT']


def _take(step: Step, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
    """Take one step; where it is refused the panel says why, and the pose stays."""
    follower = _followers.setdefault(ob.session_uid, Follower())
    known = follower.opened or follower.left
    try:
        return step(follower, scene, ob, depsgraph)
    except (RigError, SolverError) as error:
        _set_aside(ob, known)
        refuse(ob, str(error))
        return False
