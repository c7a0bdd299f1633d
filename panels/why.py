# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the last solve left of an effector, and why, in a box that is as high whatever it says."""

from bpy.types import Context, Object, PoseBone, PropertyGroup, Scene, UILayout

from . import is_result_true, without_namespace
from .lines import ASIDE, BOX, ICON, lines_of, sidebar_width, text_width, with_dots

# Of each kind of reason its icon, and what can be done about it: operator, its setting, icon.
REASONS = {
    'STRAY': ('ERROR', "", "", 'NONE'),
    'SHORT': ('DRIVER_DISTANCE', "", "", 'NONE'),
    'LONG': ('DRIVER_DISTANCE', "", "", 'NONE'),
    'LIMIT': ('CON_ROTLIMIT', "superpose.show_limit", "bone", 'HIDE_OFF'),
    'PIN': ('PINNED', "superpose.release_pin", "bone", 'UNPINNED'),
    'EFFECTOR': ('BONE_DATA', "superpose.show_effector", "bone", 'RESTRICT_SELECT_OFF'),
    'OWN': ('ORIENTATION_GIMBAL', "", "", 'NONE'),
    'GOAL': ('CON_KINEMATIC', "superpose.show_goal", "goal", 'RESTRICT_SELECT_OFF'),
    'CONTACT': ('CON_FLOOR', "", "", 'NONE'),
    'SPEED': ('TIME', "superpose.show_bone", "bone", 'RESTRICT_SELECT_OFF'),
    'TARGET': ('OUTLINER_OB_EMPTY', "", "", 'NONE'),
    'HASTE': ('SORTTIME', "", "", 'NONE'),
    'COMFORT': ('ARMATURE_DATA', "", "", 'NONE'),
    'STUCK': ('QUESTION', "", "", 'NONE'),
}
ROWS = 4  # of reasons, whatever they say
_BLANK = [("", None)] * ROWS
_MOST = 0.7  # of a row of a list what a result may take
HINT = "If it is missed, this says why"


def has_result(bone: PoseBone) -> bool:
    """Return whether there is a result of the effector that is true of the pose."""
    return bone.superpose.is_solved and is_result_true(bone.id_data)


def is_off(effector: PropertyGroup) -> bool:
    """Return whether its result says that the effector is missed, or gave way."""
    return effector.is_missed or effector.gave_way


def account_of(bone: PoseBone) -> str:
    """Return what is left of an effector, and all the reasons, in one sentence."""
    effector = bone.superpose
    left = f"'{bone.name}': {effector.left}"
    return "; ".join([left, *(reason.words for reason in effector.reasons)])


def stand_icon(effector: PropertyGroup) -> str:
    """Return the icon of a result: missed, met, or none of what gave way or was not asked for."""
    if effector.is_missed:
        return 'ERROR'
    return 'BLANK1' if effector.gave_way or effector.is_along else 'CHECKMARK'


def draw_result(row: UILayout, miss: str, icon: str, room: float) -> UILayout:
    """Draw at the end of a list's row how far something is off, if anything, and the icon of its result.

    Returns the part of the row that is left for the name. ``room``: how wide the row is. A distance that
    leaves no room for a name is left out: of "50 cm" Blender would show a 5.
    """
    miss, needed = _shown(miss, room)
    split = row.split(factor=max(1 - needed / room, 0.0), align=True)
    name, result = split.row(align=True), split.row(align=True)
    result.alignment = 'RIGHT'
    if miss:
        result.label(text=miss)
    result.label(icon=icon)
    return name


def room_beside(miss: str, room: float) -> float:
    """Return how much of a list's row is left for the name, as ``draw_result`` shares it."""
    return room - _shown(miss, room)[1]


def draw_why(layout: UILayout, bone: PoseBone, context: Context) -> None:
    """Draw the box: what is left, and the reasons."""
    col, effector, is_told = layout.box().column(align=True), bone.superpose, has_result(bone)
    is_told_off = is_told and is_off(effector)
    _draw_left(col.row(), effector, "" if is_told else _why_untold(context.scene, bone))
    width = sidebar_width(context) - BOX - ICON
    for line, reason in _rows(bone, width) if is_told_off else [(HINT, None), *_BLANK][:ROWS]:
        row = col.row()
        row.active = is_told_off
        row.label(text=line, icon=REASONS[reason.kind][0] if reason else 'BLANK1')
        if reason:
            draw_cure(row, reason)


def draw_cure(row: UILayout, reason: PropertyGroup) -> None:
    """Draw the button that does something about a reason, if there is one."""
    _, name, setting, icon = REASONS[reason.kind]
    if has_cure(reason):
        setattr(row.operator(name, text="", icon=icon), setting, reason.about)


def _shown(miss: str, room: float) -> tuple[str, float]:
    """Return what of a result is shown in a row of a list, and how much of the row that and its icon take."""
    needed = ICON + (text_width(miss) + ASIDE if miss else 0.0)
    return ("", ICON) if needed > _MOST * room else (miss, needed)


def _why_untold(scene: Scene, bone: PoseBone) -> str:
    """Return why there is no result of the effector that is true of the pose."""
    if not bone.superpose.is_solved:
        return "Not solved yet"
    frame = bone.id_data.superpose.solved_frame
    return "Changed since" if frame == scene.frame_current else f"Solved in frame {frame}"


def _draw_left(row: UILayout, effector: PropertyGroup, untold: str) -> None:
    """Say what is left, or why that is ``untold``; of a bake in its worst frame, with a button for it."""
    if untold:
        row.active = False
        row.label(text=untold, icon='INFO')
        return
    row.label(text=effector.left, icon=stand_icon(effector))
    if is_off(effector) and effector.is_of_frame:
        there = row.row()
        there.alignment = 'RIGHT'
        button = there.operator("superpose.go_to_frame", text=str(effector.worst_frame), icon='TIME')
        button.frame = effector.worst_frame


def _rows(bone: PoseBone, width: float) -> list[tuple[str, PropertyGroup | None]]:
    """Return the lines of the reasons, the first one of each with the reason; before others those about which
    something can be done. As many whatever they say; dots tell of more."""
    rows = [
        (line, None if place else reason)
        for reason in sorted(bone.superpose.reasons, key=lambda reason: not REASONS[reason.kind][1])
        for place, line in enumerate(lines_of(_words(reason, bone.id_data), width - ICON * has_cure(reason)))
    ]
    if len(rows) > ROWS:
        line, reason = rows[ROWS - 1]
        rows[ROWS - 1] = with_dots(line, width - ICON), reason
    return [*rows, *_BLANK][:ROWS]


def _words(reason: PropertyGroup, rig: Object) -> str:
    """Return a reason as a line begins with it."""
    words = without_namespace(reason.words, rig)
    return words[:1].upper() + words[1:]


def has_cure(reason: PropertyGroup) -> bool:
    """Return whether there is a button that does something about a reason."""
    return bool(REASONS[reason.kind][1] and reason.about)
