# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the solver is asked: frames as its arrays, roots and targets in the armature's own space."""
