# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that takes long at a window is shown and can be stopped; what it is about may be deleted meanwhile."""

import sys
from contextlib import nullcontext
from importlib import import_module
from types import SimpleNamespace

import armatures
import bpy
import figures
import pytest
from windowed import ESC, MOUSE, TIMER, Window, finish, operator

RUNNING = {'RUNNING_MODAL'}
COMPARISON = {"problems": 'PRESENT', "iterations": 5, "seconds": 1.0, "use_blender": True, "show": False}


@pytest.fixture
def ob(blend):
    ob = figures.turned_away(figures.ready())
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 9
    bpy.context.scene.frame_set(4)
    return ob


@pytest.fixture
def window(monkeypatch, addon):
    monkeypatch.setattr(sys.modules[f"{addon.name}.operators.mixins.stepwise"], "SLICE", 0.0)
    return Window()


def at_a_window(name, window, patience=0.0, **given):
    """The operator, asked for at a window and begun."""
    made = operator(name, asked=True, patience=patience, **given)
    return made, made.execute(window)


def test_no_property_of_an_operator_hides_what_its_mixins_do(addon):
    kinds = [getattr(bpy.types, f"SUPERPOSE_OT_{name}") for name in dir(bpy.ops.superpose)]
    mixins = {kind: [base for base in kind.__mro__[1:] if ".operators." in base.__module__] for kind in kinds}
    assert sum(map(bool, mixins.values())) > 20
    hidden = [
        (kind.bl_idname, name)
        for kind, bases in mixins.items()
        for name in kind.__annotations__
        if any(callable(vars(base).get(name)) for base in bases)
    ]
    assert not hidden


@pytest.mark.once
def test_a_comparison_at_a_window_shows_how_far_it_is_and_leaves_no_copy(ob, window, tmp_path):
    before = set(bpy.data.objects), set(bpy.data.scenes)
    made, state = at_a_window("compare_solvers", window, directory=str(tmp_path), **COMPARISON)
    assert state == RUNNING
    assert window.shown[-1].endswith("Esc: Cancel")
    assert finish(made, window) == {'FINISHED'}
    assert (set(bpy.data.objects), set(bpy.data.scenes)) == before
    assert ob.superpose.contestants


def test_work_whose_count_stands_still_shows_for_how_long(addon, ob, window, monkeypatch):
    """As a bake does that makes all frames one motion: half of them were counted then."""
    made, _ = at_a_window("solve", window)
    now = made.begun
    monkeypatch.setattr(import_module(f"{addon.name}.operators.mixins.stepwise"), "monotonic", lambda: now)
    for seconds, shown in ((2, ""), (5, "5 s  |  "), (65, "65 s  |  ")):
        now = made.begun + seconds
        made.tell_progress(window, 1)
        assert window.shown[-1] == f"Solving, step 1  |  {shown}Esc: Cancel"
    made.cancel(window)


def test_what_fails_as_it_is_first_shown_leaves_nothing_behind(ob, window, tmp_path):
    def broken(text):
        raise TypeError(text)

    window.workspace.status_text_set = broken
    before = set(bpy.data.objects), set(bpy.data.scenes)
    with pytest.raises(TypeError):
        at_a_window("compare_solvers", window, directory=str(tmp_path), **COMPARISON)
    assert (set(bpy.data.objects), set(bpy.data.scenes)) == before
    assert not window.timers


def test_a_solve_is_one_immediate_action(ob, window):
    _, state = at_a_window("solve", window, patience=2.0)
    assert state == {'FINISHED'}
    assert figures.distance(ob, "hand.L") < 1e-4
    assert not window.timers


def test_a_solve_that_takes_long_goes_on_and_ends_in_the_same_pose(ob, window):
    before = figures.transforms(ob.pose.bones["forearm.L"])
    made, state = at_a_window("solve", window)
    assert state == RUNNING
    assert len(window.timers) == len(window.modal) == 1
    assert window.shown == ["Solving, step 1  |  Esc: Cancel"]
    assert made.modal(window, MOUSE) == RUNNING
    assert figures.transforms(ob.pose.bones["forearm.L"]) == before
    assert finish(made, window) == {'FINISHED'}
    assert any("Solving, step 2  |  Esc" in (text or "") for text in window.shown)
    assert not window.timers
    assert window.shown[-1] is None
    stepwise = figures.rotations(ob)
    for bone in ob.pose.bones:
        bone.matrix_basis.identity()
    armatures.refresh()
    bpy.ops.superpose.solve()
    assert (figures.rotations(ob) == stepwise).all()


def test_esc_ends_a_solve_with_nothing_changed(ob, window):
    armatures.refresh()
    before = figures.state()
    made, _ = at_a_window("solve", window)
    assert made.modal(window, ESC) == {'CANCELLED'}
    assert made.reports == [({'INFO'}, "Solve cancelled")]
    assert not window.timers
    assert figures.state() == before


def test_what_is_under_way_where_the_add_on_is_switched_off_is_cancelled(addon, ob, window):
    """Blender drops it without a word: a drag's hints stayed in the status bar of every file from then on."""
    armatures.refresh()
    before, words = figures.state(), []
    made, _ = at_a_window("solve", window)
    made.bl_idname = "SUPERPOSE_OT_solve"
    other = SimpleNamespace(bl_idname="WM_OT_other")  # has nothing to cancel
    screen = SimpleNamespace(areas=[SimpleNamespace(header_text_set=words.append)])
    window.window_manager.windows = [SimpleNamespace(modal_operators=[other, made], screen=screen)]
    window.temp_override = lambda window: nullcontext()
    import_module(f"{addon.name}.under_way").cancel_all(window)
    assert not window.timers
    assert window.shown[-1] is words[-1] is None
    assert figures.state() == before


def test_redo_runs_in_one_go(ob, window):
    made, _ = at_a_window("solve", window)
    finish(made, window)
    assert made.execute(window) == {'FINISHED'}
    assert len(window.modal) == 1


BAKE = {
    "range": 'SCENE',
    "frame_start": 1,
    "frame_end": 9,
    "step": 1,
    "action": 'NEW',
    "frames": 'TOGETHER',
    "smoothness": 0.0,
}


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("after", [1, 5, 8])
def test_an_armature_that_is_deleted_ends_its_bake_with_a_sentence(ob, window, addon, after, live, capfd):
    ob.superpose_live = live
    made, state = at_a_window("bake", window, **BAKE)
    for _ in range(after):
        assert made.modal(window, MOUSE) == state == RUNNING
        state = made.modal(window, TIMER)
    assert state == RUNNING
    bpy.data.objects.remove(ob)
    assert finish(made, window) == {'CANCELLED'}
    sentence = "Armature 'Figure' was deleted: Bake to Keyframes is stopped"
    assert made.reports == [({'ERROR'}, sentence)]
    assert not window.timers
    assert window.shown[-1] is None
    assert not sys.modules[f"{addon.name}.armature.frames.pose_kept"]._kept
    assert bpy.context.scene.frame_current == 4
    assert not bpy.data.actions
    armatures.refresh()
    captured = capfd.readouterr()
    assert "Traceback" not in captured.out + captured.err


def test_a_target_that_is_deleted_ends_its_bake_with_a_sentence(ob, window):
    made, _ = at_a_window("bake", window, **BAKE)
    assert made.modal(window, TIMER) == RUNNING
    target = ob.pose.bones["hand.L"].superpose.target
    name = target.name
    bpy.data.objects.remove(target)
    assert finish(made, window) == {'CANCELLED'}
    assert made.reports == [({'ERROR'}, f"The target '{name}' is gone")]
    assert not window.timers
    assert bpy.context.scene.frame_current == 4
    assert not bpy.data.actions


def test_esc_after_the_deletion_says_no_more_than_that(ob, window):
    made, _ = at_a_window("bake", window, **BAKE)
    bpy.data.objects.remove(ob)
    assert made.modal(window, ESC) == {'CANCELLED'}
    assert not window.timers
