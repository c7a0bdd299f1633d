# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of limit that only tests know: a joint turns by at most an angle from rest, about whatever axis."""

import numpy as np


class NearRestRows:
    """What a group of such limits answers, whose ``largest`` angles (m,) are radians.

    ``geometry``: the solver's room of that name, which a class that extends this one says.
    """

    geometry = None

    def nearest(self, local, previous=None):
        turns = self._turns(local)
        size = np.linalg.norm(turns, axis=-1, keepdims=True)
        share = np.minimum(self.largest[:, None] / np.maximum(size, 1e-12), 1.0)
        return self.geometry.rotation_vector_to_matrix(turns * share)

    def room(self, local):
        turns = self._turns(local)
        size = np.linalg.norm(turns, axis=-1)
        out = turns / np.maximum(size, 1e-12)[..., None]
        return out[..., None, :], (self.largest - size)[..., None]

    def comfortable(self, local, share):
        return local

    def sampled(self, points):
        return self.nearest(self.geometry.rotation_vector_to_matrix(2 * points - 1))

    def _turns(self, local):
        return self.geometry.quaternion_to_rotation_vector(self.geometry.matrix_to_quaternion(local))
