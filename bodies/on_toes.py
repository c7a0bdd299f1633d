# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a body with a human's limbs stands as animals do: on its toes, with its heels in the air."""

import numpy as np

from .facing import sigmoid
from .tree import Array

# Feet from heel to toes as long as that, in shins, and legs that are folded to that share of their length.
_LONG, _FOLDED = 0.55, 0.9
# The trunk is not over the legs, or arms are no use for a human: degrees, and in lengths of the legs.
_LEANS, _SHORT = 30.0, 0.5


def on_toes(leg: Array, arm: Array) -> float:
    """Return how much limbs are those of a kangaroo, a frog or a bird rather than of a human, 0 to 1.

    ``leg`` (4, 3): hip, knee, heel and where toes begin; ``arm`` (3, 3): shoulder, elbow and wrist. A faun's
    legs alone are not enough: his trunk is over them, and his arms are a human's.
    """
    thigh, shin, foot = np.maximum(np.linalg.norm(np.diff(leg, axis=0), axis=1), 1e-12).tolist()
    down, trunk = leg[2] - leg[0], arm[0] - leg[0]
    length, height = float(np.linalg.norm(down)), float(np.linalg.norm(trunk))
    leans = np.degrees(np.arccos(np.clip(-down @ trunk / max(length * height, 1e-12), -1.0, 1.0)))
    arms = float(np.linalg.norm(np.diff(arm, axis=0), axis=1).sum()) / (thigh + shin)
    stands = sigmoid((foot / shin - _LONG) / 0.03) * sigmoid((_FOLDED - length / (thigh + shin)) / 0.02)
    return stands * (1.0 - sigmoid((_LEANS - leans) / 3.0) * sigmoid((arms - _SHORT) / 0.03))
