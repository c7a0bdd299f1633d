# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What joints have in common: the likeliest factors of the correlations of their strays.

A joint is three of the variables, and what it has for itself a block (3, 3). Joints are those of the middle,
of the left side, and of the right one in frames of the left.
"""

import numpy as np

ROUNDS = 1000  # of looking for factors


def correlation(samples, frames):
    """The correlations (3 joints, 3 joints) of strays (n, 3 joints), each joint having none of its own axes.

    Where a body's frames lie does not count, of which each has so many ``frames``: they are drawn for each
    joint alone, and few.
    """
    own, spread = blocks(samples.shape[1]), samples.T @ samples / len(samples)
    joints = range(0, len(own), 3)
    values, axes = np.linalg.eigh([spread[at : at + 3, at : at + 3] for at in joints])
    roots = (axes / np.sqrt(values)[:, None]) @ np.swapaxes(axes, -1, -2)
    bodies = samples.reshape(-1, frames, len(roots), 3)
    within = np.einsum("bfji,jik->bfjk", bodies - bodies.mean(axis=1, keepdims=True), roots)
    flat = within.reshape(samples.shape)
    return np.where(own > 0, np.eye(len(own)), flat.T @ flat / len(flat))


def parities(middle, sides):
    """Bases (3 joints, d) of what both sides do alike, and of what they do the opposite of."""
    both, side = np.eye(3 * middle), np.eye(3 * sides) / np.sqrt(2)
    bent = np.arange(3 * middle) % 3 == 0  # about the left: alike
    found = []
    for alike, sign in ((bent, 1), (~bent, -1)):
        centre = np.pad(both[:, alike], ((0, 6 * sides), (0, 0)))
        found.append(np.hstack([centre, np.vstack([np.zeros((3 * middle, 3 * sides)), side, sign * side])]))
    return found


def factors(target, bases, count, most):
    """The ``count`` likeliest factors (3 joints, count) of correlations, of the first and the second of the
    ``bases`` in turn; they say no more than the share ``most`` of a joint's variance.

    By expectation and maximisation (Rubin and Thayer 1982, 10.1007/BF02293851).
    """
    found = np.empty((len(target), count))
    for place, basis in enumerate(bases):
        values, axes = np.linalg.eigh(basis.T @ target @ basis)
        found[:, place::2] = 0.5 * (basis @ (axes * np.sqrt(values)))[:, : -count // 2 - 1 : -1]
    within = blocks(len(target))
    own = within * (target - found @ found.T)
    for _ in range(ROUNDS):
        told = np.linalg.solve(found @ found.T + own, found).T
        seen = target @ told.T
        found = seen @ np.linalg.inv(np.eye(count) - told @ found + told @ seen)
        own = within * (target - found @ told @ target)
    found *= np.sign(found[np.abs(found).argmax(axis=0), range(count)])
    left, sizes, right = np.linalg.svd(found.reshape(-1, 3, count), full_matrices=False)
    return ((left * np.minimum(sizes, most**0.5)[:, None]) @ right).reshape(found.shape)


def blocks(size):
    """Ones where a joint meets itself (size, size), else zeros."""
    return np.kron(np.eye(size // 3), np.ones((3, 3)))
