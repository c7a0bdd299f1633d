# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals beside effectors: a file per kind, which reads what the user has set up and puts it to the solver."""

from .aim import AimSetting
from .attach import AttachSetting
from .balance import BalanceSetting
from .chosen import Chosen
from .plane import PlaneSetting
from .pole import PoleSetting
from .posed import FAR, Posed
from .setting import RANKS, GoalSetting, new_name, sentence

KINDS: dict[str, type[GoalSetting]] = {
    "ATTACH": AttachSetting,
    "AIM": AimSetting,
    "POLE": PoleSetting,
    "PLANE": PlaneSetting,
    "BALANCE": BalanceSetting,
}

__all__ = ["FAR", "KINDS", "RANKS", "Chosen", "GoalSetting", "Posed", "new_name", "sentence"]
