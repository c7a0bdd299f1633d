# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What malformed input raises. Missing a target is a result, never an error."""


class SolverError(ValueError):
    """Input that no solve can start from; the message names the bone, the effector or the goal."""


class SkeletonError(SolverError):
    """Bones that make no tree, or whose arrays have the wrong shape or are not finite."""


class GoalError(SolverError):
    """A goal that cannot be used, of whatever kind."""


class EffectorError(GoalError):
    """An effector or a target that cannot be used."""


class LimitError(SolverError):
    """A limit that allows nothing or has values that are not finite."""


class ComfortError(SolverError):
    """A comfort pose that is no rotation, or a spread that is none."""


class SettingsError(SolverError):
    """A setting outside its range."""
