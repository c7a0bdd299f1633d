"""Seeded sets of reachable targets: poses are drawn, their effectors' matrices are the targets."""

import numpy as np

from .kinematics import forward, rotation_from_vector

SPREADS = (0.2, 0.4, 0.8)  # rad, per component of every local rotation vector
ROOT_SPREAD = 0.1  # metres of the rig as it is, per component


def basis_from(rotation_vectors, root_translations):
    """Basis matrices (batch, bones, 4, 4); bone 0 is the only one that translates."""
    basis = np.zeros((*rotation_vectors.shape[:2], 4, 4))
    basis[..., :3, :3] = rotation_from_vector(rotation_vectors)
    basis[..., 3, 3] = 1
    basis[:, 0, :3, 3] = root_translations
    return basis


def reachable_poses(rig, spread, count=200, seed=1):
    """Random poses (count, bones, 4, 4): rotation vectors N(0, spread) rad, root translation N(0, 0.1 m)."""
    random = np.random.default_rng([seed, round(1000 * spread)])
    vectors = random.normal(0, spread, (count, len(rig.names), 3))
    return forward(rig, basis_from(vectors, random.normal(0, ROOT_SPREAD, (count, 3))))


def smooth_poses(rig, spread=0.4, frames=250, fps=30, seed=1):
    """A continuous clip (frames, bones, 4, 4): sines of 2 to 5 seconds, root mean square ``spread``."""
    random = np.random.default_rng(seed)
    shape = (1, len(rig.names) + 1, 3)
    period, phase = random.uniform(2, 5, shape), random.uniform(0, 2 * np.pi, shape)
    seconds = np.arange(frames)[:, None, None] / fps
    waves = np.sqrt(2) * np.sin(2 * np.pi * seconds / period + phase)
    return forward(rig, basis_from(spread * waves[:, :-1], ROOT_SPREAD * waves[:, -1]))


def targets_of(rig, poses):
    """The effectors' bone matrices (batch, effectors, 4, 4) in armature space."""
    return poses[:, rig.effectors]
