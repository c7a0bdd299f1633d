# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where recorded feet stand, and how they are held there and led between."""

import numpy as np
import pytest

from solvers.motion import Span, find_contacts, led, plant, planting, spans_of, steps, unheld

RATE, SIZE = 30.0, 1.75
FRAMES = 150


def walk(rng=None, lifts=((0, 20), (60, 80)), drift=0.0):
    """Heel and ball of two feet, (frames, 2, 2, 3): the second foot steps in the spans, the first between."""
    time, feet = np.arange(FRAMES), []
    for foot in range(2):
        up = np.zeros(FRAMES, bool)
        for first, last in lifts:
            shift = 0 if foot else 30
            up[first + shift : last + shift] = True
        forward = 0.05 * np.cumsum(up) + drift * time / RATE
        phase = np.cumsum(up) % 20
        height = np.where(up, 0.08 * np.sin(np.pi * (phase + 0.5) / 20) ** 2 + 0.03, 0.0)
        heel = np.stack([forward, np.full(FRAMES, 0.2 * foot), height + 0.08], axis=-1)
        feet.append(np.stack([heel, heel + np.array([0.13, 0.0, -0.06])], axis=1))
    points = np.stack(feet, axis=1)
    return points, ~np.isclose(points[:, :, 0, 2], 0.08)


def found_contacts(points, scale=1.0, rate=RATE):
    flat = points.reshape(len(points), -1, 3)
    found = find_contacts(scale * flat, np.ones(flat.shape[1], bool), scale * SIZE, rate)
    return found.reshape(points.shape[:3])


def test_contacts_are_where_feet_are_down(rng):
    points, up = walk()
    found = found_contacts(points)
    inner = np.lib.stride_tricks.sliding_window_view(np.pad(up, ((2, 2), (0, 0)), mode="edge"), 5, axis=0)
    sure = inner.all(axis=-1) | ~inner.any(axis=-1)  # the edges may be two frames off
    assert np.array_equal(found.all(axis=2)[sure], ~up[sure])


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_contacts_depend_neither_on_scale_nor_on_a_floor_that_drifts(scale):
    points, _ = walk()
    found = found_contacts(points)
    assert np.array_equal(found_contacts(points, scale), found)
    sloping = points + [[[[0, 0, 1]]]] * (0.012 * np.arange(FRAMES) / RATE)[:, None, None, None]
    assert (found_contacts(sloping) == found).mean() > 0.98


def test_a_point_that_has_crept_away_from_where_it_stood_has_left():
    points, _ = walk(lifts=())
    creeping = np.clip(np.arange(FRAMES) - 80, 0, 20) * 0.18 * SIZE / RATE  # as slow as what may stand
    points[:, 0, :, 0] += creeping[:, None]
    found = found_contacts(points)[:, 0]
    assert not found[84:97].any()
    assert found[:79].all()
    assert found[102:].all()


def test_a_moment_below_the_floor_lifts_no_foot_off_it():
    """Recordings begin in a pose of their own, and dip: floors are where feet stay."""
    points, _ = walk()
    found = found_contacts(points)
    points[:2, ..., 2] -= 0.1
    points[125, ..., 2] -= 0.1
    lower = found_contacts(points)
    assert (lower == found)[5:120].all()


def test_contacts_at_twice_the_frame_rate_are_the_same_ones():
    points, _ = walk()
    between = np.concatenate([0.5 * (points[1:] + points[:-1]), points[-1:]])
    twice = np.stack([points, between], axis=1).reshape(-1, *points.shape[1:])
    assert (found_contacts(twice, rate=2 * RATE)[::2] == found_contacts(points)).mean() > 0.98


def test_hands_stand_only_at_the_height_of_the_feets_floor():
    points, _ = walk()
    frames = len(points)
    hands = np.tile([0.3, 0.5, 0.9], (frames, 2, 1))  # hanging still
    hands[:, 1, 2] = np.where(np.arange(frames) < 70, 0.9, 0.08)  # and one comes down, for ever
    flat = np.concatenate([points.reshape(frames, -1, 3), hands], axis=1)
    found = find_contacts(flat, np.arange(flat.shape[1]) < 4, SIZE, RATE)
    assert not found[:, 4].any()
    assert spans_of(found[:, 5]) == [Span(71, frames - 1)]


def test_a_foot_that_is_held_up_does_not_stand():
    points, _ = walk(lifts=())
    swaying = 0.05 * np.sin(np.arange(FRAMES) / RATE * 3)[:, None]
    points[30:120, 1, :, 0] += swaying[30:120]
    points[30:120, 1, :, 2] += 0.3
    assert not found_contacts(points)[35:115, 1].any()
    assert found_contacts(points)[:, 0].all()


@pytest.mark.parametrize("rise", [-0.5, -0.18, 0.1, 0.18, 0.35, 1.0])
@pytest.mark.parametrize("rate", [24, 30, 120])
def test_feet_stand_on_stairs_and_slopes(rise, rate):
    """Up or down by a share of the way, where no foot has been at the height of the one before for long."""
    time = np.arange(8 * rate) / rate
    stride = time[:, None] / 1.1 + [0.0, 0.5]
    swing = np.minimum(stride % 1 / 0.4, 1.0)
    along = 0.7 * (np.floor(stride) + swing**2 * (3 - 2 * swing))
    height = rise * along + 0.15 * np.sin(np.pi * swing) ** 2
    heels = np.stack([along, np.broadcast_to([0.0, 0.2], along.shape), height + 0.08], axis=-1)
    points = np.stack([heels, heels + np.array([0.13, 0.0, -0.06])], axis=2)
    found, stands = found_contacts(points, rate=rate).all(axis=2), swing == 1
    assert (found & stands).sum() > 0.95 * stands.sum()
    assert (found & stands).sum() > 0.9 * found.sum()


@pytest.mark.parametrize("drift", [0.0, 0.03])
def test_planted_points_do_not_move_and_limbs_keep_their_length(rng, drift):
    points, up = walk(drift=drift)
    points = points + (0.003 * rng.normal(size=(FRAMES, 2, 1, 3)))
    contacts = np.repeat(~up[..., None], 2, axis=2)
    planted = plant(points, contacts, SIZE, RATE)
    shifts, turns = led(points, planted)
    heads = points[:, :, 0] + shifts
    away = np.einsum("flij,flj->fli", turns, points[:, :, 1] - points[:, :, 0])
    for end, found in enumerate((heads, heads + away)):
        for limb in range(2):
            for span in spans_of(planted.held[:, limb, end]):
                assert np.ptp(found[span.rows, limb], axis=0).max() < 1e-9
    assert planted.held[contacts].mean() > 0.8
    assert np.linalg.norm(heads - points[:, :, 0], axis=-1).max() < 0.03


def test_contacts_that_move_too_fast_to_be_held_are_found():
    """In all of a contact, or in a part of it."""
    points, _ = walk(lifts=())
    contacts = np.ones(points.shape[:3], bool)
    assert not unheld(contacts, plant(points, contacts, SIZE, RATE), RATE).any()
    fast = np.zeros(FRAMES)
    fast[10:30] = 0.1
    points[:, 0] += np.cumsum(fast)[:, None, None] * (1, 0, 0)
    contacts[:12, 0] = False
    loose = unheld(contacts, plant(points, contacts, SIZE, RATE), RATE)
    assert np.flatnonzero(loose[:, 0]).tolist() == list(range(12, 29))
    assert not loose[:, 1].any()
    contacts[20:, 0] = False
    loose = unheld(contacts, plant(points, contacts, SIZE, RATE), RATE)
    assert np.flatnonzero(loose[:, 0]).tolist() == list(range(12, 20))


@pytest.mark.parametrize("noise", [0.002, 0.004, 0.006])
@pytest.mark.parametrize("seed", range(4))
def test_a_foot_that_trembles_stands_in_one_place(seed, noise):
    rng = np.random.default_rng(seed)
    points, _ = walk(lifts=())
    points = points + noise * rng.normal(size=points.shape)
    contacts = np.ones(points.shape[:3], bool)
    planted = plant(points, contacts, SIZE, RATE)
    assert planted.held.all()
    assert steps(contacts, planted) == 0
    points[FRAMES // 2 :] += (0.06, 0.0, 0.0)
    planted = plant(points, contacts, SIZE, RATE)
    assert abs(steps(contacts, planted) - 0.06) < 0.015
    points[3 * FRAMES // 4 :] += (0.1, 0.0, 0.0)  # on from there
    assert abs(steps(contacts, plant(points, contacts, SIZE, RATE)) - 0.1) < 0.015


def test_noise_of_what_stands_as_it_is_is_not_looked_for(rng, monkeypatch):
    """Of points that come no farther than a drift from their place it makes no difference."""
    points, up = walk()
    points = points + 0.003 * rng.normal(size=points.shape)
    contacts = np.repeat(~up[..., None], 2, axis=2)
    monkeypatch.setattr(planting, "noise_of", None)
    planted = plant(points, contacts, SIZE, RATE)
    for limb, end in np.ndindex(2, 2):
        for span in spans_of(contacts[:, limb, end]):
            assert planted.held[span.rows, limb, end].all()


def test_without_contact_nothing_is_led():
    points, _ = walk()
    planted = plant(points, np.zeros((FRAMES, 2, 2), bool), SIZE, RATE)
    shifts, turns = led(points, planted)
    assert not planted.held.any()
    assert np.abs(shifts).max() == 0
    assert np.abs(turns - np.eye(3)).max() < 1e-12


def test_nothing_sinks_below_the_floors_that_it_goes_between():
    points, up = walk()
    points[25:30, :, 1, 2] -= 0.1  # balls dip while a foot is in the air
    planted = plant(points, np.repeat(~up[..., None], 2, axis=2), SIZE, RATE)
    floors = np.median(points[..., 2], axis=0)
    inside = slice(20, 130)
    assert (planted.places[inside, ..., 2] > floors - 0.005).all()


@pytest.mark.parametrize("way", [1, -1])
def test_a_foot_on_its_way_from_or_to_lower_ground_is_not_lifted_onto_the_one_contact_of_the_clip(way):
    """Its floor is known on one side alone: a clip of a ladder begins, or ends, a rung below."""
    points, _ = walk(lifts=())
    rung = 0.6
    points[:60, ..., 2] -= rung * (1 - np.arange(60) / 60)[:, None, None]
    contacts = np.zeros(points.shape[:3], bool)
    contacts[60:] = True
    planted = plant(points[::way], contacts[::way], SIZE, RATE)
    assert planted.held.any()
    assert np.linalg.norm(planted.places - points[::way], axis=-1).max() < 0.02
