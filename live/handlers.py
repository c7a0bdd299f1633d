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
from bpy.types import Depsgraph, Scene

from ..armature import only_moved, present_time
from ..armature.autokey import is_on
from ..dragging import FRAME
from ..reports import redraw
from .armatures import LiveArmatures, switched_on
from .follower import Follower
from .frames import enter_again, follow_on, leave_behind
from .saved import forget, keep, opened
from .undo_step import has_move_ended, push_posed

_live = LiveArmatures()
_late: list[Depsgraph] = []  # what was posed once Blender had made its step of undo
_REST = 0.15  # seconds without a move after which the mouse rests
_MOMENT, _BREATH = 0.05, 0.01  # seconds of work that a move may have to wait for, and between these


def start() -> None:
    """Have Blender call, and begin with nothing known: loading a file takes its calls off and no more."""
    stop()
    has_move_ended(bpy.context)  # what has ended before is no concern of ours
    for handlers, function in _calls():
        handlers.append(function)


def stop() -> None:
    """Have Blender call no more, and forget all drags."""
    for handlers, function in _calls():
        if function in handlers:  # loading a file takes them off
            handlers.remove(function)
    for function in (_on_rest, _on_let_go, _on_opened):
        if timers.is_registered(function):
            timers.unregister(function)
    _live.clear()
    _late.clear()


def is_running() -> bool:
    """Return whether Blender calls."""
    return _on_update in depsgraph_update_post


def take_as_restored() -> None:
    """Have every armature taken as it is, whatever was known of it: undo, redo or a file brought it back."""
    _live.take_as_restored()


def enter_file() -> None:
    """Have the frame in which a file was saved posed as it was there, as soon as anything is evaluated.

    When a file is opened, keys of bones that a solve moves pose these bones as they are keyed.
    """
    for ob in switched_on(bpy.data.objects):  # of all scenes: they are posed when they are shown
        found = opened(ob)
        if found is not None:
            _live.set_aside(ob, found)
            _await(_on_opened)


def _on_opened() -> None:
    """Have what was opened evaluated, now that it is there."""
    for ob, follower in _live.followed():
        if follower.opened is not None:
            ob.update_tag()


def _on_update(scene: Scene, depsgraph: Depsgraph) -> None:
    if not (_live.is_at_work or only_moved(depsgraph)):
        _live.read_anew()
    if depsgraph.id_type_updated('SCENE') and not _live.forget_deleted():
        stop()
    if depsgraph.id_type_updated('OBJECT') or depsgraph.id_type_updated('ARMATURE'):
        _follow(scene, depsgraph, _is_mouse_dragging())


def _follow(scene: Scene, depsgraph: Depsgraph, in_haste: bool) -> None:
    """Follow what an update has moved; ``in_haste``: the mouse moves it, and more moves will follow."""
    moves_keys = depsgraph.id_type_updated('ACTION')  # in the dope sheet: that is no pose to key
    if in_haste and is_on(bpy.context) and not moves_keys:
        for ob, follower in _live.followed():
            follower.grab(scene, ob)
    follow = partial(follow_on, in_haste=in_haste, seconds=FRAME if in_haste else inf)
    _live.each(follow, follow, scene, depsgraph)
    followers = _live.followers.values()
    if any(one.is_untold or (in_haste and one.is_hasty) for one in followers):
        _await_rest()
    has_ended = not in_haste and has_move_ended(bpy.context)
    # Blender may tell of the end of a move before it counts among the operators that are done.
    if has_ended and _live.has_posed:
        _late.append(depsgraph)
    if in_haste or has_ended:
        _live.note_step()
    if not in_haste and (_late or any(one.grabbed for one in followers)):
        _await(_on_let_go)  # keys and steps of undo cannot be made while Blender tells of an update


def _is_mouse_dragging() -> bool:
    """Return whether the user is moving something, so that an update will be followed by others.

    Scripts, and values that are set in the panels, want each update as exact as it can be.
    """
    windows = bpy.context.window_manager.windows
    running = (operator.bl_idname for window in windows for operator in window.modal_operators)
    return any(name.startswith("TRANSFORM_OT_") for name in running)


def _await(function: Callable[[], float | None]) -> None:
    """Have Blender call the function as soon as it can."""
    if not timers.is_registered(function):
        timers.register(function)


def _await_rest() -> None:
    """Have Blender call once nothing has been moved for a while."""
    if timers.is_registered(_on_rest):
        timers.unregister(_on_rest)
    timers.register(_on_rest, first_interval=_REST)


def _on_rest() -> float | None:
    """Report the pose that was edited by hand, and refine what was found in haste; return when to go on.

    The update that follows shows what was refined.
    """
    is_done, context = True, bpy.context
    if any(one.is_untold for one in _live.followers.values()):
        _live.each(Follower.tell, Follower.tell, context.scene, context.evaluated_depsgraph_get())
        redraw()
    for ob, follower in _live.followed():
        if follower.is_hasty:
            is_done &= follower.rest(_MOMENT)
            if follower.dragged.is_ahead:
                ob.update_tag()
    return None if is_done else _BREATH


def _on_let_go() -> None:
    """Key what was posed while the user moved something, and since then, in the same step of undo."""
    context, followed = bpy.context, _live.followed()
    is_late = bool(_late)
    _late.clear()
    keyed = [ob.name for ob, follower in followed if follower.let_go(context, ob)]
    if keyed:
        context.view_layer.update()
    if keyed or is_late:
        push_posed(context, [ob for ob, _ in followed], bool(keyed))
    redraw()  # the panel may have got words, and Blender is told of no change


def _on_frame(scene: Scene, depsgraph: Depsgraph) -> None:
    if depsgraph.mode == 'VIEWPORT':
        _live.each(Follower.enter_frame, enter_again, scene, depsgraph)
        leave_behind(_live, scene, depsgraph)
    elif bpy.app.background:  # else a window may show the scene at the same time
        frame, subframe = present_time(scene)
        scene.frame_set(frame, subframe=subframe)  # the render takes up its poses


def _on_leaving_frame(scene: Scene, *_: object) -> None:
    if not bpy.app.is_job_running('RENDER'):
        _live.leave_frame(scene.objects)


def _on_saving(*_: object) -> None:
    for ob, follower in _live.followed():
        keep(ob, follower.opened or follower.left)


def _on_saved(*_: object) -> None:
    for ob, _follower in _live.followed():
        forget(ob)


def _calls() -> list[tuple[list, Callable]]:
    """Return Blender's lists of what it calls, each with what is ours."""
    return [
        (depsgraph_update_post, _on_update),
        (frame_change_pre, _on_leaving_frame),
        (frame_change_post, _on_frame),
        (save_pre, _on_saving),
        (save_post, _on_saved),
        (save_post_fail, _on_saved),
    ]
