# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes before what, as the solver's ranks."""

# A pinned bone stays in its place before what is moved gets to its own. Its rotation comes after that, and of
# a foot pinned by its sole the ankle's place too: heels lift where hips are dragged lower than ankles bend.
# What is moved keeps its rotation even where it cannot get to its place: out of reach it would turn over for
# the last of the way. Where a solve of all targets has heels lift, ankles come after all that is asked.
# Beside targets that are animated, those of what follows and has no keys come later. Poles come after the
# ends of limbs, which they cost nothing.
MUST, MOVED_ROTATION, MOVED, PINNED_ROTATION, SHOULD, LIFTED, FOLLOWING, POLE = range(1, 9)
# What gives way gradually in clips, as nobody has asked for it to be in its place.
GRADUAL = LIFTED, FOLLOWING
# And beside contacts: what was recorded of another body need not be met in every frame.
RECORDED = SHOULD, LIFTED, FOLLOWING
