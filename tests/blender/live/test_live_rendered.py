# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders of live armatures without a window: they show each frame as the viewport does."""

from pathlib import Path

import armatures
import bpy
import figures
import numpy as np
import pytest
from live_figures import MOVE

FRAMES, SIZE = (1, 2, 3), 24


@pytest.fixture
def ob():
    """A live figure whose hand goes up with another live one's, which is animated, and carries a lamp."""
    leader, follower = figures.ready("Leader"), figures.ready("Follower")
    target = figures.target_of(leader, "hand.L")
    for frame in FRAMES:
        target.keyframe_insert("location", frame=frame)
        target.location += MOVE
    led = figures.target_of(follower, "hand.L")
    led.parent, led.parent_type, led.parent_bone = leader, 'BONE', "hand.L"
    led.location = (0.0, 0.0, 0.1)
    lit(follower)
    for each in (leader, follower):
        each.superpose_live = True
    armatures.refresh()
    figures.make_active(follower)
    return follower


def lit(ob):
    """Have the hand carry a bright cube in the middle of what a camera sees of it in a dark scene."""
    bpy.ops.mesh.primitive_cube_add(size=0.3)
    cube = bpy.context.object
    cube.parent, cube.parent_type, cube.parent_bone = ob, 'BONE', "hand.L"
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", 'SUN'))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (0.0, -10.0, 1.0), (np.pi / 2, 0.0, 0.0)
    sun.rotation_euler = camera.rotation_euler
    camera.data.type, camera.data.ortho_scale = 'ORTHO', 6.0
    scene = bpy.context.scene
    for made in (sun, camera):
        scene.collection.objects.link(made)
    scene.camera, scene.render.engine = camera, 'CYCLES'
    scene.cycles.samples, scene.cycles.use_denoising = 1, False
    scene.render.resolution_x = scene.render.resolution_y = SIZE


def rendered(folder):
    """Render the frames into a folder; return their pixels (frames, values)."""
    scene = bpy.context.scene
    folder.mkdir()
    scene.frame_start, scene.frame_end = FRAMES[0], FRAMES[-1]
    scene.render.image_settings.file_format, scene.render.filepath = 'PNG', f"{folder}/"
    bpy.ops.render.render(animation=True)
    return np.array([np.array(bpy.data.images.load(str(file)).pixels) for file in sorted(folder.iterdir())])


@pytest.mark.once
def test_a_render_without_a_window_shows_what_a_bake_does(ob, tmp_path: Path):
    bpy.context.scene.frame_set(2)
    pose = figures.rotations(ob)
    live = rendered(tmp_path / "live")
    assert bpy.context.scene.frame_current == 2
    assert np.array_equal(figures.rotations(ob), pose)
    for each in (bpy.data.objects["Leader"], ob):
        figures.make_active(each)
        bpy.ops.superpose.bake(range='CUSTOM', frame_start=FRAMES[0], frame_end=FRAMES[-1], frames='ALONE')
    baked = rendered(tmp_path / "baked")
    assert not np.allclose(baked[0], baked[2], atol=0.1)
    assert np.abs(live - baked).mean(axis=1).max() < 1e-3
