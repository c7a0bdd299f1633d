# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A bone is dragged with the mouse: from the press of a button or key until it is confirmed or cancelled."""

from dataclasses import replace
from math import inf
from time import monotonic
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.types import Context, Event, Object, Timer
from mathutils import Matrix

from ...armature import RigError
from ...dragging import FRAME, Drag
from ...overlay.bone_picking import picked_at
from ...overlay.picking import mouse_at, pressed_at
from ...solvers import SolverError
from ...solvers.geometry import Array
from ..mixins.rig import RigOperator
from ..mixins.selection import are_all_selected
from ..setup.first_set_up import FirstSetUp, set_up_first
from .gesture import Gesture
from .motion import Motion
from .puppet import Puppet, take_hold
from .selection import Selection, active_bone, choose
from .surface import Face, Underside, face_under, is_aligned, is_for_faces
from .view import View
from .words import draw_hints, header_text, number_from

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

_PAUSE = 0.15  # seconds without a move, after which the mouse counts as at rest
_BREATH = 0.025  # seconds between events in which the pose is refined
_AXES = ('X', 'Y', 'Z')
_CONFIRM = {'RET', 'NUMPAD_ENTER', 'SPACE'}
_CANCEL = {'ESC', 'RIGHTMOUSE'}
_MOVES = {'MOUSEMOVE', 'INBETWEEN_MOUSEMOVE'}
_STEPS = {'INCREMENT', 'GRID'}  # what Blender snaps to where there is nothing
_MODIFIERS = {f"{side}_{key}" for side in ('LEFT', 'RIGHT') for key in ('CTRL', 'SHIFT', 'ALT')}


class MouseOperator(RigOperator):
    """Mixin of an operator that drags a bone: it has ``armature``, ``bone`` and ``makes_set_up`` as
    properties, and implements ``keep`` and ``finish``.

    ``button``: the mouse button that is held, if one is; letting go of it confirms. ``face``: what the bone
    is put on. ``ended``: the drag once it has ended: where its values are changed after that, it goes on from
    there.
    """

    puppet: Puppet | None = None
    ended: Drag | None = None
    first: FirstSetUp | None = None
    gesture: Gesture | None = None
    selection: Selection | None = None
    timer: Timer | None = None
    underside: Underside | None = None
    face: Face | None = None
    button = ""
    moved_at = inf  # seconds; when the pose was last found in haste
    moment = 0.05  # seconds of refining that a move may have to wait for

    def invoke(self, context: Context, event: Event) -> "set[OperatorReturnItems]":
        return self.attempt(context, lambda: self.begin(context, event))

    def begin(self, context: Context, event: Event) -> "set[OperatorReturnItems]":
        """Take the bone that is meant, or select with a box where a button was pressed on none."""
        self.button = event.type if event.value == 'CLICK_DRAG' else ""
        mouse = pressed_at(event) if self.button else mouse_at(event)
        self.selection = Selection.of(context)
        picked = self.picked(context, mouse)
        if picked is None and self.button:
            return self.select_box()
        ob, self.bone = picked or (context.object, self.bone or active_bone(context.object))
        self.check_bone(ob)
        self.armature = ob.name
        self.first = set_up_first(ob)
        self.makes_set_up = self.first is not None
        choose(context, ob, self.bone)
        try:
            self.take(context, ob, mouse, turns=False)
            self.start(context)
            self.follow(context, ob, event)
        except (RigError, SolverError):
            self.give_up(context)
            raise
        return {'RUNNING_MODAL'}

    def picked(self, context: Context, mouse: Array) -> tuple[Object, str] | None:
        """Return the armature and the bone under the mouse or, where a key was pressed, the active one.

        If all bones are selected, as those of an armature that was just added are, nobody chose the active
        one: then a key takes what is under the mouse, too.
        """
        named = "" if self.button else self.bone or active_bone(context.object)
        is_chosen = self.bone or not are_all_selected(context, context.object)
        return (context.object, named) if named and is_chosen else picked_at(context, mouse)

    def start(self, context: Context) -> None:
        """Have events come, and hints shown."""
        self.timer = context.window_manager.event_timer_add(_BREATH, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set(draw_hints)

    def select_box(self) -> "set[OperatorReturnItems]":
        """Select with a box, which in Blender's own tools is what a drag does where there is nothing."""
        return bpy.ops.view3d.select_box('INVOKE_DEFAULT', wait_for_input=False)

    def take(self, context: Context, ob: Object, mouse: Array, turns: bool) -> None:
        """Take hold of the bone, to be moved or to be turned from here on."""
        self.puppet = take_hold(context, ob, self.bone, turns)
        place = self.puppet.begin[self.puppet.bone]
        frame = Matrix(place[:3, :3].tolist()).normalized()
        self.gesture = Gesture(place[:3, 3], np.array(frame), turns, mouse)
        snaps = is_for_faces(context) and not turns
        self.underside = Underside.of(ob.pose.bones[self.puppet.bone], place[:3, 3]) if snaps else None

    def modal(self, context: Context, event: Event) -> "set[OperatorReturnItems]":
        state = {'CANCELLED'}
        try:
            state = self.attempt(context, lambda: self.handle(context, event))
        finally:
            if state == {'CANCELLED'}:
                self.give_up(context)
            elif state == {'FINISHED'}:
                self.let_go(context)
        return state

    def handle(self, context: Context, event: Event) -> "set[OperatorReturnItems]":
        """Take one event."""
        why = self.puppet.is_interrupted(context)
        if not why and context.region_data is None:
            why = "its viewport was closed"
        if why:
            self.report({'WARNING'}, f"Dragging '{self.bone}' was stopped: {why}")
            return {'CANCELLED'}
        ob = self.puppet.armature(context)
        if event.type == 'TIMER':
            self.refine(context, ob, event)
            return {'PASS_THROUGH', 'RUNNING_MODAL'}
        if event.type in _CANCEL and event.value == 'PRESS':
            return {'CANCELLED'}
        if self.confirms(event):
            motion = self.motion(context, event)
            self.hold_for(context, ob, motion)
            return self.finish(context, ob, motion, event.alt)
        if self.takes(context, ob, event):
            self.follow(context, ob, event)
        return {'RUNNING_MODAL'}

    def confirms(self, event: Event) -> bool:
        by_mouse = (self.button, 'RELEASE') if self.button else ('LEFTMOUSE', 'PRESS')
        return (event.type, event.value) == by_mouse or (event.type in _CONFIRM and event.value == 'PRESS')

    def takes(self, context: Context, ob: Object, event: Event) -> bool:
        """Take what the event means for the drag; return whether it means anything."""
        if event.type in _MOVES:
            self.gesture.drag(View.of(context), mouse_at(event), event.shift)
            return True
        if event.type in _MODIFIERS:
            return True
        if event.value != 'PRESS':
            return False
        if event.ctrl and len(event.type) == 1:
            return False  # a letter with Ctrl is another command, as Undo
        if event.type in _AXES:
            self.gesture.constrain(_AXES.index(event.type), event.shift)
            return True
        if event.type in {'G', 'R'}:
            self.put_back(context, ob)
            self.take(context, ob, mouse_at(event), turns=event.type == 'R')
            return True
        return self.gesture.typed.press(event.type)

    def follow(self, context: Context, ob: Object, event: Event) -> None:
        """Let the body follow: a number that is typed at once as it stays, as no moves lead there."""
        motion = self.motion(context, event)
        self.hold_for(context, ob, motion)
        if self.gesture.typed:
            self.puppet.put(ob, motion, event.alt)
            self.moved_at = inf
        else:
            self.puppet.follow(ob, motion, event.alt, FRAME)
            self.moved_at = monotonic()
        self.tell_motion(context, motion, event.alt)

    def hold_for(self, context: Context, ob: Object, motion: Motion) -> None:
        """Have the bone held so that it turns, or only moves, as the motion does."""
        turns = self.gesture.turns or motion.turns
        if turns != self.puppet.turns:
            self.put_back(context, ob)
            self.puppet = take_hold(context, ob, self.bone, turns)

    def put_back(self, context: Context, ob: Object) -> None:
        """Put the body back to where the drag began, with nobody holding it."""
        self.puppet.take_back(ob)
        self.puppet.let_go(context)

    def refine(self, context: Context, ob: Object, event: Event) -> None:
        """Take the time that a good pose needs, a moment at each event, once, while the mouse rests."""
        if monotonic() > self.moved_at + _PAUSE and self.puppet.rest(ob, self.moment):
            self.moved_at = inf
            self.tell_motion(context, self.motion(context, event), event.alt)

    def tell_motion(self, context: Context, motion: Motion, are_pins_released: bool) -> None:
        """Say in the header how far the bone is moved, what of that is missed, and whether pins hold."""
        scene, bones = context.scene, list(self.puppet.rows)
        missed = self.puppet.missed_text(scene, self.puppet.report())
        remarks = missed, "pins released" if are_pins_released else ""
        context.area.header_text_set(header_text(scene, bones, self.gesture, motion, remarks))

    def motion(self, context: Context, event: Event) -> Motion:
        """Return what the gesture comes to now, as it will be kept: letting go of it asks for nothing new."""
        return self.keep(self.motion_now(context, event))

    def motion_now(self, context: Context, event: Event) -> Motion:
        """Return what the gesture comes to now, to the last digit."""
        view, typed, turns = View.of(context), self.gesture.typed, self.gesture.turns
        numbers = [number_from(context.scene, text, turns) for text in typed.texts] if typed else None
        self.face = None
        if not turns and is_for_faces(context):
            if not numbers:
                self.face = face_under(context, self.puppet.armature(context), self.gesture.mouse, event.ctrl)
            return self.on_face(context, view) if self.face else self.gesture.motion(view, 0.0, numbers)
        step = 0.0
        if is_stepped(context, event, turns):
            settings = context.scene.tool_settings
            angles = settings.snap_angle_increment_3d, settings.snap_angle_increment_3d_precision
            length = self.gesture.snapping_step(view)
            step = angles[event.shift] if turns else length / (10 if event.shift else 1)
        return self.gesture.motion(view, step, numbers)

    def on_face(self, context: Context, view: View) -> Motion:
        """Return the motion that puts the bone on the face, and lays it there where Blender's snapping aligns
        what it moves."""
        turn = self.underside.turn_onto(self.face) if is_aligned(context) else None
        place = self.face.put_on(self.underside.below(self.puppet.armature(context), turn))
        moved = self.gesture.motion(view, 0.0, None, place)
        return moved if turn is None else replace(moved, rotation=turn)

    def give_up(self, context: Context) -> None:
        """Put everything back to how it was before the drag."""
        ob = self.puppet and self.puppet.armature(context)
        if ob:
            self.puppet.take_back(ob)
        if ob and self.first:
            self.first.take_back(ob)
        self.selection.give_back(context)
        self.let_go(context)

    def let_go(self, context: Context) -> None:
        """End the drag, with the body as it is."""
        if self.puppet:
            self.puppet.let_go(context)
            self.puppet = None
        if self.timer:
            context.window_manager.event_timer_remove(self.timer)
            self.timer = None
        if context.area:
            context.area.header_text_set(None)
            context.area.tag_redraw()  # its sidebar may have got rows
        context.workspace.status_text_set(None)

    def cancel(self, context: Context) -> None:
        """Put everything back; Blender calls this where it ends the drag itself."""
        if self.puppet:
            self.give_up(context)


def is_stepped(context: Context, event: Event, turns: bool) -> bool:
    """Return whether a drag goes in round steps: as Blender's switch has it, or not so with *Ctrl*.

    Where moves would snap to vertices and the like, *Ctrl* asks for these and not for steps.
    """
    settings = context.scene.tool_settings
    has_steps = not settings.snap_elements.isdisjoint(_STEPS)
    if not turns and settings.use_snap_translate and not has_steps:
        return False
    is_on: bool = settings.use_snap and (settings.use_snap_rotate if turns else settings.use_snap_translate)
    return is_on != event.ctrl
