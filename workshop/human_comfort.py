# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the table of human comfort: ``python workshop/human_comfort.py MOTION.npz [TABLE.json]``.

Needs numpy alone. Without TABLE.json the shipped table is written anew. MOTION.npz is motion capture of one
skeleton whose rest rotations are all the identity: ``joints`` (names), ``parents`` (indices), ``heads``
(J, 3) at rest, ``local_rotations`` (frames, J, 4) wxyz.

What is learned on one skeleton fits others poorly: where its bones lie within the flesh, and how its rest
pose was meant, is its own. So the motion is seen on many bodies whose joints' frames are turned at random by
a share of what bodies differ by; the spreads then hold that too. A share, because a body's frames are turned
alike in all its poses: what the spreads hold of that blurs the joints' own habits (docs/measurements.md).
Which joints stray together is learned from the same bodies: the likeliest factors of a share of their
correlations (factors.py).

The shipped table is made from 93 clips (25,125 frames) of ten people, 1.75 m tall, at 30 frames a second. The
data used in this project was obtained from mocap.cs.cmu.edu. The database was created with funding from NSF
EIA-0196217. It is free for all uses but to be resold; of the data itself nothing is in the table.
"""

import json
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
BODIES, FRAMES = 80, 2000  # frames are drawn anew for each body
DIGITS = 4
# What mirroring a body does to a quaternion of a joint.
MIRRORED = np.array([1.0, 1.0, -1.0, -1.0])
# Degrees about x, y, z (standard deviations) by which the frames of a body's joints are turned.
DIFFER = {
    "hips": (6, 0, 0),
    "spine": (6, 0, 0),
    "neck": (8, 0, 0),
    "head": (8, 0, 0),
    "clavicle": (4, 7, 7),  # more than differs: those of the motion at hand do not turn, as others do
    "upper_arm": (5, 5, 5),
    "forearm": (5, 5, 5),
    "hand": (12, 8, 8),
    "thigh": (0, 5, 0),
    "shin": (0, 5, 0),
    "foot": (8, 8, 5),
}
TIES = 8  # as many as are learned, half of them of what both sides do alike
TIED = 0.75  # the share of what joints are correlated by that the ties hold
ARMS_DIFFER = 12  # about x, both frames of an arm together: the way the elbow's axis points
HELD = 0.6  # the share of that which the spreads hold


def part_of_the_addon(name):
    """A module of the add-on without its __init__.py, which needs Blender."""
    if "superpose" not in sys.modules:
        sys.modules["superpose"] = ModuleType("superpose")
        sys.modules["superpose"].__path__ = [str(ROOT)]
    return import_module(f"superpose.{name}")


bodies = part_of_the_addon("bodies")
canonical = part_of_the_addon("presets.canonical")
body_comfort = part_of_the_addon("presets.body_comfort")
posture = part_of_the_addon("solvers.posture")
learning = part_of_the_addon("solvers.learning")
rotations = part_of_the_addon("solvers.geometry")

factors, correlation, parities = (
    getattr(part_of_the_addon("workshop.factors"), name) for name in ("factors", "correlation", "parities")
)

WANTED = {*body_comfort.SPINE, *DIFFER} - {"hips"}


class Motion:
    """Canonical rotations ``turns`` (frames, J, 3, 3) of joints of ``roles`` that hang on those ``above``."""

    def __init__(self, path):
        data = np.load(path)
        names = data["joints"].tolist()
        parents = [None if parent < 0 else names[parent] for parent in data["parents"]]
        heads = data["heads"].astype(np.float64)
        rest = canonical.Rest(names, parents, heads, np.tile(np.eye(3), (len(names), 1, 1)))
        joints = canonical.canonical_joints(bodies.recognise(names, parents, heads), rest)
        own = [names.index(joint.bone) for joint in joints]
        quaternions = rotations.normalised(data["local_rotations"][:, own].astype(np.float64))
        local = rotations.quaternion_to_matrix(quaternions)
        self.roles = [joint.role for joint in joints]
        self.above = [own.index(above) if (above := data["parents"][bone]) in own else -1 for bone in own]
        self.turns = np.stack([joint.canonical(local[:, at]) for at, joint in enumerate(joints)], axis=1)

    def seen(self, rows, frames):
        """The rows' turns (rows, J, 3, 3) with the joints' frames turned by ``frames`` (J, 3, 3)."""
        above = np.stack([np.eye(3) if at < 0 else frames[at] for at in self.above])
        return above @ self.turns[rows] @ np.swapaxes(frames, -1, -2)

    def of(self, part, turns):
        """The turns (2 n, 4) of a part as its left joint has them: the left or middle one's, then mirrored
        those of the right one, or the middle one's again."""
        sides = {role.side: at for at, role in enumerate(self.roles) if named(role) == part}
        own, other = (sides.get(side, sides.get("")) for side in "LR")
        own, other = (rotations.matrix_to_quaternion(turns[:, at]) for at in (own, other))
        return np.concatenate([own, other * MIRRORED])


def named(role):
    """What the table calls a role: the halves of the trunk have names of their own."""
    return body_comfort.SPINE[role.place - 1] if role.part == "spine" else role.part


def rolled(motion):
    """The frames (J, 3, 3) in which elbows bend about y: those of the arms are turned about x."""
    (elbow,) = learning.learn_comforts(["elbow"], motion.of("forearm", motion.turns)[:, None])
    axis = np.linalg.eigh(elbow.comfort.spread)[1][:, -1]
    roll = np.array([np.arctan(-axis[2] / axis[1]), 0.0, 0.0])
    own = {"L": roll, "R": roll * MIRRORED[1:]}
    return about([own[role.side] if role.part in canonical.ARM else np.zeros(3) for role in motion.roles])


def of_a_body(motion, rng):
    """The frames (J, 3, 3) of the joints of a body at random."""
    arms = {side: [rng.normal(0.0, ARMS_DIFFER), 0.0, 0.0] for side in "LR"}
    own = [rng.normal(0.0, DIFFER.get(role.part, (0, 0, 0))) for role in motion.roles]
    arm = [arms[role.side] if role.part in canonical.ARM else np.zeros(3) for role in motion.roles]
    return about(HELD * (np.radians(own) + np.radians(arm)))


def about(vectors):
    return rotations.rotation_vector_to_matrix(np.array(vectors))


def on_many_bodies(motion):
    """The motion's turns (bodies times frames, J, 3, 3) as it is seen on bodies at random."""
    rng = np.random.default_rng(0)
    straight, seen = rolled(motion), []
    for _ in range(BODIES):
        rows = rng.integers(len(motion.turns), size=FRAMES)
        seen.append(motion.seen(rows, of_a_body(motion, rng) @ straight))
    return np.concatenate(seen)


def table(path):
    """The table's rows by part, made from the motion in a file."""
    motion = Motion(path)
    seen = on_many_bodies(motion)
    parts = [part for part in dict.fromkeys(map(named, motion.roles)) if part in WANTED]
    samples = {part: motion.of(part, seen) for part in parts}
    comforts = {part: learned(samples[part]) for part in parts}
    strays = {part: deviations(comforts[part], samples[part]) for part in parts}
    sided = {named(role) for role in motion.roles if role.side}
    common = ties(strays, sided)
    return {part: [*row(comforts[part]), *common[part]] for part in parts}


def learned(samples):
    """The comfort that rotations say."""
    return learning.learn_comforts(["part"], samples[:, None])[0].comfort


def row(comfort):
    """The mean of rotations, a rotation vector, and the six numbers of their spread."""
    turn = rotations.quaternion_to_rotation_vector(comfort.rotation)
    spread = [comfort.spread[entry] for entry in body_comfort.ENTRIES]
    return [[round(float(value), DIGITS) + 0.0 for value in values] for values in (turn, spread)]


def deviations(comfort, samples):
    """How far samples (n, 4) stray, in standard deviations (n, 3), as the solver's ties count them."""
    apart = rotations.multiply(rotations.conjugate(comfort.rotation), samples)
    whitening = np.linalg.inv(body_comfort.root_of(comfort.spread))
    strays = rotations.quaternion_to_rotation_vector(apart) @ whitening
    return posture.counted(np.square(strays).sum(axis=-1, keepdims=True)) * strays


def ties(strays, sided):
    """The ties of each part, three rows of hundredths, from its left or middle joint's and mirrored strays.

    The right side's joints are in frames of the left, so that what is alike on both sides looks alike.
    """
    middle, sides = ([part for part in strays if (part in sided) == is_sided] for is_sided in (False, True))
    own, other = ({part: np.split(strays[part], 2)[half] for part in strays} for half in (0, 1))
    body = [
        np.hstack([*(left[part] for part in (*middle, *sides)), *(right[part] for part in sides)])
        for left, right in ((own, other), (other, own))
    ]
    correlated = correlation(np.concatenate(body), FRAMES)
    shrunk = TIED * correlated + (1 - TIED) * np.eye(len(correlated))
    found = factors(shrunk, parities(len(middle), len(sides)), TIES, body_comfort.MOST_COMMON)
    rows = np.rint(body_comfort.HUNDREDTHS * found).astype(int).reshape(-1, 3, TIES)
    return dict(zip((*middle, *sides), rows.tolist(), strict=False))


def main(path, result=body_comfort.TABLE):
    rows = (f'"{part}": {json.dumps(numbers)}' for part, numbers in table(path).items())
    Path(result).write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
