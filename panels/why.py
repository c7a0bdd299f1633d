# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the last solve left of an effector, and why, in a box that is as high whatever it says."""

from bpy.types import PoseBone, PropertyGroup, UILayout

from . import is_outdated, lines_of, refusal_of

# Of each kind of reason its icon, and what can be done about it: operator, its setting, icon.
REASONS = {
    'STRAY': ('ERROR', "", "", 'NONE'),
    'SHORT': ('DRIVER_DISTANCE', "", "", 'NONE'),
    'LIMIT': ('CON_ROTLIMIT', "superpose.show_limit", "bone", 'HIDE_OFF'),
    'PIN': ('PINNED', "superpose.release_pin", "bone", 'UNPINNED'),
    'EFFECTOR': ('BONE_DATA', "superpose.show_effector", "bone", 'RESTRICT_SELECT_OFF'),
    'GOAL': ('CON_KINEMATIC', "superpose.show_goal", "goal", 'RESTRICT_SELECT_OFF'),
    'CONTACT': ('SNAP_FACE', "", "", 'NONE'),
    'SPEED': ('TIME', "superpose.show_bone", "bone", 'RESTRICT_SELECT_OFF'),
    'STUCK': ('QUESTION', "", "", 'NONE'),
}
ROWS, WIDTH = 3, 30  # of reasons, whatever they say
_BLANK = [("", None)] * ROWS
HINT = "If it is missed, this says why"


def has_result(bone: PoseBone) -> bool:
    """Return whether there is a result of the effector that is true of the pose."""
    rig = bone.id_data
    return bone.superpose.is_solved and not refusal_of(rig) and not is_outdated(rig)


def stand_icon(effector: PropertyGroup) -> str:
    """Return the icon of a result: missed, met, or none of what gave way or was not asked for."""
    if effector.is_missed:
        return 'ERROR'
    return 'BLANK1' if effector.gave_way or effector.is_along else 'CHECKMARK'


def draw_why(layout: UILayout, bone: PoseBone) -> None:
    """Draw the box: what is left, and the reasons."""
    col, effector = layout.box().column(align=True), bone.superpose
    is_told = has_result(bone)
    is_off = is_told and (effector.is_missed or effector.gave_way)
    _draw_left(col.row(), effector, is_told)
    for line, reason in _rows(effector) if is_off else [(HINT, None), *_BLANK][:ROWS]:
        row = col.row()
        row.active = is_off
        row.label(text=line, icon=REASONS[reason.kind][0] if reason else 'BLANK1')
        if reason:
            _draw_cure(row, reason)


def _draw_left(row: UILayout, effector: PropertyGroup, is_told: bool) -> None:
    """Say what is left; of a bake in its worst frame, with a button that goes there."""
    if not is_told:
        row.active = False
        row.label(text="Changed since" if effector.is_solved else "Not solved yet", icon='INFO')
        return
    row.label(text=effector.left, icon=stand_icon(effector))
    if (effector.is_missed or effector.gave_way) and effector.is_of_frame:
        there = row.row()
        there.alignment = 'RIGHT'
        button = there.operator("superpose.go_to_frame", text=str(effector.worst_frame), icon='TIME')
        button.frame = effector.worst_frame


def _rows(effector: PropertyGroup) -> list[tuple[str, PropertyGroup | None]]:
    """Return the lines of the reasons, the first one of each with the reason; before others those about which
    something can be done. As many whatever they say; dots tell of more."""
    rows = [
        (line, None if place else reason)
        for reason in sorted(effector.reasons, key=lambda reason: not REASONS[reason.kind][1])
        for place, line in enumerate(lines_of(reason.words[:1].upper() + reason.words[1:], WIDTH))
    ]
    if len(rows) > ROWS:
        line, reason = rows[ROWS - 1]
        rows[ROWS - 1] = f"{line[: WIDTH - 1]}…", reason
    return [*rows, *_BLANK][:ROWS]


def _draw_cure(row: UILayout, reason: PropertyGroup) -> None:
    """Draw the button that does something about a reason, if there is one."""
    _, name, setting, icon = REASONS[reason.kind]
    if name and reason.about:
        setattr(row.operator(name, text="", icon=icon), setting, reason.about)
