# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that lower the objective, and descents that take them."""

from .comfort_at_targets import FAR, FREE, NEAR, PLAIN, relaxed
from .comfort_penalty import eased, nearly_met
from .descent import DescentOptions, SearchResult, descend
from .held import least_squares_step_held, newton_step_held
from .joint_newton import joint_newton_step
from .levenberg_marquardt import levenberg_marquardt_step, step_along_edges, stepped
from .newton import newton_step
from .opposed_by import Opposed, opposed
from .posture_cost import posture_cost, posture_cost_model
from .stacked import stacked, stacked_step
from .sweep import superpose_bodies, sweep
from .swings import before_swings, has_swings, swing_limbs
from .turns import damped, has_limits, is_half_turn, settled, snapped_turns

__all__ = [
    "FAR",
    "FREE",
    "NEAR",
    "PLAIN",
    "DescentOptions",
    "Opposed",
    "SearchResult",
    "before_swings",
    "damped",
    "descend",
    "eased",
    "has_limits",
    "has_swings",
    "is_half_turn",
    "joint_newton_step",
    "least_squares_step_held",
    "levenberg_marquardt_step",
    "nearly_met",
    "newton_step",
    "newton_step_held",
    "opposed",
    "posture_cost",
    "posture_cost_model",
    "relaxed",
    "settled",
    "snapped_turns",
    "stacked",
    "stacked_step",
    "step_along_edges",
    "stepped",
    "superpose_bodies",
    "sweep",
    "swing_limbs",
]
