# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as the channels of Blender's eight rotation modes, continuous from frame to frame.

A bone's channels are four numbers in its own mode: ``wxyz``, ``angle xyz``, or three Euler angles and a 0.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from ...solvers.geometry import (
    Array,
    Mask,
    multiply,
    quaternion_to_matrix,
    rotation_vector_to_quaternion,
    unit,
)

_AXES, _AXIS = {"X": 0, "Y": 1, "Z": 2}, np.eye(3)
# The cosine of the second angle below which the first and the last share one turn, as Blender has it: in
# matrices of single precision rounding alone would tell them apart.
_GIMBAL = 2e-6
_TURN = 2 * np.pi
_TELLING = 1e-3  # radians between the two sets of Euler angles in a locked angle


def to_quaternions(channels: Array, modes: Sequence[str]) -> Array:
    """Return the rotations (..., bones, 4) that Blender sees in channels of the same shape."""
    result = np.empty(channels.shape)
    for mode, bones in _by_mode(tuple(modes)):
        decode, _ = _codec(mode)
        result[..., bones, :] = decode(channels[..., bones, :])
    return result


def to_channels(rotations: Array, modes: Sequence[str], own: Array, locked: Mask) -> Array:
    """Return channels (frames, bones, 4) of rotations of that shape, each the nearest to the one before.

    ``own`` (frames, bones, 4): the frames' animated channels, to the first of which the first frame is the
    nearest. Of the two sets of Euler angles that is taken whose ``locked`` (bones, 3) ones are as in it.
    """
    result = np.empty(rotations.shape)
    for mode, bones in _by_mode(tuple(modes)):
        _, encode = _codec(mode)
        result[:, bones] = encode(rotations[:, bones], own[:, bones], locked[bones])
    return result


@lru_cache(maxsize=16)  # asked for in every frame
def _by_mode(modes: tuple[str, ...]) -> list[tuple[str, NDArray[np.int64]]]:
    names = np.array(modes)
    return [(mode, np.flatnonzero(names == mode)) for mode in sorted(set(modes))]


def _codec(mode: str) -> tuple[Callable[[Array], Array], Callable[[Array, Array, Mask], Array]]:
    if mode == 'QUATERNION':
        return _from_quaternion, _quaternions
    if mode == 'AXIS_ANGLE':
        return _from_axis_angle, _axis_angles
    order = tuple(_AXES[letter] for letter in mode)
    return partial(_from_euler, order), partial(_eulers, order)


def _from_quaternion(channels: Array) -> Array:
    length = np.linalg.norm(channels, axis=-1, keepdims=True)
    # Blender reads a zero quaternion as half a turn about X.
    return np.where(length > 0, channels / np.where(length > 0, length, 1), [0.0, 1.0, 0.0, 0.0])


def _from_axis_angle(channels: Array) -> Array:
    return rotation_vector_to_quaternion(channels[..., :1] * unit(channels[..., 1:]))


def _from_euler(order: tuple[int, int, int], channels: Array) -> Array:
    turns = rotation_vector_to_quaternion(channels[..., order, None] * _AXIS[list(order)])
    first, second, third = (turns[..., place, :] for place in range(3))
    return multiply(third, multiply(second, first))


def _quaternions(rotations: Array, own: Array, _locked: Mask) -> Array:
    row = np.concatenate([own[:1], rotations])
    return rotations * _alternating_signs(row)


def _axis_angles(rotations: Array, own: Array, _locked: Mask) -> Array:
    sine = np.linalg.norm(rotations[..., 1:], axis=-1)
    axes = np.concatenate([unit(own[:1, :, 1:]), unit(rotations[..., 1:])])
    # Where there is no turn there is no axis: stay with the one before.
    axes = _filled(axes, np.concatenate([np.ones((1, *sine.shape[1:]), bool), sine > 1e-12]))
    signs = _alternating_signs(axes)
    angles = 2 * np.arctan2(sine * signs[..., 0], rotations[..., 0])
    angles = np.unwrap(np.concatenate([own[:1, :, 0], angles]), axis=0)[1:]
    return np.concatenate([angles[..., None], axes[1:] * signs], axis=-1)


def _eulers(order: tuple[int, int, int], rotations: Array, own: Array, locked: Mask) -> Array:
    """Return Euler angles as channels. They are in the order of turning here, and by axis in the channels.

    The two sets of angles of a rotation are (a, b, c) and (a + pi, pi - b, c + pi).

    A step between two frames is as long from second set to second set as from first to first, so where the
    sets cross follows from neighbouring frames alone, and which set is in use from the number of crossings. A
    locked angle, which may be animated, says in each frame by itself which set it is of where they differ.
    """
    own = own[..., order]
    angles = np.concatenate([own[:1], _euler_angles(rotations, own[0, :, 0], order)])
    other = np.stack([angles[..., 0] + np.pi, np.pi - angles[..., 1], angles[..., 2] + np.pi], axis=-1)
    crossing = _step(angles[1:], other[:-1]) < _step(angles[1:], angles[:-1])
    second = np.cumsum(crossing, axis=0) % 2 == 1
    farther = _step(angles[1:], own, locked[:, order]) - _step(other[1:], own, locked[:, order])
    second = np.where(np.abs(farther) > _TELLING, farther > 0, second)
    angles[1:] = np.where(second[..., None], other[1:], angles[1:])
    result = np.zeros(rotations.shape)
    result[..., order] = np.unwrap(angles, axis=0)[1:]
    return result


def _euler_angles(rotations: Array, first_before: Array, order: tuple[int, int, int]) -> Array:
    """Return the angles (frames, bones, 3) with the second within a quarter turn.

    In gimbal lock the first angle keeps its value of the frame before.
    """
    i, j, k = order
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    m = quaternion_to_matrix(rotations)
    cosine = np.hypot(m[..., i, i], m[..., j, i])
    free = np.concatenate([np.ones((1, *cosine.shape[1:]), bool), cosine > _GIMBAL])
    first = np.concatenate([first_before[None], np.arctan2(sign * m[..., k, j], m[..., k, k])])
    first = _filled(first[..., None], free)[1:, :, 0]
    second = np.arctan2(-sign * m[..., k, i], cosine)
    # What the first angle leaves of the second axis, turned by the third angle alone.
    left = m[..., j] * np.cos(first)[..., None] - sign * m[..., k] * np.sin(first)[..., None]
    third = np.arctan2(-sign * left[..., i], left[..., j])
    return np.stack([first, second, third], axis=-1)


def _step(a: Array, b: Array, counted: Mask | bool = True) -> Array:
    """Return how far apart two sets of angles are, whole turns aside, of those that are counted."""
    return (np.abs((a - b + np.pi) % _TURN - np.pi) * counted).sum(axis=-1)


def _alternating_signs(rows: Array) -> Array:
    """Return the signs (frames, bones, 1) that keep each vector on the side of the one before it.

    ``rows`` (1 + frames, bones, n) begins with the reference, whose sign stays.
    """
    turned = np.einsum("fbi,fbi->fb", rows[1:], rows[:-1]) < 0
    return np.where(np.cumsum(turned, axis=0) % 2 == 1, -1.0, 1.0)[..., None]


def _filled(values: Array, known: Mask) -> Array:
    """Return values (frames, bones, n), each not ``known`` (frames, bones) replaced by the last that is."""
    frames = np.arange(len(values))[:, None]
    last = np.maximum.accumulate(np.where(known, frames, 0), axis=0)
    return np.take_along_axis(values, last[..., None], axis=0)
