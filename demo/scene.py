# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stage: floor, camera, light, markers that show the targets, and the paths of the hands."""

import bpy
import numpy as np
from mathutils import Vector

TILE, TILES, FAR = 0.5, 40, 200.0
FLOOR, TILE_COLOUR, BACKGROUND = (1.15, 1.16, 1.18, 1.0), (1.02, 1.04, 1.07, 1.0), (0.63, 0.63, 0.635)
TRAIL = 1.0  # seconds of a hand's path that are seen
FROM = (0.88, -0.42, 0.20)  # where the camera is, seen from the figure
MARGINS = [(0.0, 0.0, -0.12), (0.0, 0.05, 0.22), (0.0, -0.05, 0.22)]  # around the targets


def collection(name):
    """Return a new collection of the scene."""
    made = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(made)
    return made


def add(name, data, colour, place):
    """Link a new object with a colour."""
    ob = bpy.data.objects.new(name, data)
    ob.color = colour
    place.objects.link(ob)
    return ob


def squares(name, corners, size, height):
    """Return a mesh of squares that lie flat, one for each corner (x, y)."""
    outline = np.array([[0, 0, 0], [size, 0, 0], [size, size, 0], [0, size, 0]], dtype=float)
    points = (np.array([(x, y, height) for x, y in corners])[:, None] + outline).reshape(-1, 3)
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], np.arange(len(points)).reshape(-1, 4).tolist())
    return mesh


def lay_floor(centre, place):
    """Lay a floor with tiles, so that a sliding foot would be seen."""
    start = np.round(np.array(centre[:2]) / TILE) * TILE - TILES * TILE / 2
    tiles = [(i, j) for i in range(TILES) for j in range(TILES) if (i + j) % 2]
    corners = [start + TILE * np.array(tile) for tile in tiles]
    add("floor", squares("floor", [start - FAR], TILES * TILE + 2 * FAR, -0.002), FLOOR, place)
    add("tiles", squares("tiles", corners, TILE, 0.0), TILE_COLOUR, place)


def mark(target, size, place):
    """Show a target, which is an empty and so not rendered, as a frame of a cube in its colour."""
    mesh = bpy.data.meshes.new("marker")
    half = size / 2
    corners = [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    marker = add(f"{target.name} marker", mesh, target.color, place)
    marker.parent = target
    marker.modifiers.new("Edges", 'WIREFRAME').thickness = size * 0.09


def trace(name, points, colour, place):
    """Draw the last second of a path (frames, 3) as a ribbon that runs along as the clip plays."""
    scene = bpy.context.scene
    behind = round(TRAIL * scene.render.fps)
    curve = bpy.data.curves.new(name, 'CURVE')
    curve.dimensions, curve.bevel_depth = '3D', 0.008
    curve.bevel_factor_mapping_start = curve.bevel_factor_mapping_end = 'SPLINE'  # parts of the length
    spline = curve.splines.new('POLY')
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", np.column_stack([points, np.ones(len(points))]).ravel())
    done = np.concatenate([[0.0], np.linalg.norm(np.diff(points, axis=0), axis=1).cumsum()])
    for index, part in enumerate(done / done[-1]):
        curve.bevel_factor_start, curve.bevel_factor_end = done[max(index - behind, 0)] / done[-1], part
        for path in ("bevel_factor_start", "bevel_factor_end"):
            curve.keyframe_insert(path, frame=scene.frame_start + index)
    return add(name, curve, colour, place)


def smoothed(path, width):
    """Return a path (frames, 3), each point the mean of the ``width`` points around it."""
    padded = np.pad(path, ((width // 2, width - width // 2 - 1), (0, 0)), mode="edge")
    evenly = np.full(width, 1.0 / width)
    return np.stack([np.convolve(axis, evenly, mode="valid") for axis in padded.T], axis=-1)


def film(points, place):
    """Put up a camera that goes along with the first point of (frames, points, 3) and has all in view."""
    scene = bpy.context.scene
    camera = add("camera", bpy.data.cameras.new("camera"), (1, 1, 1, 1), place)
    camera.data.lens = 60.0
    camera.rotation_euler = Vector(FROM).to_track_quat('Z', 'Y').to_euler()
    scene.camera = camera
    bpy.context.view_layer.update()
    path = smoothed(points[:, 0] * (1, 1, 0), scene.render.fps)
    beside = np.concatenate([points - path[:, None] + margin for margin in MARGINS]).ravel()
    start, _ = camera.camera_fit_coords(bpy.context.evaluated_depsgraph_get(), beside.tolist())
    for frame, step in enumerate(path, scene.frame_start):
        camera.location = start + Vector(step)
        camera.keyframe_insert("location", frame=frame)


def light(scene):
    """Choose the Workbench engine and what it shows."""
    scene.render.engine = 'BLENDER_WORKBENCH'
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 960, 640, 100
    scene.view_settings.view_transform = 'Standard'
    scene.display.render_aa = '8'
    scene.display.light_direction = (0.35, 0.45, 0.82)
    shading = scene.display.shading
    shading.light, shading.studio_light, shading.color_type = 'STUDIO', 'paint.sl', 'OBJECT'
    shading.show_shadows, shading.shadow_intensity = True, 0.35
    shading.show_cavity, shading.cavity_type = True, 'BOTH'
    scene.world = bpy.data.worlds.new("World")
    scene.world.color = BACKGROUND


def open_on_camera():
    """Let whoever opens the file see it through the camera, in the colours of the pictures."""
    areas = (area for screen in bpy.data.screens for area in screen.areas if area.type == 'VIEW_3D')
    for space in (area.spaces.active for area in areas):
        space.shading.color_type = 'OBJECT'
        space.region_3d.view_perspective = 'CAMERA'
