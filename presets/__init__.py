# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of bodies: how far human joints turn, and which bones of a rig are which. Plain Python."""
