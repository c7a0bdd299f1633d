# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What joints may not do: the kinds of limits, their shapes, and what a step has to know of them."""
