# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How it went, in a box that is as high whatever there is to say; a button beside it says all of it."""

from typing import NamedTuple

import bpy
from bpy.types import Context, Object, Panel, PropertyGroup, UILayout

from . import (
    body_of,
    is_at_work,
    is_begun,
    is_effector,
    is_outdated,
    is_set_up,
    refusal_of,
    rig_of,
    without_namespace,
)
from .lines import BOX, ICON, draw_lines, held_still, sidebar_width
from .why import account_of, draw_cure, has_cure, has_result, is_off, stand_icon

_LIVE = "Move a target: the body follows"
_LIVE_IN_POSE_MODE = "Drag a bone with Pose Body, in the toolbar, or a target in Object Mode"
_BEGIN_IN_POSE_MODE = "Drag a bone with Pose Body, in the toolbar, or set up the body"
_BEGIN = "Set up the body, or select bones and add effectors"
_EDITABLE = "select it, and choose Object > Library Override > Make"
_ROWS = 4  # of the box
_BUTTON = 1.1  # how much room its button takes, with the gap before it
_POPOVER = 16  # how wide is what it opens


class Told(NamedTuple):
    """What there is to say, the most important first, the icon of its kind, and whether it is of a bake.

    ``reasons``: why bones that are no effectors are not where they were dragged.
    """

    icon: str
    texts: tuple[str, ...]
    is_of_clip: bool = False
    reasons: tuple[PropertyGroup, ...] = ()


def told_of(context: Context, rig: Object | None) -> Told:
    """Return what there is to say: what is going on, why buttons are greyed out, or how it went."""
    if rig is None:
        instance = context.object and bpy.types.SUPERPOSE_OT_solve.instance_text(context.object)
        return Told('INFO', (instance or "Make an armature the active object",))
    if is_at_work(context):
        return Told('TIME', ("Working: see the status bar",))
    greyed_out = bpy.types.SUPERPOSE_OT_solve.refusal(context)
    if greyed_out:
        return Told('ERROR', (greyed_out,))
    if refusal_of(rig):
        return Told('CANCEL', (refusal_of(rig),))
    if _is_kept_still(context.object, rig):
        return Told('ERROR', (f"Blender does not move '{context.object.name}': {_EDITABLE}",))
    if not (is_begun(context, rig) or _is_solved(rig)):
        begin = _BEGIN_IN_POSE_MODE if context.mode == 'POSE' else _BEGIN
        body = body_of(context, rig)
        return _fit_of(body) if body else Told('INFO', (begin,))
    if is_set_up(rig) and rig.superpose.fitted:
        return _fit_of(rig)
    return _result_of(context, rig)


def _is_kept_still(ob: Object, rig: Object) -> bool:
    """Return whether an object is a target that Blender keeps from being moved, as parts of overrides are."""
    override = ob.override_library
    targets = (bone.superpose.target for bone in rig.pose.bones if is_effector(bone))
    return bool(override and override.is_system_override and ob in targets)


def _fit_of(body: Object) -> Told:
    """Return how well the controls of the body's rig were fitted to it, or what is to be done for that."""
    setup = body.superpose
    if not setup.fitted:
        return Told('INFO', (f"Pose '{body.name}', then fit the controls to it",))
    return Told('ERROR' if setup.is_fitted_off else 'CHECKMARK', tuple(setup.fitted.splitlines()))


def _is_solved(rig: Object) -> bool:
    """Return whether something was solved: also a bone that was dragged while nothing was set up."""
    return is_set_up(rig) and rig.superpose.is_solved


def _result_of(context: Context, rig: Object) -> Told:
    """Return what was found in the targets, and before that how the last solve or bake went."""
    told, found = _outcome_of(context, rig), rig.superpose.found
    return told._replace(icon='INFO', texts=(found, *told.texts)) if found else told


def _outcome_of(context: Context, rig: Object) -> Told:
    """Return what the last solve or bake left on the armature; of a pose in another frame, in which one."""
    setup = rig.superpose
    if not setup.is_solved:
        live = _LIVE_IN_POSE_MODE if context.mode == 'POSE' else _LIVE
        return Told('INFO', (live,)) if rig.superpose_live else Told('BLANK1', ("Not solved yet",))
    if is_outdated(rig):
        is_here = setup.solved_frame == context.scene.frame_current
        since = "Changed since" if is_here else f"In frame {setup.solved_frame}"
        return Told('INFO', (f"{since} ({setup.message})",), bool(setup.clip_report))
    more = (*setup.strays.splitlines(), setup.jumps, *setup.notes.splitlines())
    icon, texts = 'ERROR' if setup.is_missed else 'CHECKMARK', (setup.message, *filter(None, more))
    return Told(icon, texts, bool(setup.clip_report), setup.reasons)


def draw_report(layout: UILayout, context: Context) -> None:
    """Draw the box: its first lines, and a button that opens all of them."""
    rig = rig_of(context)
    told = told_of(context, rig)
    row = layout.box().row()
    col, width = row.column(align=True), sidebar_width(context) - BOX - ICON - _BUTTON
    texts = [without_namespace(text, rig) if rig else text for text in told.texts]
    for place, line in enumerate(held_still(texts, _ROWS, width)):
        col.label(text=line, icon='BLANK1' if place else told.icon)
    more = row.column(align=True)  # as the lines are: two buttons are no higher than they
    more.popover("SUPERPOSE_PT_report", text="", icon='TEXT')
    for reason in [*filter(has_cure, told.reasons)][: _ROWS - 2]:
        draw_cure(more, reason)
    if told.is_of_clip:
        bpy.types.SUPERPOSE_OT_save_clip_report.picture(rig)  # to be painted by then: popovers stay as drawn
        more.popover("SUPERPOSE_PT_clip_report", text="", icon='GRAPH')


class SUPERPOSE_PT_report(Panel):
    """The full report of the last solve or bake"""

    bl_label = "Report"
    bl_space_type = 'VIEW_3D'
    bl_region_type = 'HEADER'
    bl_ui_units_x = _POPOVER

    def draw(self, context: Context) -> None:
        rig = rig_of(context)
        told = told_of(context, rig)
        for place, text in enumerate(told.texts):
            draw_lines(self.layout, text, 'INFO' if place else told.icon, _POPOVER)
        for bone in rig.pose.bones if rig else ():
            if is_effector(bone) and is_off(bone.superpose) and has_result(bone):
                draw_lines(self.layout, account_of(bone), stand_icon(bone.superpose), _POPOVER)


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_PT_report,))
