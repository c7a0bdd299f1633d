# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Spans of contacts and of masked frames are moved, made longer and shorter."""

import bpy
import figures
import pytest
import windowed

pytestmark = pytest.mark.usefixtures("blend")

KIND, BONE = "superpose_contact", "hand.L"


@pytest.fixture
def ob():
    """A figure whose hand stands in two spans."""
    ob = figures.ready()
    for first, last in ((3, 8), (20, 24)):
        bpy.ops.superpose.mark_frames(kind=KIND, bone=BONE, frame_start=first, frame_end=last)
    return ob


def spans(ob, kind=KIND):
    return bpy.types.SUPERPOSE_OT_mark_frames.spans(bpy.context, ob.pose.bones[BONE], kind)


def change(first, last, start, end, bone=BONE):
    given = {"first": first, "last": last, "frame_start": start, "frame_end": end}
    return bpy.ops.superpose.change_span(kind=KIND, bone=bone, **given)


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ((5, 12), [(5, 12), (20, 24)]),
        ((30, 31), [(20, 24), (30, 31)]),
        ((4, 6), [(4, 6), (20, 24)]),
        ((-5, 2), [(-5, 2), (20, 24)]),
        ((3, 19), [(3, 24)]),
        ((3, 8), [(3, 8), (20, 24)]),
    ],
)
def test_a_span_goes_where_it_is_said_and_others_stay(ob, to, expected):
    assert change(3, 8, *to) == {'FINISHED'}
    assert spans(ob) == expected


def test_a_change_is_one_step_of_undo(ob):
    bpy.ops.ed.undo_push(message="before")
    change(3, 8, 10, 12)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    assert spans(bpy.context.object) == [(3, 8), (20, 24)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((3, 8, 9, 7), r"ends \(7\) before it starts \(9\)"),
        ((3, 7, 9, 12), r"'hand.L' has no such span from 3 to 7"),
        ((3, 8, 9, 12, "chest"), "'chest' is no effector of 'Figure'"),
    ],
)
def test_what_cannot_be_changed_is_said_and_nothing_is(ob, given, message):
    figures.refused(lambda: change(*given), message)
    assert spans(ob) == [(3, 8), (20, 24)]


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ((("frame_start", 30),), (30, 30)),
        ((("frame_end", 2),), (2, 2)),
        ((("frame_start", 30), ("frame_end", 40)), (30, 40)),
        ((("frame_end", 5), ("frame_start", 4)), (4, 5)),
    ],
)
def test_an_end_that_is_typed_takes_the_other_along(ob, typed, left):
    """Else the dialog would be refused and closed, and what was typed in it gone."""
    window = windowed.Window()
    window.window_manager.invoke_props_dialog = lambda *_, **__: {'RUNNING_MODAL'}
    dialog = windowed.operator("change_span", kind=KIND, bone=BONE, first=3, last=8)
    dialog.invoke(window, None)
    for name, value in typed:
        setattr(dialog, name, value)
        dialog.check(window)
    assert (dialog.frame_start, dialog.frame_end) == left
