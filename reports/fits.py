# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How controls were fitted, in words, and left where the panel shows it."""

from collections.abc import Sequence

import numpy as np
from bpy.types import Scene

from ..armature.controls import Apart, ControlRig, Fit
from ..solvers.geometry import Array
from .words import angle_text, count_text, miss_text, names_text


def fit_lines(
    scene: Scene, rig: ControlRig, fits: Sequence[Fit], left: Sequence[Apart], numbers: Sequence[int]
) -> list[str]:
    """Return in lines how far joints are ``left`` from the body in the frames ``numbers``, and which controls
    were left as they were.
    """
    distances, angles = (np.array([getattr(apart, of) for apart in left]) for of in ("distances", "angles"))
    joints, several = list(rig.joints.values()), len(numbers) > 1

    def farthest(of: Array) -> str:
        """Return which joint has most left, and in which frame of several."""
        row, joint = np.unravel_index(of.argmax(), of.shape)
        return f"'{joints[joint]}'" + (f" at frame {numbers[row]}" if several else "")

    acting = np.any([rig.acting(fit) for fit in fits], axis=0)
    length, angle = miss_text(scene, float(distances.max()), 0.0), angle_text(float(angles.max()))
    where = f"frames {numbers[0]} to {numbers[-1]}" if several else f"frame {numbers[0]}"
    controls = count_text(int(acting.sum()), "control")
    lines = [f"Fitted {controls} in {where}: joints within {length} and {angle}"]
    lines.append(f"Farthest is {farthest(distances)}; most turned is {farthest(angles)}")
    still = {
        "Stays, as it says where the figure is": rig.stay,
        "Moves no joint, as the rig is switched": ~acting & ~rig.stay,
    }
    names = np.array(rig.names)
    lines += [f"{why}: {names_text(names[which].tolist())}" for why, which in still.items() if which.any()]
    return [*lines, *([f"Locked: {names_text(rig.locked)}"] if rig.locked else [])]


def store_fit(rig: ControlRig, lines: Sequence[str], left: Sequence[Apart]) -> None:
    """Leave what is said of a fit on the body, for the panel."""
    setup = rig.body.superpose
    setup.fitted, setup.is_fitted_off = "\n".join(lines), any(apart.is_seen for apart in left)
