# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What users have set up: effectors, settings, limits and comfort, as the solver takes them."""
