# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A step pushed back by faces is the least of its model within them: the conditions of Kuhn and Tucker."""

import numpy as np
import pytest
from scipy.optimize import nnls

from solvers.problem import LimitFaces
from solvers.problem.quadratic_program import pressed_faces, step_within_faces

BATCH, JOINTS, ROOTS, FACES = 30, 6, 1, 3


def model(rng):
    """Roots of inverse Hessians of all conditions, and steps long enough to cross faces."""
    size = 3 * (JOINTS + ROOTS)
    root = rng.normal(size=(BATCH, size, size)) * 10.0 ** rng.uniform(-2, 0, (BATCH, 1, size))
    step = np.einsum("bir,br->bi", root, rng.normal(size=(BATCH, size)))
    return step.reshape(BATCH, -1, 3), root.reshape(BATCH, -1, 3, size)


def faces_of(rng):
    """Faces, some touched, some far, some only there to fill up."""
    normals = rng.normal(size=(BATCH, JOINTS, FACES, 3))
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    room = rng.choice([0.0, 0.05, 0.3, 2.0], size=(BATCH, JOINTS, FACES)) * rng.uniform(size=(BATCH, 1, 1))
    normals[:, :2, 2], room[:, :2, 2] = 0.0, np.inf
    return LimitFaces(normals, room, np.zeros((JOINTS, FACES), bool))


def test_a_step_pushed_back_is_the_least_within_the_faces(rng):
    (step, root), faces = model(rng), faces_of(rng)
    found = step_within_faces(faces, np.zeros(faces.room.shape, bool), step, root)
    made = np.einsum("bnci,bni->bnc", faces.normals, found[:, :JOINTS])
    assert (made <= faces.room + 1e-6).all()
    assert np.abs(found - step).max() > 0.1
    for row in range(BATCH):
        levers = np.einsum("nci,nir->ncr", faces.normals[row], root[row, :JOINTS])
        touched = made[row] > faces.room[row] - 1e-6
        back = np.linalg.solve(root[row].reshape(-1, root.shape[-1]), (step - found)[row].ravel())
        unexplained = nnls(levers[touched].T, back)[1] if touched.any() else np.linalg.norm(back)
        assert unexplained < 1e-5 * max(1.0, np.linalg.norm(back))


def test_a_step_that_crosses_nothing_is_left_as_it_is(rng):
    (step, root), faces = model(rng), faces_of(rng)
    wide = LimitFaces(faces.normals, faces.room + 100.0, faces.loose)
    assert (step_within_faces(wide, np.zeros(faces.room.shape, bool), step, root) == step).all()


def projected(rng):
    """Projectors and ways along them that lead downhill."""
    size = 3 * (JOINTS + ROOTS)
    basis = np.linalg.qr(rng.normal(size=(BATCH, size, size - 4)))[0]
    along = basis @ np.swapaxes(basis, -1, -2)
    return along, along @ rng.normal(size=(BATCH, size, 1))


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e6])
def test_faces_pressed_on_are_the_same_whatever_the_unit(rng, scale):
    """Slopes are squares of lengths: of a rig in millimetres a million times those of one in metres."""
    faces, (along, way) = faces_of(rng), projected(rng)
    along = along.reshape(BATCH, -1, 3, way.shape[1])
    held, again = (pressed_faces(faces, by * way.reshape(BATCH, -1, 3), along) for by in (1.0, scale))
    assert held.any()
    assert (held == again).all()


def test_faces_pressed_on_are_those_that_hold_a_way_together(rng):
    """The way left after them leads out of no touched face, and what they took is made of pushes alone."""
    faces, size, (along, way) = faces_of(rng), 3 * (JOINTS + ROOTS), projected(rng)
    held = pressed_faces(faces, way.reshape(BATCH, -1, 3), along.reshape(BATCH, -1, 3, size))
    touched, normals = faces.room <= 1e-7, np.zeros((*faces.room.shape, size))
    assert (held <= touched).all()
    assert 0 < held.sum() < touched.sum()
    for joint in range(JOINTS):
        normals[:, joint, :, 3 * joint : 3 * joint + 3] = faces.normals[:, joint]
    for row in range(BATCH):
        pushing = normals[row][held[row]] @ along[row]
        pushes, left = nnls(pushing.T, way[row, :, 0]) if len(pushing) else (np.zeros(0), 0.0)
        left = way[row, :, 0] - pushing.T @ pushes
        assert (normals[row][touched[row]] @ left).max(initial=0.0) < 1e-6
        assert (pushes > 0).all()
