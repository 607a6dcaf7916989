"""Batches for training: random crops of mel power, varied like different speakers, rooms, microphones and transmission
lines.

All variation is applied to mel power: a room smears along time, a microphone is a curve over the bands, noise is a sum,
and another vocal tract is a warp.
"""

import math

import numpy as np
import torch

from features import NO_HINT
from network import FLOOR, MELS, normalise
from phones import LABEL_RATE_HZ, VISEMES
from teacher import HINT_STEPS, HINTS

CROP = 4 * LABEL_RATE_HZ
# Delay in hundredths of a second between the end of half a video frame and the end of the network frame that answers
# for it: 100 ms for the first half, 80 ms for the second.
_LATE = (12, 10)
_OPENNESS_BOX = 8
_MUTE_SHARE = 0.08
# The features already contain slower and faster versions of each utterance.
_SLOWEST, _FASTEST = 0.85, 1.22
_THROATS = (0.85, 1.18)
# Variation of vocal tract proportions: how many bands resonances move independently, and by which share their level
# changes.
_BEND_BANDS = 1.3
_RELIEF = 0.3
# Variation of dynamics: compressors, and calm or lively speakers.
_DYNAMICS = (0.8, 1.2)
_LARYNXES = (0.65, 1.5)
_HARMONICS = (0.3, 1.2)
# Width of the smoothing of an envelope in bands: more than two harmonics of a low voice.
_ENVELOPE_BANDS = 2.0
# Width in bands at which even resonances disappear; the relief is measured against this.
_TILT_BANDS = 7.0
# Shares of the rows: clean, with hiss, with other noise. The rest has the murmur of other speakers.
_CLEAN, _HISSING, _NOISY = 0.4, 0.3, 0.22
_LOUDEST_SPEECH, _LOUDEST_NOT_SPEECH = 4.2, 4.8
_TOP_HZ = 7800
# Weight of the teacher's labels relative to the text's.
_TAUGHT = 0.6


def _mel(hz):
    return 2595 * np.log10(1 + hz / 700)


_BAND_HZ = 700 * (10 ** (np.linspace(_mel(40), _mel(_TOP_HZ), MELS + 2)[1:-1] / 2595) - 1)


def _smoothing(bands: float) -> torch.Tensor:
    """A matrix [64, 64] that smooths curves along the bands with a Gaussian of the given width in bands."""
    near = np.exp(-0.5 * (np.subtract.outer(np.arange(MELS), np.arange(MELS)) / bands) ** 2)
    return torch.from_numpy((near / near.sum(0)).astype(np.float32))


_SMOOTH, _WIDE = _smoothing(_ENVELOPE_BANDS), _smoothing(_TILT_BANDS)
_EYE = torch.eye(MELS)
_ONE_HOT = torch.eye(len(VISEMES))


class Batches:
    """Endless batches. `sources` is a list of (weight, {"power", "labels"}), with "taught" and "hints" if there was a
    teacher. `not_speech` is float16 [pieces, frames, 64]."""

    def __init__(self, sources, not_speech: np.ndarray, size: int, seed: int):
        weights = np.array([weight for weight, _ in sources])
        self._weights = weights / weights.sum()
        self._sources = [{name: torch.from_numpy(array) for name, array in roll.items()} for _, roll in sources]
        self._not_speech = torch.from_numpy(not_speech)
        self._size, self._random = size, np.random.default_rng(seed)
        self._torch = torch.Generator().manual_seed(seed)

    def draw(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Features float32 [size, CROP, 64], shares of the visemes float32 [size, CROP, 15] and hints float32 [size, CROP, HINTS]."""
        log_powers, shares, hints = (torch.stack(parts) for parts in zip(*(self._crop() for _ in range(self._size))))
        heard = log_powers @ torch.stack([self._speaker() for _ in log_powers])
        mean = heard.mean((1, 2), keepdim=True)
        power = torch.exp(mean + (heard - mean) * self._uniform(self._size, *_DYNAMICS)[:, None, None])
        power = self._level(self._microphone(self._room(power)), _LOUDEST_SPEECH)
        power = self._noisy(power)
        mute = math.ceil(_MUTE_SHARE * self._size)
        power[:mute] = self._level(self._draw_not_speech(mute), _LOUDEST_NOT_SPEECH)
        shares[:mute], hints[:mute] = _ONE_HOT[0], NO_HINT
        return self._masked(normalise(power)), shares, hints

    def _uniform(self, count: int, low: float, high: float) -> torch.Tensor:
        return low + (high - low) * torch.rand(count, generator=self._torch)

    def _crop(self):
        """A stretch of speech at a speed that differs by up to a quarter."""
        roll = self._sources[self._random.choice(len(self._sources), p=self._weights)]
        power, labels = roll["power"], roll["labels"]
        pace = math.exp(self._random.uniform(math.log(_SLOWEST), math.log(_FASTEST)))
        start = int(self._random.integers(0, len(labels) - int(CROP * pace) - 2))
        at = start + torch.arange(CROP) * pace
        below = at.long()
        share = (at - below)[:, None]
        mixed = power[below].float() * (1 - share) + power[below + 1].float() * share
        nearest = (at + 0.5).long()
        shares = _ONE_HOT[labels[nearest].long()]
        if "taught" in roll:
            shares = shares + _TAUGHT * (roll["taught"][nearest].float() / 255 - shares)
        hints = roll["hints"][nearest].float() if "hints" in roll else torch.full((CROP, HINTS), float(NO_HINT))
        return mixed, shares, hints

    def _speaker(self) -> torch.Tensor:
        """Another speaker, as a matrix [64, 64] for log power. A longer or shorter vocal tract moves all resonances; another
        larynx moves the harmonics (the fine structure along the bands) and makes them stronger or weaker."""
        larynx = (_EYE - _SMOOTH) @ self._warp(*_LARYNXES) * self._random.uniform(*_HARMONICS)
        relief = _EYE + self._random.uniform(-_RELIEF, _RELIEF) * (_EYE - _WIDE)
        return _SMOOTH @ relief @ self._warp(*_THROATS, _BEND_BANDS) + larynx

    def _warp(self, lowest: float, highest: float, bend_bands: float = 0) -> torch.Tensor:
        """Curves along the bands, with a random stretch of frequency and small local level changes: a matrix [64, 64].
        """
        warp = math.exp(self._random.uniform(math.log(lowest), math.log(highest)))
        at = (_mel(np.minimum(_BAND_HZ * warp, _TOP_HZ)) - _mel(40)) / (_mel(_TOP_HZ) - _mel(40)) * (MELS + 1) - 1
        for waves in (1.5, 3.0):
            at = at + self._random.uniform(-bend_bands, bend_bands) / waves * np.sin(math.pi * (waves * np.arange(MELS) / MELS + self._random.uniform(0, 2)))
        at = np.clip(at, 0, MELS - 1)
        return torch.from_numpy(np.maximum(0, 1 - np.abs(np.arange(MELS)[:, None] - at[None])).astype(np.float32))

    def _room(self, power):
        """Adds reverberation in a third of the batch: later frames contain parts of earlier ones."""
        echoing = torch.rand(len(power), generator=self._torch) < 0.25
        if not echoing.any():
            return power
        seconds = self._random.uniform(0.08, 0.5)
        tail = torch.from_numpy(np.exp(-6.9 * np.arange(1, 25) / 100 / seconds).astype(np.float32))
        tail = torch.cat([torch.ones(1), tail * self._random.uniform(0.03, 0.35)])
        rows = power[echoing].transpose(1, 2)
        heard = torch.nn.functional.conv1d(
            torch.nn.functional.pad(rows.reshape(-1, 1, rows.shape[2]), (len(tail) - 1, 0)), tail.flip(0)[None, None]
        )
        power[echoing] = heard.reshape(rows.shape).transpose(1, 2)
        return power

    def _microphone(self, power):
        """A tilt, four bumps, and in some rows a band limit."""
        bands = torch.linspace(-1, 1, MELS)
        decibels = self._uniform(len(power), -7, 7)[:, None] * bands
        for wave in (1.0, 2.3, 4.0, 6.5):
            decibels = decibels + self._uniform(len(power), -4, 4)[:, None] * torch.cos(
                math.pi * wave * (bands + self._uniform(len(power), -1, 1)[:, None])
            )
        hz = torch.from_numpy(_BAND_HZ.astype(np.float32))
        chance = torch.rand(len(power), generator=self._torch)
        highest = torch.where(chance < 0.18, self._uniform(len(power), 3200, 7200), torch.tensor(9e3))[:, None]
        lowest = torch.where(chance < 0.08, self._uniform(len(power), 150, 400), torch.tensor(10.0))[:, None]
        decibels = decibels - 40 * torch.relu(torch.log2(hz / highest)) * 3 - 18 * torch.relu(torch.log2(lowest / hz))
        whispered = (chance > 0.97).float()[:, None]
        decibels = decibels - whispered * 14 * torch.relu(torch.log2(700 / hz))
        power = power * 10 ** (decibels / 10)[:, None, :]
        breathy = whispered[:, 0] > 0
        power[breathy] *= -torch.log(torch.rand((int(breathy.sum()), *power.shape[1:]), generator=self._torch).clamp(min=1e-4))
        return power

    def _level(self, power, loudest: float):
        """Scales the loudest tenth to between 10^−2.2 and 10^`loudest`. A studio voice reaches 10^3, a voice clipped to
        square waves 10^4.4."""
        loud = torch.quantile(power.sum(2), 0.9, dim=1).clamp(min=1e-8)
        return power * (10 ** (self._uniform(len(power), -2.2, loudest)) / loud)[:, None, None]

    def _draw_not_speech(self, count: int):
        pieces = torch.from_numpy(self._random.integers(0, len(self._not_speech), count))
        start = int(self._random.integers(0, self._not_speech.shape[1] - CROP + 1))
        return torch.exp(self._not_speech[pieces, start : start + CROP].float())

    def _noisy(self, power):
        """Adds noise, hum and music 5 to 45 dB below the voice, and in some rows the murmur of others."""
        order = torch.randperm(len(power), generator=self._torch)
        first, second, third = (round(share * len(power)) for share in (_CLEAN, _CLEAN + _HISSING, _CLEAN + _HISSING + _NOISY))
        hissing, noisy, murmuring = order[first:second], order[second:third], order[third:]
        level = power / power.mean((1, 2), keepdim=True).clamp(min=1e-8)
        mixed = power.clone()
        for rows, noise, quietest_db, loudest_db in (
            (hissing, self._hiss(len(hissing), power.shape), 45, 5),
            (noisy, self._draw_not_speech(len(noisy)), 45, 5),
            (murmuring, sum(level.roll(k, 0)[murmuring] for k in range(1, 5)), 35, 10),
        ):
            ratio = power[rows].mean((1, 2), keepdim=True) / noise.mean((1, 2), keepdim=True).clamp(min=1e-9)
            mixed[rows] += noise * ratio * 10 ** (-self._uniform(len(rows), loudest_db, quietest_db)[:, None, None] / 10)
        return mixed

    def _hiss(self, count: int, shape):
        """Noise of any spectral tilt."""
        tilt = torch.exp(torch.linspace(-1, 1, MELS)[None, None] * self._uniform(count, -3, 2)[:, None, None])
        return tilt * -torch.log(torch.rand((count, *shape[1:]), generator=self._torch).clamp(min=1e-4))

    def _masked(self, features):
        """Masks a few bands and a few short times."""
        for row in features:
            if self._random.random() < 0.3:
                band, wide = int(self._random.integers(0, MELS - 8)), int(self._random.integers(1, 9))
                row[:, band : band + wide] = row[:, band : band + wide].mean()
            if self._random.random() < 0.15:
                moment = int(self._random.integers(0, CROP - 5))
                row[moment : moment + int(self._random.integers(1, 5))] = math.log(FLOOR) / 4 + 1
        return features


def _answered_at(hundredths: int) -> tuple[torch.Tensor, torch.Tensor]:
    """For both halves of each frame's answer: the hundredth at which they begin, int [n, 2], and whether it exists,
    bool [n, 2]."""
    first = 2 * (torch.arange(hundredths // 2) + 1)
    at = torch.stack([first - late for late in _LATE], 1)
    return at.clamp(min=0), at >= 0


def hint_targets(hints: torch.Tensor):
    """Hints for both halves of each frame's answer, in deviations: float32 [B, n, 2, HINTS], and whether they are
    known, bool [B, n, 2]."""
    at, known = _answered_at(hints.shape[1])
    known = known & (hints[:, at, 0] != NO_HINT) & (hints[:, at + 1, 0] != NO_HINT)
    return (hints[:, at] + hints[:, at + 1]) / 2 / HINT_STEPS, known


def targets(shares: torch.Tensor, openness_of_viseme: torch.Tensor):
    """Targets of each 20 ms frame: shares of visemes float32 [B, n, 2, 15], openness [B, n, 2], and whether they are
    known, bool [n, 2]."""
    opened = shares @ openness_of_viseme
    box = torch.ones(1, 1, _OPENNESS_BOX) / _OPENNESS_BOX
    opened = torch.nn.functional.conv1d(torch.nn.functional.pad(opened[:, None], (4, 3), mode="replicate"), box)[:, 0]
    at, known = _answered_at(shares.shape[1])
    return (shares[:, at] + shares[:, at + 1]) / 2, (opened[:, at] + opened[:, at + 1]) / 2, known
