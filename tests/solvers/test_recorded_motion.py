# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of recorded tracks is not believed, and what is put in its place."""

import numpy as np
import pytest

from solvers.geometry import multiply, rotation_vector_to_quaternion
from solvers.motion import (
    Span,
    cleaned,
    find_contacts,
    find_doubts,
    led,
    mask_of,
    plant,
    planting,
    spans_of,
    steps,
)
from solvers.motion import doubts as doubts_module
from solvers.motion.elimination import solve_banded

RATE, SIZE, NOISE = 30.0, 1.75, 0.003
FRAMES = 150


def motion(rng, frames=FRAMES, tracks=3):
    """Smooth ways of about a metre, and turns, as a body makes them; no noise."""
    time = np.arange(frames)[:, None, None] / RATE
    ranges = (1, 6), (0, 6), (0.02, 0.3)
    speeds, phases, sizes = (rng.uniform(*ends, size=(4, tracks, 3)) for ends in ranges)
    places = (sizes * np.sin(speeds * time[:, None] + phases)).sum(axis=1)
    turns = 0.5 * np.sin(speeds[0] * time + phases[1])
    return places, rotation_vector_to_quaternion(turns)


def noisy(rng, places):
    return places + NOISE * rng.normal(size=places.shape)


def test_smooth_and_noisy_motion_is_believed(rng):
    places, rotations = motion(rng)
    assert not find_doubts(places, rotations, SIZE, RATE).any()
    assert not find_doubts(noisy(rng, places), rotations, SIZE, RATE).any()


@pytest.mark.parametrize("length", [1, 2, 15, 45])
@pytest.mark.parametrize("noise", [0.0, NOISE])
def test_what_jumps_away_and_back_is_found_and_nothing_else(rng, length, noise):
    places, rotations = motion(rng)
    places = places + noise * rng.normal(size=places.shape)
    places[50 : 50 + length, 1] = (2.0, -1.0, 0.3)
    wanted = np.zeros((FRAMES, 3), bool)
    wanted[50 : 50 + length, 1] = True
    assert np.array_equal(find_doubts(places, rotations, SIZE, RATE)[..., 0], wanted)


def test_a_track_that_freezes_amid_its_noise_is_found(rng):
    places, rotations = motion(rng)
    places = noisy(rng, places)
    places[60:80, 2] = places[59, 2]
    assert spans_of(find_doubts(places, rotations, SIZE, RATE)[:, 2, 0]) == [Span(60, 79)]


@pytest.mark.parametrize("size", [SIZE, 0.0175])
def test_a_foot_that_stands_is_believed_though_rounding_has_it_tremble(rng, size):
    places, rotations = motion(rng)
    places[:, 2] = np.float32((0.1, -0.2, 0.08))
    moves = np.r_[20:60, 90:140]
    places[moves, 2] += 2e-7 * rng.normal(size=(len(moves), 3))
    assert not find_doubts(places * size / SIZE, rotations, size, RATE).any()


@pytest.mark.parametrize("seed", range(4))
def test_a_track_that_freezes_in_quick_motion_is_found(seed):
    """Motion is far more than noise there, and what comes before and after leads into the frozen frames."""
    rng = np.random.default_rng(seed)
    time = np.arange(60) / RATE
    height = 0.2 * np.sin(2 * np.pi * time / 0.6)
    places = noisy(rng, np.stack([0 * time, 3 * time, height], axis=-1)[:, None])
    places[30:45, 0] = places[29, 0]
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (60, 1, 1))
    assert spans_of(find_doubts(places, rotations, SIZE, RATE)[:, 0, 0]) == [Span(30, 44)]


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_a_target_that_keys_ease_into_a_hold_is_believed(precision):
    time = np.clip(np.abs(np.arange(90) - 45.0) - 10, 0, 25) / 25  # from hold to hold, and back
    eased = (time**2 * (3 - 2 * time))[:, None, None] * np.array([0.9, 0.3, 0.1])
    places = eased.astype(precision).astype(float)
    rotations = np.tile([1.0, 0.0, 0.0, 0.0], (90, 1, 1))
    assert not find_doubts(places, rotations, SIZE, RATE).any()


def test_a_flip_of_a_rotation_is_found(rng):
    places, rotations = motion(rng)
    rotations[30:40, 0] = multiply(rotations[30:40, 0], np.array([0.0, 0.0, 1.0, 0.0]))
    rotations[70:90, 1] *= -1  # the same rotation, said the other way
    doubts = find_doubts(places, rotations, SIZE, RATE)
    assert spans_of(doubts[:, 0, 1]) == [Span(30, 39)]
    assert not doubts[:, 1:].any()
    assert not doubts[..., 0].any()


@pytest.mark.parametrize("length", [15, 40])
def test_a_rotation_that_is_lost_while_its_place_is_not_is_found(rng, length):
    places, rotations = motion(rng)
    rotations = multiply(rotation_vector_to_quaternion(np.array([0.0, 2.0, 0.0])), rotations)
    rotations[50 : 50 + length, 1] = (1.0, 0.0, 0.0, 0.0)
    places = noisy(rng, places)
    doubts = find_doubts(places, rotations, SIZE, RATE)
    assert spans_of(doubts[:, 1, 1]) == [Span(50, 49 + length)]
    assert not doubts[:, [0, 2]].any()
    assert not doubts[..., 0].any()
    found, turned = cleaned(places, rotations, doubts, RATE, keeps_noise=True)
    assert np.array_equal(found, places)
    assert not np.isclose(turned[50 : 50 + length, 1], rotations[50 : 50 + length, 1]).all(axis=-1).any()


def test_a_rotation_that_rests_or_never_turns_is_believed(rng):
    places, rotations = motion(rng)
    rotations[:, 0] = rotations[0, 0]
    rotations[60:90, 1] = rotations[60, 1]
    rotations[90:, 1] = rotations[61:121, 1]
    assert not find_doubts(noisy(rng, places), rotations, SIZE, RATE).any()
    places[50:65, 0] += 1.0
    assert spans_of(find_doubts(noisy(rng, places), rotations, SIZE, RATE)[:, 0, 0]) == [Span(50, 64)]


def test_a_cut_to_another_place_is_believed_on_both_sides(rng):
    places, rotations = motion(rng)
    places[75:, 0] += 3.0
    assert not find_doubts(places, rotations, SIZE, RATE).any()


def test_poses_that_are_held_by_their_keys_may_jump(rng):
    places, rotations = motion(rng)
    held = np.repeat(places[::10], 10, axis=0)
    assert not find_doubts(held, np.repeat(rotations[::10], 10, axis=0), SIZE, RATE).any()


@pytest.mark.parametrize("seed", range(60))
def test_a_glance_finds_no_other_doubts(seed, monkeypatch):
    """Leaving out what is calm at a glance changes nothing, however near a track is to being doubted."""
    rng = np.random.default_rng(seed)
    places, rotations = motion(rng, int(rng.integers(3, 40)), tracks=12)
    frames, size = len(places), SIZE * 10 ** rng.uniform(-1.5, 1.5)
    for track, frame in zip(range(12), rng.integers(0, frames, 12), strict=True):
        kick = 0.015 * size * rng.uniform(0.3, 3) * rng.normal(size=3)
        places[frame : frame + rng.integers(1, 4), track] += kick
    still = rng.integers(0, frames)
    places[still : still + rng.integers(1, 9), 0] = places[still, 0]
    glanced = find_doubts(places, rotations, size, RATE)
    monkeypatch.setattr(doubts_module, "is_calm", lambda positions, *_: np.zeros(positions.shape[1], bool))
    assert np.array_equal(glanced, find_doubts(places, rotations, size, RATE))


def test_what_is_not_finite_is_not_believed(rng):
    places, rotations = motion(rng)
    places[20:25, 0], rotations[40, 1, 2] = np.nan, np.inf
    doubts = find_doubts(places, rotations, SIZE, RATE)
    assert [spans_of(each) for each in doubts[:, 0].T] == 2 * [[Span(20, 24)]]
    assert [spans_of(each) for each in doubts[:, 1].T] == 2 * [[Span(40, 40)]]
    found = cleaned(places, rotations, doubts, RATE)
    assert all(np.isfinite(part).all() for part in found)


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_neither_scale_nor_frame_rate_nor_company_make_a_difference(rng, scale):
    places, rotations = motion(rng)
    places = noisy(rng, places)
    places[50:60, 1] += 0.5
    doubts = find_doubts(places, rotations, SIZE, RATE)
    assert doubts.any()
    assert np.array_equal(find_doubts(scale * places, rotations, scale * SIZE, RATE), doubts)
    alone = find_doubts(places[:, 1:2], rotations[:, 1:2], SIZE, RATE)
    assert np.array_equal(alone, doubts[:, 1:2])
    both = cleaned(places, rotations, doubts, RATE)
    one = cleaned(places[:, :1], rotations[:, :1], doubts[:, :1], RATE)
    assert all(np.array_equal(a[:, :1], b) for a, b in zip(both, one, strict=True))


def test_without_noise_or_where_noise_stays_only_masked_frames_change(rng):
    places, rotations = motion(rng)
    masked = np.zeros((FRAMES, 3, 2), bool)
    masked[40:55, 1] = True
    for given in (places, noisy(rng, places)):
        found, turned = cleaned(given, rotations, masked, RATE, keeps_noise=True)
        assert np.array_equal(found[~masked[..., 0]], given[~masked[..., 0]])
        assert np.abs(turned[~masked[..., 1]] - rotations[~masked[..., 1]]).max() < 1e-12


def test_gaps_are_bridged_as_the_track_goes_on(rng):
    time = np.arange(FRAMES) / RATE
    places = np.stack([time, time**2, np.ones(FRAMES)], axis=-1)[:, None]
    masked = mask_of([Span(60, 74)], FRAMES)[:, None, None] & np.ones(2, bool)
    rotations = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (FRAMES, 1, 4))
    found, _ = cleaned(np.where(masked[..., :1], 9.0, places), rotations, masked, RATE)
    assert np.abs(found - places).max() < 1e-3


def test_the_middle_of_three_frames_is_bridged():
    """Too few to tell how motion goes on."""
    places, turns = np.array([[[1.0, 2, 3]], [[99, 99, 99]], [[3, 6, 7]]]), np.eye(4)[[0, 3, 0]][:, None]
    lost = np.array([False, True, False])[:, None, None].repeat(2, axis=2)
    for keeps_noise in (False, True):
        found = cleaned(places, turns, lost, RATE, keeps_noise)
        np.testing.assert_allclose(found[0][:, 0], [[1, 2, 3], [2, 4, 5], [3, 6, 7]], rtol=1e-12)
        np.testing.assert_allclose(np.abs(found[1][:, 0]), np.eye(4)[[0, 0, 0]])


def test_a_track_that_ends_in_a_gap_comes_to_rest(rng):
    time = np.arange(FRAMES)[:, None, None] / RATE
    places = time * np.array([1.0, 0.0, 0.0])
    masked = mask_of([Span(0, 29), Span(120, 149)], FRAMES)[:, None, None] & np.ones(2, bool)
    rotations = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (FRAMES, 1, 4))
    found, _ = cleaned(places, rotations, masked, RATE)
    assert 0 < found[-1, 0, 0] - found[119, 0, 0] < 0.15
    assert 0 < found[30, 0, 0] - found[0, 0, 0] < 0.15


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5, 6])
def test_short_clips_are_taken_as_they_are(rng, frames):
    places, rotations = motion(rng, frames)
    masked = np.zeros((frames, 3, 2), bool)
    assert not find_doubts(places, rotations, SIZE, RATE).any()
    found, turned = cleaned(places, rotations, masked, RATE, keeps_noise=True)
    assert np.array_equal(found, places)
    assert np.abs(turned - rotations).max() < 1e-12


@pytest.mark.parametrize("frames", [4, 5, 6, 7, 13, 50])
def test_elimination_solves_the_equations(rng, frames):
    weights, stiffness = rng.uniform(0.1, 1, (frames, 2)), rng.uniform(0, 10, (frames - 3, 2))
    pulls = rng.normal(size=(frames, 2, 3))
    found = solve_banded(weights, stiffness, pulls)
    third = np.diff(np.eye(frames), 3, axis=0)
    for track in range(2):
        matrix = np.diag(weights[:, track]) + (third.T * stiffness[:, track]) @ third
        assert np.abs(matrix @ found[:, track] - pulls[:, track]).max() < 1e-9


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
