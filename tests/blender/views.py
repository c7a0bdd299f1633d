# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views of the scene that need no window."""

from types import SimpleNamespace

from mathutils import Matrix

SIZE = 2000  # pixels


def view_of(point, from_direction, distance, perspective):
    """A region and a view of it, from a direction, in whose middle the point is."""
    turn = from_direction.to_track_quat('Z', 'Y')
    view = Matrix.LocRotScale(point + distance * from_direction.normalized(), turn, None).inverted()
    near, far, half = 0.1 * distance, 10 * distance, 0.5 * distance
    if perspective:
        depth = (near + far) / (near - far), 2 * near * far / (near - far)
        projection = Matrix(((2, 0, 0, 0), (0, 2, 0, 0), (0, 0, *depth), (0, 0, -1, 0)))
    else:
        depth = 2 / (near - far), (near + far) / (near - far)
        projection = Matrix(((1 / half, 0, 0, 0), (0, 1 / half, 0, 0), (0, 0, *depth), (0, 0, 0, 1)))
    return SimpleNamespace(
        view_matrix=view,
        perspective_matrix=projection @ view,
        is_perspective=perspective,
        view_perspective='PERSP' if perspective else 'ORTHO',
    )
