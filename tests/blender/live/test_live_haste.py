# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""While the mouse drags, moves are followed in haste; once it rests, with all that the settings allow."""

import sys
from math import inf

import armatures
import bpy
import figures
import pytest
import swayed
from armatures import Vector
from live_figures import MOVE, channels, followers, move

pytestmark = pytest.mark.once

FAR = Vector((-2.2, 1.4, -0.3))
# Over half a metre in two moves, and within reach.
LEAP = Vector((-0.4, -0.1, 0.35))


def is_hasty(addon):
    """Whether the one armature that is live was posed in haste."""
    (follower,) = followers(addon).values()
    return follower.is_hasty


@pytest.fixture
def asked(addon, monkeypatch):
    """The settings that each pose of a drag was sought with."""
    body, settings = sys.modules[f"{addon.name}.dragging.body"], []
    solve = body.solve_in_parts

    def noted(request, **kwargs):
        settings.append(request.settings)
        return solve(request, **kwargs)

    monkeypatch.setattr(body, "solve_in_parts", noted)
    return settings


def test_no_other_starts_and_few_steps_until_the_mouse_rests(ob, mouse, asked):
    move(ob, way=FAR, steps=5)
    assert {settings.restarts for settings in asked} == {0}
    assert max(settings.iterations for settings in asked) < 10
    mouse.rest()
    assert asked[-1].restarts == ob.superpose.restarts
    assert asked[-1].iterations == ob.superpose.iterations


def test_a_move_need_not_wait_until_the_pose_is_refined(ob, mouse, asked, addon, monkeypatch):
    monkeypatch.setattr(mouse.handlers, "_MOMENT", 0.0)
    move(ob, way=FAR, steps=5)
    hasty = channels(ob)
    assert mouse.handlers._on_rest() is not None
    armatures.refresh()
    assert is_hasty(addon)
    assert channels(ob) == hasty
    move(ob, way=-0.1 * FAR)
    assert asked[-1].restarts == 0
    mouse.rest()
    assert asked[-1].restarts == ob.superpose.restarts
    assert not is_hasty(addon)


def test_scripts_get_all_that_the_settings_allow_at_once(ob, addon, asked):
    move(ob, way=FAR, steps=2)
    assert {settings.restarts for settings in asked} == {ob.superpose.restarts}
    assert not is_hasty(addon)


def test_settings_are_compared_once_the_mouse_rests(ob, addon, mouse, monkeypatch):
    """Entries that come into a list Blender does not tell of."""
    stored, compared = sys.modules[f"{addon.name}.armature.setup.stored"].StoredSettings, []
    are_of = stored.are_of
    monkeypatch.setattr(stored, "are_of", lambda *given: compared.append(given) or are_of(*given))
    move(ob, way=MOVE / 4)
    ob.pose.bones["forearm.L"].superpose.limit.cones.add()
    move(ob, way=MOVE / 4, steps=3)
    assert not compared
    mouse.rest()
    (follower,) = followers(addon).values()
    assert follower.left.reading.stored.are_of(ob)


def test_settings_are_compared_when_the_mouse_drags_again(ob, addon, mouse, monkeypatch):
    stored, compared = sys.modules[f"{addon.name}.armature.setup.stored"].StoredSettings, []
    are_of = stored.are_of
    monkeypatch.setattr(stored, "are_of", lambda *given: compared.append(given) or are_of(*given))
    move(ob, way=MOVE / 4)
    mouse.rest()
    compared.clear()
    move(ob, way=MOVE / 4)
    assert is_hasty(addon)
    assert len(compared) == 1


def shown(ob):
    """All that the panel shows of how it went, as stored."""
    setup, listed = ob.superpose, [bone.superpose for bone in ob.pose.bones if bone.superpose.is_effector]
    whole = [getattr(setup, name) for name in ("message", "jumps", "strays", "notes", "clip_report", "stand")]
    left = "is_solved is_missed gave_way is_along position_residual rotation_residual out_of_reach".split()
    said = [[getattr(one, name) for name in (*left, "held_back", "miss", "left")] for one in listed]
    why = [[(reason.kind, reason.words) for reason in one.reasons] for one in listed]
    goals = [(goal.is_missed, goal.miss) for goal in setup.goals]
    return whole, [setup.is_solved, setup.is_missed, setup.rmsd, setup.position_residual], said, why, goals


@pytest.mark.parametrize("way", [MOVE, FAR], ids=["met", "missed"])
def test_what_moves_do_not_take_back_they_say_anew(ob, addon, mouse, monkeypatch, way):
    """With all taken back before, each report of a drag is the same."""
    follower, told = sys.modules[f"{addon.name}.live.follower"], []
    store = follower.store

    def stored_twice(*given, is_next, **named):
        for goes_on in (is_next, False):
            store(*given, is_next=goes_on, **named)
            told.append((is_next, shown(ob)))

    monkeypatch.setattr(follower, "store", stored_twice)
    for part in (way / 4, way / 2, way / 4, -way / 2):
        move(ob, way=part)
    mouse.rest()
    assert told[::2] == told[1::2]
    assert [is_next for is_next, _ in told[::2]] == [False, True, True, True, False]


def test_moves_that_follow_fast_are_told_when_they_can_be_read(ob, addon, mouse, monkeypatch):
    """Until then the last report holds, and it is not called outdated."""
    follower, clock = sys.modules[f"{addon.name}.live.follower"], [0.0]
    monkeypatch.setattr(follower, "monotonic", lambda: clock[0])
    monkeypatch.setattr(follower, "_READ", 0.1)
    move(ob, way=FAR / 4)
    first = shown(ob)[2]
    clock[0] = 0.09
    move(ob, way=FAR / 4)
    assert shown(ob)[2] == first
    assert not bpy.types.SUPERPOSE_OT_solve.is_outdated(ob)
    clock[0] = 0.11
    move(ob, way=FAR / 4)
    assert shown(ob)[2] != first
    clock[0] = 0.12
    move(ob, way=-FAR * 3 / 4 + MOVE / 4)
    assert ob.superpose.is_missed
    mouse.rest()
    assert not ob.superpose.is_missed


def test_in_haste_no_reason_is_given_that_more_search_may_refute(ob, addon, mouse):
    """That nothing comes nearer, or that bodies are too short, is not known yet."""
    told = set()
    for way in (FAR, -0.7 * FAR, LEAP, 0.4 * FAR):
        move(ob, way=way)
        if is_hasty(addon):
            bones = [bone.superpose for bone in ob.pose.bones if bone.superpose.is_missed]
            told |= {(reason.kind, reason.words) for bone in bones for reason in bone.reasons}
    assert told
    assert 'STUCK' not in {kind for kind, _ in told}
    assert not any("all targets at once" in words for _, words in told)
    mouse.rest()
    assert not any(reason.kind == 'HASTE' for bone in ob.pose.bones for reason in bone.superpose.reasons)


def test_at_rest_nothing_is_left_of_an_earlier_report(ob, mouse):
    """Of a goal that is switched off the report does not speak."""
    goal = ob.superpose.goals.add()
    goal.enabled = False
    move(ob, way=MOVE / 4, steps=2)
    goal.is_missed, goal.miss = True, "1 m"
    move(ob, way=MOVE / 4, steps=2)
    mouse.rest()
    assert (goal.is_missed, goal.miss) == (False, "")


def test_within_reach_haste_is_exact(ob, mouse):
    for _ in range(20):
        move(ob, way=MOVE / 20)
        assert figures.distance(ob, "hand.L") < 1e-5


@pytest.mark.parametrize("end", [MOVE, FAR], ids=["met", "missed"])
def test_the_same_targets_give_the_same_pose_once_the_mouse_rests(ob, mouse, end):
    target = figures.target_of(ob, "hand.L")
    begin, poses = target.location.copy(), []
    for way in ([end], [(-0.5, -0.3, 0), (0.1, 0.4, 0.3), end], [0.3 * end, 0.7 * end, 1.2 * end, end]):
        for point in way:
            target.location = begin + Vector(point)
            armatures.refresh()
        mouse.rest()
        poses.append(channels(ob))
    assert poses[0] == poses[1] == poses[2]


@pytest.mark.parametrize("end", [MOVE, FAR], ids=["met", "missed"])
def test_moves_that_are_late_rest_in_the_pose_of_those_that_are_not(ob, mouse, monkeypatch, end):
    target = figures.target_of(ob, "hand.L")
    begin, poses = target.location.copy(), []
    for seconds in (inf, -inf):
        monkeypatch.setattr(mouse.handlers, "FRAME", seconds)
        for share in (0.5, 1.0):
            target.location = begin + share * Vector(end)
            armatures.refresh()
        mouse.rest()
        poses.append(channels(ob))
    assert poses[0] == poses[1]


def test_a_move_within_reach_meets_its_target_however_late_it_is(ob, mouse, monkeypatch):
    monkeypatch.setattr(mouse.handlers, "FRAME", -inf)
    target = figures.target_of(ob, "hand.L")
    begin = target.location.copy()
    for share in (0.25, 0.5, 0.75, 1.0):
        target.location = begin + share * Vector(MOVE)
        assert figures.distance(ob, "hand.L") < 1e-5


@pytest.mark.parametrize("way", [LEAP, -LEAP], ids=["up", "down"])
def test_a_leap_within_reach_is_given_time(ob, mouse, addon, monkeypatch, way):
    monkeypatch.setattr(mouse.handlers, "FRAME", 1e-9)
    monkeypatch.setattr(sys.modules[f"{addon.name}.dragging.drag"], "_PATIENCE", inf)
    move(ob, way=way, steps=2)
    assert figures.distance(ob, "hand.L") < 1e-5


@pytest.mark.parametrize("way", [LEAP, -LEAP], ids=["up", "down"])
def test_a_leap_that_was_cut_is_at_its_target_before_it_is_refined(ob, mouse, addon, monkeypatch, way):
    """And refined to what it is without a cut."""
    target = figures.target_of(ob, "hand.L")
    begin = target.location.copy()

    def leapt(seconds):
        monkeypatch.setattr(mouse.handlers, "FRAME", seconds)
        target.location = begin
        for share in (0.5, 1.0):
            target.location = begin + share * way
            armatures.refresh()

    leapt(inf)
    mouse.rest()
    rested = channels(ob)
    leapt(1e-9)
    assert figures.distance(ob, "hand.L") > 1e-3
    monkeypatch.setattr(mouse.handlers, "_MOMENT", 0.0)
    (follower,) = followers(addon).values()
    while not follower.dragged.is_ahead:
        assert mouse.handlers._on_rest() is not None
    armatures.refresh()
    assert is_hasty(addon)
    assert figures.distance(ob, "hand.L") < 1e-5
    mouse.rest()
    assert not is_hasty(addon)
    assert channels(ob) == rested


@pytest.fixture
def looks(addon, monkeypatch):
    """Updates of the scene that live posing asks for, to see what is shown of the pose."""
    live = sys.modules[f"{addon.name}.live.armatures"]
    update, calls = live.evaluate_again, []

    def noted(*args):
        calls.append(args)
        update(*args)

    monkeypatch.setattr(live, "evaluate_again", noted)
    return calls


def sized_by_the_pose(ob, by):
    """Have the upper arm grow by this share as it turns."""
    swayed.scale_of_driven(ob)
    for curve in bpy.data.objects["Size"].animation_data.drivers:
        curve.driver.expression = f"1 + {by} * (1 - value)"
    armatures.refresh()


def test_what_is_shown_as_solved_is_looked_at_again_once_the_mouse_rests(ob, mouse, looks):
    sized_by_the_pose(ob, by=0.002)
    looks.clear()
    move(ob, steps=6)
    assert len(looks) == 1
    mouse.rest()
    assert len(looks) == 2
    assert ob.pose.bones["hand.L"].superpose.position_residual == pytest.approx(
        figures.distance(ob, "hand.L"), abs=1e-6
    )


def test_what_is_shown_elsewhere_than_solved_is_told_at_every_move(ob, mouse, looks):
    sized_by_the_pose(ob, by=1.0)
    for _ in range(4):
        move(ob, way=MOVE / 4)
        told = ob.pose.bones["hand.L"].superpose.position_residual
        assert told == pytest.approx(figures.distance(ob, "hand.L"), abs=1e-4)
    assert told > 1e-3
    assert len(looks) >= 4


def test_a_target_that_is_put_where_it_is_already_has_not_moved(ob, addon):
    """Else the scene would be evaluated once more at every move for targets that go nowhere."""
    place_target = sys.modules[f"{addon.name}.armature.problem.places"].place_target
    target, here, there = figures.target_of(ob, "hand.R"), Vector((0.25, 0.5, 1)), Vector((0.25, 0.5, 2))
    target.matrix_basis = armatures.Matrix.Translation(here)
    armatures.refresh()
    assert not place_target(target, armatures.Matrix.Translation(here))
    assert place_target(target, armatures.Matrix.Translation(there))


def test_a_build_that_the_pose_decides_is_refined_as_any_other(ob, mouse, asked, addon):
    """And not sought anew, though nobody has looked at it."""
    sized_by_the_pose(ob, by=0.002)
    move(ob, way=MOVE, steps=6)
    del asked[:]
    mouse.rest()
    assert [settings.haste for settings in asked] == [None]
    assert not is_hasty(addon)
    before = channels(ob)
    ob.update_tag()
    armatures.refresh()
    assert channels(ob) == before


def test_when_the_mouse_is_let_go_the_next_update_refines(ob, addon, mouse, asked):
    move(ob, way=FAR, steps=3)
    mouse.is_dragging = False
    bpy.context.scene.objects["Figure"].update_tag()
    armatures.refresh()
    assert asked[-1].restarts == ob.superpose.restarts
    assert not is_hasty(addon)


def test_rest_is_awaited_once_and_only_while_a_drag_is_unfinished(ob, mouse):
    assert not mouse.is_awaited
    move(ob, steps=3)
    assert mouse.is_awaited
    mouse.rest()
    assert not mouse.is_awaited
    armatures.refresh()
    assert not mouse.is_awaited
    move(ob, way=-MOVE / 2)
    ob.superpose_live = False
    assert not mouse.is_awaited


def test_back_where_it_began_nothing_is_left_to_refine(ob, mouse, addon):
    before = channels(ob)
    move(ob, way=MOVE, steps=2)
    target = figures.target_of(ob, "hand.L")
    target.location -= MOVE
    armatures.refresh()
    assert channels(ob) == before
    assert not is_hasty(addon)


def test_rest_after_the_armature_was_deleted_is_no_error(ob, mouse):
    move(ob, way=FAR, steps=2)
    bpy.data.objects.remove(ob)
    mouse.handlers._on_rest()
    armatures.refresh()
    assert not mouse.is_awaited
