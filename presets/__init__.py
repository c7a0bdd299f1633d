# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of bodies: how far joints turn, how they would rather be, and which bones are which.

Nothing here needs Blender.
"""
