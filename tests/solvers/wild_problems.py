# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems of every kind, the odd ones too, as hypothesis draws them: what `solve` has to be sound for.

What is odd about a problem is drawn, so that hypothesis can take it away piece by piece; numbers come from a
seed.
"""

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from limit_checks import ORDERS, RANDOM
from random_rigs import names, quaternions, random_tree, targets_at, unturned

from solvers import (
    METHODS,
    Comfort,
    Cones,
    Effector,
    Ellipse,
    EulerLimit,
    Hinge,
    Pose,
    Settings,
    Skeleton,
    Targets,
)

FREEDOMS = (np.eye(3), np.zeros((3, 3)), np.diag([1.0, 1.0, 0.0]))
TWISTS = ((-np.pi, np.pi), (0.0, 0.0), (-1.0, 2.0))
WEIGHTS = (1.0, 1.0, 0.0, 1e-12, 1e8)


@dataclass(frozen=True, eq=False)
class Wild:
    """What `solve` is given."""

    skeleton: Skeleton
    pose: Pose
    effectors: tuple[Effector, ...]
    targets: Targets
    settings: Settings

    @property
    def given(self):
        return self.skeleton, self.pose, self.effectors, self.targets, self.settings

    def row(self, number):
        """Return what `solve` is given for one row alone, with nothing kept from another solve."""
        rows = slice(number, number + 1)
        skeleton = replace(self.skeleton.rows(rows))
        return skeleton, self.pose.rows(rows), self.effectors, self.targets.rows(rows), self.settings


def few(*choices):
    """One of the choices; the first is the plain one, to which hypothesis goes back if it can."""
    return st.sampled_from(choices)


def any_of(rng, choices):
    return choices[rng.integers(len(choices))]


@st.composite
def wild_problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    batch, bones, size = draw(st.integers(1, 7)), draw(st.integers(1, 7)), draw(few(1.0, 1e-6, 1e6))
    skeleton = _skeleton(rng, draw, batch, bones, size)
    pose = _pose(rng, draw, skeleton, batch, size)
    effectors = _effectors(rng, draw, bones, size)
    targets = _targets(rng, draw, skeleton, pose, effectors, size)
    return Wild(skeleton, pose, effectors, targets, _settings(rng, draw))


def _skeleton(rng, draw, batch, bones, size):
    freedom = FREEDOMS[draw(few(0, 1, 2))]
    roots, branching, aloof, rows = any_of(
        rng, ((1, 0.0, 0.0, 1), (1, 0.5, 0.0, batch), (2, 0.5, 0.4, batch))
    )
    tree = random_tree(rng, bones, min(roots, bones), branching, aloof, freedom, rows)
    together = rng.random(bones) < draw(few(0.0, 0.5, 1.0))
    stiffness = rng.choice(draw(few((0.0,), (0.0, 0.5, 1.0), (1 - 1e-9, 1.0), (1.0,))), size=bones)
    return replace(
        tree,
        offsets=size * np.where(together[:, None], 0.0, tree.offsets),
        stiffness=stiffness,
        limits=_limits(rng, draw, bones),
        comforts=_comforts(rng, draw, bones),
    )


def _limits(rng, draw, bones):
    limited = rng.random(bones) < draw(few(0.0, 0.5, 1.0))
    kinds, cushion = draw(few(PLAIN, ODD, PLAIN + ODD)), draw(few(0.0, 0.05, 0.5, 4.0, 1e-6))
    return tuple(any_of(rng, kinds)(rng, names(bones)[bone], cushion) for bone in np.flatnonzero(limited))


def _plain(kind):
    return lambda rng, bone, cushion: replace(RANDOM[kind](rng, bone), cushion=cushion)


def _hinge(rng, bone, cushion):
    lower = rng.choice([-np.pi, -1.0, 0.0])
    axis = np.eye(3)[rng.integers(3)] * rng.choice([-3.0, 1e-3])
    return Hinge(bone, tuple(axis.tolist()), lower, lower + rng.choice([0.0, 0.1, 2.0, 2 * np.pi]), cushion)


def _cones(rng, bone, cushion):
    """Cones that lie on, in and opposite one another, of no width and of all."""
    count = rng.integers(1, 4)
    centres = [0.0, 1.0, 0.0] + rng.choice([0.0, 0.5, 1.5], size=(count, 1)) * rng.normal(size=(count, 3))
    radii = rng.choice([0.0, 1e-7, 0.3, 1.5, np.pi], size=count)
    cones = tuple(zip(map(tuple, centres.tolist()), radii.tolist(), strict=True))
    return Cones(bone, cones, *any_of(rng, TWISTS), cushion)


def _ellipse(rng, bone, cushion):
    radii = rng.choice([0.0, 1e-7, 0.05, 0.5, np.pi], size=4)
    return Ellipse(bone, tuple(radii.tolist()), *any_of(rng, TWISTS), cushion)


def _angles(rng, bone, cushion):
    lower = rng.choice([-np.pi, -np.pi / 2, -0.5, 0.0], size=3)
    upper = lower + rng.choice([0.0, 0.2, np.pi, 2 * np.pi], size=3)
    return EulerLimit(bone, any_of(rng, ORDERS), lower, upper, cushion)


PLAIN, ODD = tuple(map(_plain, RANDOM)), (_hinge, _cones, _ellipse, _angles)


def _comforts(rng, draw, bones):
    at_ease = rng.random(bones) < draw(few(0.0, 0.5, 1.0))
    return tuple(
        Comfort(names(bones)[bone], quaternions(rng), _spread(rng)) for bone in np.flatnonzero(at_ease)
    )


def _spread(rng):
    """A spread as the solver has it, of one width, of none, huge, or of some width in some directions."""
    way = rng.normal(size=3)
    return any_of(rng, (None, 0.3, 0.0, 1e6, np.outer(way, way), np.diag([0.0, 1e-12, 1e3])))


def _pose(rng, draw, skeleton, batch, size):
    bones = len(skeleton.names)
    rotations = quaternions(rng, batch, bones, spread=draw(few(0.0, 0.3, 3.0)))
    rotations = rotations * any_of(rng, (1.0, -7.0))  # any length will do
    shift = np.einsum("nij,bnj->bni", skeleton.freedom, rng.normal(size=(batch, bones, 3)))
    return Pose(_laid_out(draw, rotations), size * rng.integers(2) * shift)


def _laid_out(draw, values):
    """Return the values as arrays may come: in single precision, strided, with the last axis first."""
    how = draw(few("plain", "single", "strided", "turned round"))
    if how == "single":
        with np.errstate(over="ignore"):
            return values.astype(np.float32)
    if how == "strided":
        return np.repeat(values, 2, axis=-1)[..., ::2]
    return np.asfortranarray(values) if how == "turned round" else values


def _effectors(rng, draw, bones, size):
    weights = draw(few(WEIGHTS[:1], WEIGHTS))
    one_bone = draw(st.booleans())
    chosen = [bones - 1 if one_bone else rng.integers(bones) for _ in range(draw(st.integers(0, 3)))]
    return tuple(_effector(rng, names(bones)[bone], weights, size) for bone in [bones - 1, *chosen])


def _effector(rng, bone, weights, size):
    return Effector(
        bone,
        tuple((size * rng.choice([0.0, 0.3]) * rng.normal(size=3)).tolist()),
        any_of(rng, weights),
        any_of(rng, weights),
        any_of(rng, ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0), (1.0, 0.0, 1.0), (0.0, 0.0, 2.0), (0.0, 0.0, 0.0))),
        any_of(rng, (1.0, 1.0, 1.0, 1.0, 0.5, 0.0)),
    )


def _targets(rng, draw, skeleton, pose, effectors, size):
    batch, count = len(pose), len(effectors)
    turned = Pose(quaternions(rng, *pose.rotations.shape[:2]), pose.translations)
    met = targets_at(skeleton, turned if draw(st.booleans()) else pose, effectors)
    away = size * draw(few(0.0, 1.0, 1e6, 1e-9, 1e300))
    positions = met.positions + away * rng.uniform(-1, 1, size=(batch, count, 3))
    rotations = any_of(rng, (met.rotations, quaternions(rng, batch, count), unturned(batch, count)))
    axes = draw(few(None, 0, 1, 2, 3))
    if axes is not None:
        axes = (np.diag([1.0, 1.0, 0.0]), np.zeros((3, 3)), rng.normal(size=(3, 3)), 1e-4 * np.eye(3))[axes]
        axes = np.broadcast_to(axes, (any_of(rng, (1, batch)), count, 3, 3))
    return Targets(_laid_out(draw, positions), _laid_out(draw, rotations), axes)


def _settings(rng, draw):
    method = draw(few(*("SUPERPOSE",) * 5, *METHODS[1:]))
    if draw(st.booleans()):
        return Settings(method=method, iterations=10)
    choices = {
        "iterations": (1, 2, 5, 20),
        "restarts": (0, 1),
        "sweeps": (0, 1, 5),
        "dampening": (np.pi, 0.1, 100.0),
        "stabilisation": (0, 3),
        "kernel": ("QCP", "KABSCH"),
        "averaging": ("TURNS", "POINTS"),
        "target_clamp": (0.2, 1e-3, 100.0),
        "step_length": (0.0, 1.0),
        "damping_constant": (0.1, 0.0, 10.0),
        "turn_clamp": (0.8, 1e-3),
        "rest_pull": (0.0, 0.5),
        "tolerance": (1e-5, 1e-2, 1e-12),
    }
    return Settings(method=method, **{name: any_of(rng, values) for name, values in choices.items()})
