# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many random cases tests take: as shares of what the ring's profile says (see conftest)."""

from hypothesis import settings

few = settings(max_examples=settings().max_examples // 4)
