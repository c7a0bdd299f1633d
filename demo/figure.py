# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body for Rigify's metarig, which has none: one rounded shape for each bone that shows."""

import bpy
import numpy as np
from mathutils import Matrix

# Radius at the head and at the tail of the bone, width and depth of the cross-section, in metres.
SHAPES = {
    "spine": (0.115, 0.10, 1.25, 0.85),
    "spine.001": (0.095, 0.10, 1.30, 0.85),
    "spine.002": (0.10, 0.115, 1.35, 0.85),
    "spine.003": (0.115, 0.06, 1.40, 0.85),
    "spine.004": (0.045, 0.043, 1.0, 1.0),
    "spine.005": (0.043, 0.045, 1.0, 1.0),
    "spine.006": (0.075, 0.095, 0.95, 1.15),
    "shoulder": (0.035, 0.055, 1.0, 1.0),
    "upper_arm": (0.052, 0.04, 1.0, 1.0),
    "forearm": (0.042, 0.03, 1.0, 1.0),
    "hand": (0.03, 0.042, 0.55, 1.0),
    "thigh": (0.085, 0.058, 1.0, 1.0),
    "shin": (0.06, 0.038, 1.0, 1.0),
    "foot": (0.042, 0.036, 1.05, 1.0),
    "toe": (0.034, 0.022, 1.2, 0.8),
}
SPANS = {"spine.006": (0.25, 0.62)}  # the part of the bone that the shape covers, where it is not all
VISOR = (0.045, 0.045, 1.1, 0.8), (0.0, 0.09, 0.062)  # a shape and its place on the head: where it looks
TRUNK, LIMBS = (0.20, 0.27, 0.36, 1.0), (0.80, 0.77, 0.72, 1.0)
TRUNK_BONES = ("spine", "spine.001", "spine.002", "spine.003")
AROUND, CAP = 24, 8


def profile(begin, end, radius, end_radius):
    """Return radii and places along the bone of a rod with round ends."""
    angles = np.linspace(0.0, np.pi / 2, CAP)
    radii = np.concatenate([radius * np.sin(angles), end_radius * np.cos(angles)])
    along = np.concatenate([begin - radius * np.cos(angles), end + end_radius * np.sin(angles)])
    return radii, along


def rod(name, span, shape, shift=(0.0, 0.0, 0.0)):
    """Return a mesh in the bone's frame: along Y, over the span (begin, end)."""
    radius, end_radius, width, depth = shape
    radii, along = profile(*span, radius, end_radius)
    angles = np.arange(AROUND) * (2 * np.pi / AROUND)
    x, z = np.outer(radii, np.cos(angles)) * width, np.outer(radii, np.sin(angles)) * depth
    points = np.stack([x, np.broadcast_to(along[:, None], x.shape), z], axis=-1).reshape(-1, 3) + shift
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], quads(len(radii)))
    mesh.shade_smooth()
    return mesh


def quads(rings):
    """Return the faces between neighbouring rings of points."""
    rows, columns = np.divmod(np.arange((rings - 1) * AROUND), AROUND)
    after = (columns + 1) % AROUND
    corners = (rows, columns), (rows + 1, columns), (rows + 1, after), (rows, after)
    return np.stack([row * AROUND + column for row, column in corners], axis=-1).tolist()


def hang(rig, bone, mesh, colour, collection):
    """Hang a mesh, made in the bone's frame, on the bone."""
    part = bpy.data.objects.new(f"body {bone.name}", mesh)
    part.color = colour
    part.parent, part.parent_type, part.parent_bone = rig, 'BONE', bone.name
    part.matrix_parent_inverse = Matrix.Translation((0.0, -bone.length, 0.0))  # children hang on the tail
    collection.objects.link(part)


def dress(rig, collection):
    """Give every bone that has a shape its mesh."""
    for bone in rig.data.bones:
        stem = bone.name.removesuffix(".L").removesuffix(".R")
        if stem in SHAPES:
            span = [part * bone.length for part in SPANS.get(stem, (0.0, 1.0))]
            mesh = rod(bone.name, span, SHAPES[stem])
            hang(rig, bone, mesh, TRUNK if stem in TRUNK_BONES else LIMBS, collection)
    shape, shift = VISOR
    hang(rig, rig.data.bones["spine.006"], rod("visor", (0.0, 0.0), shape, shift), TRUNK, collection)
