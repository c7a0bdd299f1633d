# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where legs without feet end, as those of insects and of many horses for games do: on a point."""

from collections.abc import Collection, Iterator, Mapping

import bmesh
import numpy as np
from bpy.types import Bone, Mesh, Object
from mathutils import Vector

from ...bodies import Body
from ...solvers.geometry import Array

Point = tuple[float, float, float]

# The weight by which a vertex is its bone's, and how far from the tail what ends a leg may be, in lengths of
# the bone.
_MOSTLY, _AS_DRAWN = 0.5, 0.25
# The cosine to straight down from which on a bone is upright, and by how much of the height of the hips it is
# more than a hoof or a paw.
_UPRIGHT, _LONG = 0.7, 0.1


def tips_of_legs(ob: Object, body: Body) -> dict[str, Point]:
    """Return where legs without feet end, by the last bone of each: from its head along its axes.

    And legs whose last bones are long and upright, as those of animals without hooves and paws are.
    """
    bones, pointed = ob.data.bones, body.pointed()
    lasts = [bones[name] for name in (*pointed, *body.paws()) if name in bones]
    flesh = _flesh(ob, {bone.name for last in lasts for bone in (last, last.parent) if bone})
    tips = {last: _tip(last, flesh) for last in lasts}
    hips = bones.get(body.holds().get("hips", ""))
    upright = {last for last, tip in tips.items() if hips and _is_shaft(last, tip, hips, body)}
    return {last.name: tuple(tip) for last, tip in tips.items() if last.name in pointed or last in upright}


def ends_of_legs(ob: Object, tips: Mapping[str, Point]) -> dict[str, Array]:
    """Return where the ``tips`` of legs are at rest (3,), in the armature's space."""
    bones = ob.data.bones
    return {name: np.array(bones[name].matrix_local @ Vector(tip)) for name, tip in tips.items()}


def _is_shaft(last: Bone, tip: Vector, hips: Bone, body: Body) -> bool:
    """Return whether a bone goes down to its tip, at rest, by a good part of the height of the hips."""
    if body.up is None:
        return False
    end = last.matrix_local @ tip
    down, height = (float(body.up @ np.array(head - end)) for head in (last.head_local, hips.head_local))
    return down > _UPRIGHT * tip.length and down > _LONG * height


def _tip(last: Bone, flesh: Mapping[str, Array]) -> Vector:
    """Return the end of a leg from its last bone's head, along that bone's axes.

    The tail, unless bones or vertices beyond say otherwise: importers give last bones any length. A bone
    that moves no vertices, as the one before it does, only marks where that ends.
    """
    tail, to_bone = Vector((0.0, last.length, 0.0)), last.matrix_local.inverted()
    beyond = [bone.head_local for bone in last.children_recursive] or flesh.get(last.name, ())
    ends = [to_bone @ Vector(place) for place in beyond]
    if not ends:
        return Vector() if last.parent and last.parent.name in flesh else tail
    end = max(ends, key=lambda place: place.length)
    return tail if (end - tail).length < _AS_DRAWN * last.length else end


def _flesh(ob: Object, names: Collection[str]) -> dict[str, Array]:
    """Return the vertices (n, 3) that bones move more than others do, in the armature's space, by bone."""
    found: dict[str, list[Array]] = {}
    for mesh in _deformed(ob):
        groups = {group.index: group.name for group in mesh.vertex_groups if group.name in names}
        to_armature = np.array(ob.matrix_world.inverted_safe() @ mesh.matrix_world)
        for group, places in _vertices(mesh.data, groups).items() if groups else ():
            found.setdefault(groups[group], []).append(places @ to_armature[:3, :3].T + to_armature[:3, 3])
    return {name: np.concatenate(places) for name, places in found.items()}


def _deformed(ob: Object) -> Iterator[Object]:
    """Yield the meshes of the armature object's scene that it deforms."""
    for thing in ob.users_scene[0].objects if ob.users_scene else ():
        modifiers = thing.modifiers if thing.type == 'MESH' else ()
        if any(modifier.type == 'ARMATURE' and modifier.object == ob for modifier in modifiers):
            yield thing


def _vertices(mesh: Mesh, groups: Collection[int]) -> dict[int, Array]:
    """Return by group the vertices (n, 3) that belong mostly to it and whose places are finite."""
    places = np.empty((len(mesh.vertices), 3), dtype=np.float32)
    mesh.vertices.foreach_get("co", places.ravel())
    moved = {group: places[rows].astype(np.float64) for group, rows in _moved(mesh, groups).items()}
    found = {group: own[np.isfinite(own).all(axis=1)] for group, own in moved.items()}
    return {group: own for group, own in found.items() if len(own)}


def _moved(mesh: Mesh, groups: Collection[int]) -> dict[int, list[int]]:
    """Return which vertices are mostly of which of the groups.

    By bmesh, as large meshes take six times as long vertex by vertex.
    """
    found: dict[int, list[int]] = {}
    editable = bmesh.new()
    try:
        editable.from_mesh(mesh, face_normals=False, vertex_normals=False)
        weights = editable.verts.layers.deform.verify()
        for row, vertex in enumerate(editable.verts):
            for group, weight in vertex[weights].items():
                if weight > _MOSTLY and group in groups:
                    found.setdefault(group, []).append(row)
    finally:
        editable.free()
    return found
