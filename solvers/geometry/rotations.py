# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as arrays, any number of leading axes.

Quaternions are unit, ``wxyz`` (Blender's order); matrices act on column vectors; angles are radians.
"""

import numpy as np

from .arrays import Array
from .polar import mirrors, polar_factor
from .products import einsum

_TINY = 1e-300
_TINY_ANGLE = 1e-9
# Below this squared cosine of the half angle a turn is a half turn.
HALF_TURN = 1e-24
# Beyond this cosine between directions their sum says more of the angle.
_NEARLY_OPPOSITE = -0.999
# Row k is the matrix of the cross product with axis k, so that v @ _CROSS is the flattened [v]x.
_CROSS = np.array(
    [
        [0, 0, 0, 0, 0, -1, 0, 1, 0],
        [0, 0, 1, 0, 0, 0, -1, 0, 0],
        [0, -1, 0, 1, 0, 0, 0, 0, 0],
    ],
    dtype=np.float64,
)
_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])
_IDENTITY = np.eye(3)
_FLAT_IDENTITY_4 = np.eye(4).ravel()
_CONJUGATE: Array = np.array([1.0, -1.0, -1.0, -1.0])

# Flattened covariance @ _KEY is the flattened key matrix.
_KEY = np.zeros((9, 16))
for _row, _column, _terms in (
    (0, 0, {0: 1, 4: 1, 8: 1}),
    (1, 1, {0: 1, 4: -1, 8: -1}),
    (2, 2, {0: -1, 4: 1, 8: -1}),
    (3, 3, {0: -1, 4: -1, 8: 1}),
    (0, 1, {5: 1, 7: -1}),
    (0, 2, {6: 1, 2: -1}),
    (0, 3, {1: 1, 3: -1}),
    (1, 2, {1: 1, 3: 1}),
    (1, 3, {6: 1, 2: 1}),
    (2, 3, {5: 1, 7: 1}),
):
    for _entry, _sign in _terms.items():
        _KEY[_entry, 4 * _row + _column] = _KEY[_entry, 4 * _column + _row] = _sign
# The same of the covariance's transpose.
_KEY_OF_TRANSPOSED = _KEY.reshape(3, 3, 16).swapaxes(0, 1).reshape(9, 16).copy()


def arctan2(sine: Array, cosine: Array) -> Array:
    """Return ``numpy.arctan2``, the same to the last bit wherever its arguments lie in memory.

    Of strided arguments numpy may take one of two routes that differ in rounding, depending on what
    memory the result is given.
    """
    return np.arctan2(np.asarray(sine, order="C"), np.asarray(cosine, order="C"))


def norm(vectors: Array) -> Array:
    """Return the lengths (...) of vectors (..., n)."""
    squares: Array = einsum("...i,...i->...", vectors, vectors)
    return np.sqrt(squares)


def unit(vectors: Array) -> Array:
    """Return the vectors (..., n) at unit length; one without length stays so."""
    lengths = norm(vectors)[..., None]
    return vectors / np.where(lengths > _TINY, lengths, 1.0)


def dot(a: Array, b: Array) -> Array:
    """Return the inner products (...) of vectors (..., n)."""
    products: Array = einsum("...i,...i->...", a, b)
    return products


def cross(a: Array, b: Array) -> Array:
    """Return ``a x b``, shapes (..., 3); ``numpy.cross`` takes five times as long over a few vectors."""
    return a.take(_NEXT, axis=-1) * b.take(_LAST, axis=-1) - a.take(_LAST, axis=-1) * b.take(_NEXT, axis=-1)


def cross_matrix(vectors: Array) -> Array:
    """Return ``[v]x``, shape (..., 3, 3), with ``[v]x u = v x u``."""
    return (vectors @ _CROSS).reshape(*vectors.shape, 3)


def _crossed_twice(vectors: Array) -> Array:
    """Return ``[v]x [v]x``, shape (..., 3, 3)."""
    squares = vectors[..., :, None] * vectors[..., None, :]
    return squares - dot(vectors, vectors)[..., None, None] * _IDENTITY


def rotation_vector_to_matrix(vectors: Array) -> Array:
    """Return the rotation by ``|v|`` radians about ``v`` (Rodrigues' formula), shape (..., 3, 3)."""
    skew = cross_matrix(vectors)
    # Below _TINY_ANGLE both factors are at their limits to the last digit, and no division goes wrong.
    half = np.maximum(0.5 * norm(vectors), _TINY_ANGLE)[..., None, None]
    sinc = np.sin(half) / half
    return _IDENTITY + (sinc * np.cos(half)) * skew + (0.5 * sinc * sinc) * _crossed_twice(vectors)


def rotation_vector_to_quaternion(vectors: Array) -> Array:
    """Return the quaternion of the rotation by ``|v|`` radians about ``v``, shape (..., 4)."""
    half = 0.5 * norm(vectors)[..., None]
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * vectors], axis=-1)


def quaternion_to_rotation_vector(quaternions: Array) -> Array:
    """Return axis times angle, angle in [0, pi], shape (..., 3)."""
    signed = np.where(quaternions[..., :1] < 0, -quaternions, quaternions)
    sine = norm(signed[..., 1:])[..., None]
    angle = 2 * arctan2(sine, signed[..., :1])
    return signed[..., 1:] * np.where(sine > _TINY, angle / np.maximum(sine, _TINY), 2.0)


def rotation_vector_rates(vectors: Array) -> Array:
    """Return the rates (..., 3, 3) at which rotation vectors change with turns in the turned frame.

    The inverse right Jacobian of the rotation group, for angles below a whole turn.
    """
    cross = cross_matrix(vectors)
    half: Array = np.maximum(0.5 * norm(vectors), 1e-4)[..., None, None]
    return _IDENTITY + 0.5 * cross + (1 - half / np.tan(half)) / (4 * half * half) * _crossed_twice(vectors)


def rotation_vector_bends(vectors: Array, weights: Array) -> Array:
    """Return second derivatives (..., 3, 3) of ``weights . vector`` with turns in the turned frame.

    Of what ``rotation_vector_rates`` has the first derivatives of. ``weights`` (..., 3) are held constant.
    """
    cross_weights, across = cross_matrix(weights), cross(vectors, weights)
    half = np.maximum(0.5 * norm(vectors), 0.02)[..., None, None]  # series end where the difference drowns
    share = (1 - half / np.tan(half)) / (4 * half * half)
    growth = (half / np.sin(half) ** 2 - 1 / np.tan(half)) / (16 * half**3) - share / (2 * half * half)
    bends = -0.5 * cross_weights + share * (cross_matrix(across) - cross_weights @ cross_matrix(vectors))
    bends = bends + growth * vectors[..., :, None] * cross(vectors, across)[..., None, :]
    bends = rotation_vector_rates(vectors).swapaxes(-1, -2) @ bends
    symmetric: Array = 0.5 * (bends + bends.swapaxes(-1, -2))
    return symmetric


def quaternion_to_matrix(quaternions: Array) -> Array:
    """Return rotation matrices, shape (..., 3, 3), of unit quaternions."""
    w, v = quaternions[..., :1, None], quaternions[..., 1:]
    return _IDENTITY + 2 * (w * cross_matrix(v) + _crossed_twice(v))


def key_matrix(covariance: Array) -> Array:
    """Return Horn's symmetric traceless key matrix ``K`` (..., 4, 4) of 3x3 covariances ``sum a b^T``.

    ``q^T K q = trace(R(q) sum a b^T)``; of a rotation's transpose it is ``4 q q^T - I``.
    """
    return (covariance.reshape(*covariance.shape[:-2], 9) @ _KEY).reshape(*covariance.shape[:-2], 4, 4)


def matrix_to_quaternion(matrices: Array) -> Array:
    """Return unit quaternions, ``w >= 0``, shape (..., 4), of rotation matrices.

    The outer product ``4 q q^T`` is linear in the matrix; its largest row is the best conditioned.
    """
    flat = matrices.reshape(*matrices.shape[:-2], 9)
    outer = flat @ _KEY_OF_TRANSPOSED + _FLAT_IDENTITY_4
    best = outer[..., ::5].argmax(axis=-1)
    q = outer.reshape(-1, 4, 4)[np.arange(best.size), best.ravel()].reshape(*best.shape, 4)
    unit: Array = q / np.copysign(norm(q), q[..., 0])[..., None]
    return unit


def normalised(quaternions: Array) -> Array:
    """Return the quaternions at unit length."""
    return quaternions / norm(quaternions)[..., None]


def renormalised(matrices: Array) -> Array:
    """Return the rotations without the rounding that products have left.

    Where transposes stand for inverses, as in local rotations, it would grow from product to product. One
    step towards the polar factor (Bjorck and Bowie 1971, 10.1137/0708036) squares it.
    """
    return matrices @ (1.5 * _IDENTITY - 0.5 * (matrices.swapaxes(-1, -2) @ matrices))


def multiply(a: Array, b: Array) -> Array:
    """Return the quaternion product ``a b``: turn by ``b``, then by ``a``."""
    aw, av, bw, bv = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    w = aw * bw - dot(av, bv)[..., None]
    return np.concatenate([w, aw * bv + bw * av + cross(av, bv)], axis=-1)


def conjugate(quaternions: Array) -> Array:
    """Return the inverse of unit quaternions."""
    return quaternions * _CONJUGATE


def slerp(a: Array, b: Array, fraction: Array) -> Array:
    """Return the quaternions ``fraction`` (..., broadcast) of the way from ``a`` to ``b``, the short way."""
    turn = quaternion_to_rotation_vector(multiply(b, conjugate(a)))
    return multiply(rotation_vector_to_quaternion(np.asarray(fraction)[..., None] * turn), a)


def shortest_turn(start: Array, end: Array) -> Array:
    """Return the matrices (..., 3, 3) of the turns that ``shortest_arc`` does."""
    return quaternion_to_matrix(shortest_arc(start, end))


def shortest_arc(start: Array, end: Array) -> Array:
    """Return the quaternions (..., 4) of the least turn of the directions ``start`` onto ``end`` (..., 3).

    Their lengths do not matter; where one has none there is no turn. A half turn goes about the axis nearest
    to x or, where that lies along the direction, to y.
    """
    start, end = unit(start), unit(end)
    cosine, sums = dot(start, end)[..., None], start + end
    w = np.where(cosine > _NEARLY_OPPOSITE, 1 + cosine, 0.5 * dot(sums, sums)[..., None])
    x = start[..., :1]
    across = np.where(x * x < 0.75, [1.0, 0.0, 0.0] - x * start, [0.0, 1.0, 0.0] - start[..., 1:2] * start)
    half_turn = np.concatenate([np.zeros_like(w), across], axis=-1)
    arc = np.concatenate([w, cross(start, end)], axis=-1)
    return normalised(np.where(w > 2 * HALF_TURN, arc, half_turn))


def euler_to_matrix(angles: Array, order: str) -> Array:
    """Return ``R_k R_j R_i`` for ``order`` "ijk" (the first letter turns first), angles (..., 3) by axis."""
    matrix = _IDENTITY
    for axis in ("XYZ".index(letter) for letter in order):
        matrix = rotation_vector_to_matrix(angles[..., axis : axis + 1] * _IDENTITY[axis]) @ matrix
    return matrix


def matrix_to_euler(matrices: Array, order: str) -> Array:
    """Return the angles (..., 3) by axis with the middle one within a quarter turn.

    In gimbal lock (middle angle a quarter turn) the last angle is taken as zero.
    """
    i, j, k = ("XYZ".index(letter) for letter in order)
    parity = 1.0 if (j - i) % 3 == 1 else -1.0
    m = matrices
    cosine = np.hypot(m[..., i, i], m[..., j, i])
    locked = cosine < 1e-7
    in_lock = arctan2(-parity * m[..., j, k], m[..., j, j])
    first = np.where(locked, in_lock, arctan2(parity * m[..., k, j], m[..., k, k]))
    angles = np.empty(m.shape[:-1])
    angles[..., i] = first
    angles[..., j] = arctan2(-parity * m[..., k, i], cosine)
    angles[..., k] = np.where(locked, 0.0, arctan2(parity * m[..., j, i], m[..., i, i]))
    return angles


def nearest_rotation(matrices: Array) -> Array:
    """Return the rotation nearest to each 3x3 matrix or, where it mirrors, to its negative.

    This is the orthogonal polar factor, of what mirrors its negative. That is a rotation, and undoes itself:
    taken before and after an invertible map it leads back to where it began.
    """
    nearest = polar_factor(matrices)
    turn: Array = np.where(mirrors(nearest)[..., None, None], -nearest, nearest)
    return turn


def angle_between(a: Array, b: Array) -> Array:
    """Return the angle in radians, shape (...), of the rotation between matrices ``a`` and ``b``."""
    between = matrix_to_quaternion(a @ b.swapaxes(-1, -2))
    return 2 * arctan2(norm(between[..., 1:]), between[..., 0])
