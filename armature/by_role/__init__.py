# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Set-ups said by the roles of bones, so that they fit any body of a kind, and how an armature gets one."""
