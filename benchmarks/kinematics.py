"""Forward kinematics by Blender's conventions, numpy only.

Matrices act on columns. ``pose`` and ``rest`` are bone matrices in armature space, ``basis`` is a bone's own
transform on top of its rest (Blender's ``matrix_basis``). The batch axis comes first: (batch, bones, 4, 4).
"""

import numpy as np


def rest_offsets(rig):
    """Rest matrix of each bone in its parent's rest frame (bones, 4, 4); a root's in armature space."""
    parents = np.where(rig.parents < 0, 0, rig.parents)
    above = np.where((rig.parents < 0)[:, None, None], np.eye(4), rig.rest[parents])
    return np.linalg.inv(above) @ rig.rest


def forward(rig, basis):
    """Pose matrices (batch, bones, 4, 4) in armature space of the bones' own transforms."""
    local = rest_offsets(rig) @ basis
    pose = np.empty_like(local)
    for bone, parent in enumerate(rig.parents):
        pose[:, bone] = local[:, bone] if parent < 0 else pose[:, parent] @ local[:, bone]
    return pose


def own_transforms(rig, pose):
    """The inverse of ``forward``: basis matrices (batch, bones, 4, 4) of pose matrices."""
    local = pose.copy()
    for bone, parent in enumerate(rig.parents):
        if parent >= 0:
            local[:, bone] = np.linalg.inv(pose[:, parent]) @ pose[:, bone]
    return np.linalg.inv(rest_offsets(rig)) @ local


def cross_matrix(vectors):
    """Matrices K (..., 3, 3) with ``K @ x = vector x x``."""
    return np.cross(vectors[..., None, :], np.eye(3)).swapaxes(-1, -2)


def rotation_from_vector(vectors):
    """Rotation matrices (..., 3, 3) of rotation vectors (..., 3) in radians (Rodrigues' formula)."""
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    cross = cross_matrix(vectors)
    first, second = np.sinc(angle / np.pi), 0.5 * np.sinc(angle / (2 * np.pi)) ** 2
    return np.eye(3) + first * cross + second * (cross @ cross)


def axial(rotations):
    """The vectors (..., 3) along the axis with length sin(angle) of rotation matrices (..., 3, 3)."""
    skew = 0.5 * (rotations - np.swapaxes(rotations, -1, -2))
    return np.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], axis=-1)


def rotation_angle(rotations):
    """Angles (...) in radians, 0 to pi, exact for small ones, of rotation matrices (..., 3, 3)."""
    cosine = 0.5 * (np.trace(rotations, axis1=-2, axis2=-1) - 1)
    return np.arctan2(np.linalg.norm(axial(rotations), axis=-1), cosine)


def vector_from_rotation(rotations):
    """Rotation vectors (..., 3) in radians; for angles below pi."""
    vector, angle = axial(rotations), rotation_angle(rotations)
    sine = np.linalg.norm(vector, axis=-1)
    return vector * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 1.0)[..., None]
