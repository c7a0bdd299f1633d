# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stand: found, edited, and held in place by bakes."""

import itertools

import armatures
import bpy
import figures
import numpy as np
import pytest
import rigify_rigs
from drawn_panels import draw

pytestmark = pytest.mark.usefixtures("blend")

LAST = 44
STEP = range(14, 28)  # in which the left foot steps


@pytest.fixture
def walker(rigify, rng):
    """Rigify's metarig whose left foot takes a step, with noise and a slide in both feet's targets."""
    ob = rigify_rigs.metarig("basic_human")
    bpy.ops.superpose.set_up_body(use_live=False)
    ob.superpose.use_comfort = ob.superpose.use_limits = False  # which take their time
    for side in "LR":
        target = figures.target_of(ob, f"foot.{side}")
        home = target.location.copy()
        for frame in range(1, LAST + 1):
            share = np.clip((frame - STEP[0] + 1) / (len(STEP) + 1), 0, 1) * (side == "L")
            slide = 0.01 * frame / LAST
            away = (0, slide - 0.3 * share, 0.12 * np.sin(np.pi * share) ** 2)
            target.location = home + armatures.Vector(away + 0.002 * rng.normal(size=3))
            target.keyframe_insert("location", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    return ob


def spans(ob, bone, kind="superpose_contact"):
    return bpy.types.SUPERPOSE_OT_mark_frames.spans(bpy.context, ob.pose.bones[bone], kind)


def shown(ob, bone, end, frames):
    """Where head or tail of the bone are shown."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        armatures.refresh()
        found.append(ob.matrix_world @ getattr(ob.pose.bones[bone], end))
    return np.array(found)


def moved(points):
    return np.linalg.norm(points - np.median(points, axis=0), axis=1).max()


def test_contacts_of_heels_and_balls_are_found(walker):
    assert bpy.ops.superpose.find_contacts() == {'FINISHED'}
    for kind in ("superpose_contact", "superpose_tip_contact"):
        assert spans(walker, "foot.R", kind) == [(1, LAST)]
        (_, lifted), (down, last) = spans(walker, "foot.L", kind)
        assert abs(lifted - STEP[0]) <= 3
        assert abs(down - STEP[-1]) <= 3
        assert last == LAST
    assert not any(spans(walker, bone) for bone in ("hand.L", "hand.R", "spine"))


@pytest.mark.once
def test_standing_feet_do_not_move(walker):
    bpy.ops.superpose.find_contacts()
    assert bpy.ops.superpose.bake(use_clean=True) == {'FINISHED'}
    assert "Contacts hold to" in walker.superpose.notes
    for end in ("head", "tail"):
        assert moved(shown(walker, "foot.R", end, range(1, LAST + 1))) < 5e-4
        assert moved(shown(walker, "foot.L", end, range(1, 12))) < 5e-4
        assert moved(shown(walker, "foot.L", end, range(33, LAST + 1))) < 5e-4
    assert np.ptp(shown(walker, "foot.L", "head", STEP)[:, 1]) > 0.2  # and between it steps


@pytest.mark.once
@pytest.mark.parametrize("frames", ["TOGETHER", "ALONE"])
def test_what_stands_holds_where_other_targets_pull_and_motion_is_smoothed(walker, frames):
    bpy.ops.superpose.mark_frames(kind='superpose_contact', bone="foot.R", frame_start=1, frame_end=LAST)
    for side in "LR":
        walker.pose.bones[f"foot.{side}"].superpose.hold = 'FOLLOWS'
    hips = figures.target_of(walker, "spine")
    hips.location.z += 0.25  # out of reach of feet on the ground
    hips.keyframe_insert("location")
    settings = {"smoothness": 0.5} if frames == "TOGETHER" else {}
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 8, 24  # in which the other foot begins to step
    bpy.ops.superpose.bake(frames=frames, use_clean=True, **settings)
    if frames == "ALONE":
        reasons = walker.pose.bones["spine"].superpose.reasons
        assert "a contact must hold" in [reason.words for reason in reasons]
    assert moved(shown(walker, "foot.R", "head", range(8, 25))) < 5e-4


@pytest.mark.once
@pytest.mark.parametrize("frames", ["TOGETHER", "ALONE"])
def test_heels_lift_where_flat_feet_would_take_the_hips_aside(rigify, frames):
    ob, count = rigify_rigs.metarig("basic_human"), 9
    bpy.ops.superpose.set_up_body(use_live=False)
    hips = figures.target_of(ob, "spine")
    home, shares = hips.location.copy(), np.sin(np.pi * np.arange(count) / (count - 1)) ** 2
    wanted = shares[:, None] * (0, -0.1, -0.35)
    for frame, away in enumerate(wanted, start=1):
        hips.location = home + armatures.Vector(away)
        hips.keyframe_insert("location", frame=frame)
    for bone in ob.pose.bones:
        bone.superpose.hold = 'FOLLOWS'
    for side, kind in itertools.product("LR", ("superpose_contact", "superpose_tip_contact")):
        bpy.ops.superpose.mark_frames(kind=kind, bone=f"foot.{side}", frame_start=1, frame_end=count)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, count
    bpy.ops.superpose.bake(frames=frames)
    every = range(1, count + 1)
    low, heels = (shown(ob, bone, "head", every) for bone in ("spine", "foot.L"))
    balls = shown(ob, "foot.L", "tail", every)
    assert np.abs(low - low[0] - wanted).max() < 5e-4
    assert moved(balls) < 5e-4
    assert moved(heels[[0, 1, 2, -3, -2, -1]]) < 5e-4
    assert heels[count // 2, 2] - heels[0, 2] > 0.02


@pytest.mark.once
def test_a_body_does_not_pop_where_contacts_begin_to_keep_it_off(rigify):
    """Hips rise evenly past what the legs reach over feet that stand, and come down again."""
    ob, count = rigify_rigs.metarig("basic_human"), 49
    bpy.ops.superpose.set_up_body(use_live=False)
    hips = figures.target_of(ob, "spine")
    home, shares = hips.location.copy(), np.sin(np.pi * np.arange(count) / (count - 1)) ** 2
    for frame, share in enumerate(shares, start=1):
        hips.location = home + armatures.Vector((0.0, 0.0, 0.16 * share - 0.1))
        hips.keyframe_insert("location", frame=frame)
    for bone in ob.pose.bones:
        bone.superpose.hold = 'FOLLOWS'
    for side in "LR":
        bpy.ops.superpose.mark_frames(
            kind="superpose_contact", bone=f"foot.{side}", frame_start=1, frame_end=count
        )
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, count
    bpy.ops.superpose.bake()
    every = range(1, count + 1)
    knees, heels = (shown(ob, bone, "head", every) for bone in ("shin.L", "foot.L"))
    reasons = [reason.words for reason in ob.pose.bones["spine"].superpose.reasons]
    assert reasons == ["a contact must hold"]
    assert np.linalg.norm(np.diff(knees, 2, axis=0), axis=-1).max() < 5e-3  # held to the last 36e-3
    assert moved(heels) < 5e-4


@pytest.mark.once
@pytest.mark.parametrize("away", [0.0, 0.05])
def test_steps_within_a_contact_are_said(walker, away):
    target = figures.target_of(walker, "foot.R")
    for frame in range(LAST // 2, LAST + 1):
        bpy.context.scene.frame_set(frame)
        target.location.x += away
        target.keyframe_insert("location", frame=frame)
    bpy.ops.superpose.mark_frames(kind='superpose_contact', bone="foot.R", frame_start=1, frame_end=LAST)
    bpy.ops.superpose.bake()
    assert ("but step by up to" in walker.superpose.notes) == (away > 0)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=3, frame_end=6)
    assert "step by" not in walker.superpose.notes


@pytest.mark.once
def test_contacts_that_move_too_fast_to_be_held_are_said(walker):
    target = figures.target_of(walker, "foot.R")
    for frame in range(1, LAST + 1):
        bpy.context.scene.frame_set(frame)
        target.location.x += 0.1 * frame
        target.keyframe_insert("location", frame=frame)
    bpy.ops.superpose.mark_frames(kind='superpose_contact', bone="foot.R", frame_start=3, frame_end=6)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=2, frame_end=5)
    assert "Contacts move too fast to be held: 'foot.R' at 3 to 5" in walker.superpose.notes


@pytest.mark.once
def test_a_contact_is_held_in_one_place_whatever_part_of_it_is_baked(walker):
    bpy.ops.superpose.mark_frames(kind='superpose_contact', bone="foot.R", frame_start=1, frame_end=LAST)
    places = []
    for first, last in ((1, 9), (LAST - 8, LAST)):
        bpy.ops.superpose.bake(range='CUSTOM', frame_start=first, frame_end=last, action='CURRENT')
        places.append(shown(walker, "foot.R", "head", range(first, last + 1)))
    assert moved(np.concatenate(places)) < 1e-4


@pytest.mark.once
def test_how_the_body_is_posed_has_no_say_in_where_feet_stand(walker):
    """A foot that slides by 22 mm stands in one place, though the body is folded to half of its size."""
    target, bent = figures.target_of(walker, "foot.R"), {"spine.001": 2.0}
    for frame in range(1, LAST + 1):
        bpy.context.scene.frame_set(frame)
        target.location.y += 0.012 * frame / LAST
        target.keyframe_insert("location", frame=frame)
    for side in "LR":
        bent |= {f"thigh.{side}": -2.0, f"shin.{side}": 2.0, f"forearm.{side}": -2.5}
    for bone, angle in bent.items():
        walker.pose.bones[bone].rotation_quaternion = armatures.Quaternion((1, 0, 0), angle)
    bpy.ops.superpose.mark_frames(kind='superpose_contact', bone="foot.R", frame_start=1, frame_end=LAST)
    bpy.ops.superpose.bake()
    assert "Contacts hold to" in walker.superpose.notes
    assert "step by" not in walker.superpose.notes


@pytest.mark.once
def test_a_foot_rolls_over_its_ball(walker):
    bpy.ops.superpose.mark_frames(kind='superpose_tip_contact', bone="foot.R", frame_start=1, frame_end=LAST)
    target = figures.target_of(walker, "foot.R")
    home, ball = target.matrix_world.copy(), walker.matrix_world @ walker.pose.bones["foot.R"].tail
    for frame in range(1, LAST + 1):
        turn = armatures.Euler((-0.4 * max(frame - 20, 0) / 24, 0, 0)).to_matrix().to_4x4()
        about = armatures.Matrix.Translation(ball) @ turn @ armatures.Matrix.Translation(-ball)
        target.matrix_world = about @ home
        for path in ("location", "rotation_quaternion", "rotation_euler"):
            target.keyframe_insert(path, frame=frame)
    frames = range(18, LAST + 1)
    bpy.ops.superpose.bake(range='CUSTOM', frame_start=18, frame_end=LAST, use_clean=True)
    assert moved(shown(walker, "foot.R", "tail", frames)) < 5e-4
    assert moved(shown(walker, "foot.R", "head", frames)) > 0.02


@pytest.mark.once
def test_contacts_are_added_moved_and_deleted_and_bakes_without_are_as_ever(walker):
    mark = bpy.ops.superpose.mark_frames
    mark(kind='superpose_contact', bone="foot.L", frame_start=30, frame_end=40)
    assert spans(walker, "foot.L") == [(30, 40)]
    mark(kind='superpose_contact', bone="foot.L", use_mark=False, frame_start=30, frame_end=40)
    assert spans(walker, "foot.L") == []
    bpy.ops.superpose.bake()
    assert "Contacts" not in walker.superpose.notes
    assert moved(shown(walker, "foot.R", "head", range(1, LAST + 1))) > 5e-3


def test_one_undo_takes_contacts_back(walker):
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.superpose.find_contacts()
    bpy.ops.ed.undo_push(message="after")
    assert spans(bpy.context.object, "foot.R")
    bpy.ops.ed.undo()
    assert not spans(bpy.context.object, "foot.R")


def test_contacts_are_stored_in_the_file(walker, tmp_path):
    bpy.ops.superpose.find_contacts()
    before = spans(walker, "foot.L")
    path = str(tmp_path / "walk.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert spans(bpy.context.object, "foot.L") == before


def test_an_armature_without_feet_is_refused_by_name():
    ob = figures.ready()
    ob.pose.bones["hips"].superpose.enabled = False
    figures.refused(bpy.ops.superpose.find_contacts, f"No effector of '{ob.name}' .* is a foot")


@pytest.mark.once
def test_the_panel_lists_contacts(walker):
    bpy.ops.superpose.find_contacts()
    walker.superpose.chosen_bone_index = walker.pose.bones.find("foot.L")
    assert draw().count("superpose.go_to_frame") == 4


@pytest.mark.once
def test_limbs_of_a_moved_and_turned_armature_stand_in_the_world(walker):
    walker.matrix_world = armatures.Euler((0, 0, 1.0)).to_matrix().to_4x4()
    walker.location = (3, -2, 0.5)
    for frame, x in ((1, 3.0), (LAST, 3.2)):  # which moves under the targets
        walker.location.x = x
        walker.keyframe_insert("location", frame=frame)
    bpy.ops.superpose.mark_frames(kind='superpose_contact', bone="foot.R", frame_start=1, frame_end=LAST)
    bpy.ops.superpose.bake(use_clean=True)
    assert moved(shown(walker, "foot.R", "head", range(1, LAST + 1))) < 5e-4


@pytest.mark.once
def test_feet_of_a_mirrored_armature_turn_to_where_they_stand(walker):
    """A foot that its target turns about its ankle while heel and ball stand."""
    target, mirror = figures.target_of(walker, "foot.R"), armatures.new_object("Mirror")
    for frame, turn in ((1, 0.0), (9, 0.4)):
        target.rotation_euler.z += turn
        target.keyframe_insert("rotation_euler", frame=frame)
    for kind in ("superpose_contact", "superpose_tip_contact"):
        bpy.ops.superpose.mark_frames(kind=kind, bone="foot.R", frame_start=1, frame_end=9)
    for thing in (walker, *(figures.target_of(walker, bone) for bone in figures.effectors(walker))):
        thing.parent = mirror
    for x in (1, -1):
        mirror.scale.x = x
        armatures.refresh()
        bpy.ops.superpose.bake(range='CUSTOM', frame_start=1, frame_end=9)
        assert not walker.pose.bones["foot.R"].superpose.is_missed
        assert walker.pose.bones["foot.R"].superpose.rotation_residual < 0.002


@pytest.mark.parametrize("name", ["find_contacts", "find_lost"])
def test_nothing_is_found_where_no_target_moves_while_the_body_does(walker, name):
    for bone in figures.effectors(walker):
        figures.target_of(walker, bone).animation_data_clear()
    thigh = walker.pose.bones["thigh.L"]
    for frame in (1, LAST):
        thigh.rotation_quaternion.x = frame / 100
        thigh.keyframe_insert("rotation_quaternion", frame=frame)
    figures.refused(getattr(bpy.ops.superpose, name), f"No target of 'metarig' moves in {LAST} frames")
