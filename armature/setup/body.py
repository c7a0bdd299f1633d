# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What body an armature is."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
from bpy.types import Object

from ...bodies import Body, directions, recognise
from ...presets.canonical import Rest
from ...solvers.geometry import nearest_rotation
from ..bone_columns import bone_column


def recognised_body(ob: Object) -> Body:
    """Return the body that the armature object is at rest."""
    bones = ob.data.bones
    parents = (bone.parent and bone.parent.name for bone in bones)
    heads = bone_column(bones, "head_local", 3)
    return _recognised(tuple(bones.keys()), tuple(parents), heads.tobytes())


def standing_as_told(ob: Object, body: Body) -> Body:
    """Return the body with the directions that one of its kind has, where the user has said another kind."""
    heads = {name: np.array(ob.data.bones[name].head_local, float) for name in body.roles}
    up, forward, middle = directions(body.kind, body.roles, heads)
    return replace(body, up=up, forward=forward, middle=middle)


@lru_cache(maxsize=8)
def _recognised(names: tuple[str, ...], parents: tuple[str | None, ...], heads: bytes) -> Body:
    """Return the body of bones with ``heads`` (bones, 3) in single precision, as Blender has them."""
    return recognise(names, parents, np.frombuffer(heads, np.float32).reshape(-1, 3).astype(float))


def rest_of(ob: Object) -> Rest:
    """Return the armature object's bones at rest."""
    bones = ob.data.bones
    parents = [bone.parent and bone.parent.name for bone in bones]
    heads, matrices = bone_column(bones, "head_local", 3), bone_column(bones, "matrix_local", 16)
    rotations = np.swapaxes(matrices.reshape(-1, 4, 4), -1, -2)[:, :3, :3].astype(float)
    return Rest([bone.name for bone in bones], parents, heads.astype(float), nearest_rotation(rotations))
