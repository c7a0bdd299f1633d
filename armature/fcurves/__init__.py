# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where Blender keeps the F-curves of an action, and their keys as arrays."""
