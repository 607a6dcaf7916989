"""Audio for which the mouth must stay shut: noise, hum, tones, DC, buzz, clicks, chords."""

import numpy as np

from network import SAMPLE_RATE_HZ


# Kinds that are most easily confused with a voice are drawn most often.
_LIKELY = np.array([1, 1, 1, 1, 0.5, 3, 1, 1.5, 3, 1, 1]) / 15


class NotSpeech:
    """An endless supply of pieces of `length` samples at 16 kHz."""

    def __init__(self, length: int, random: np.random.Generator):
        self.length, self._random = length, random

    def draw(self):
        """The next piece, peak 1 or less, of a kind drawn at random."""
        pick, time = self._random, np.arange(self.length) / SAMPLE_RATE_HZ
        kind = pick.choice(11, p=_LIKELY)
        if kind == 0:
            return pick.standard_normal(self.length) * pick.uniform(1e-4, 1)
        if kind == 1:
            return self._tilted()
        if kind == 2:
            base = pick.choice([50, 60, 100, 120])
            return sum(pick.uniform(0, 1) / k * np.sin(2 * np.pi * base * k * time + pick.uniform(0, 6)) for k in range(1, 12))
        if kind == 3:
            return np.sin(2 * np.pi * np.exp(pick.uniform(np.log(80), np.log(4000))) * time)
        if kind == 4:
            return np.full(self.length, pick.uniform(-1, 1)) + 1e-3 * pick.standard_normal(self.length)
        if kind == 5:
            return np.clip(pick.uniform(2, 30) * np.sin(2 * np.pi * pick.uniform(60, 900) * time), -1, 1)
        if kind == 6:
            return self._clicks()
        if kind == 7:
            return self._chords(time)
        if kind == 8:
            return self._buzz(time)
        if kind == 9:
            return self._buzz(time) * (1 + np.sin(2 * np.pi * pick.uniform(0.5, 6) * time)) / 2
        return self._tilted() * (1 + np.sin(2 * np.pi * pick.uniform(0.5, 6) * time)) / 2

    def _buzz(self, time):
        """A motor, an alarm or a worn cable: a pulse wave of one pitch through a resonance, which resembles a held
        vowel."""
        pick = self._random
        hertz = np.exp(pick.uniform(np.log(50), np.log(700)))
        phase = hertz * time % 1
        wave = np.where(phase < pick.uniform(0.1, 0.6), 1.0, -1.0) if pick.random() < 0.6 else 2 * phase - 1
        if pick.random() < 0.5:
            wave = wave + pick.uniform(0.2, 1) * np.roll(wave, int(pick.integers(1, 40)))
        return wave + pick.uniform(0, 0.05) * pick.standard_normal(self.length)

    def _tilted(self):
        spectrum = np.fft.rfft(self._random.standard_normal(self.length))
        frequency = np.maximum(np.fft.rfftfreq(self.length, 1 / SAMPLE_RATE_HZ), 40)
        return np.fft.irfft(spectrum * (frequency / 200) ** -self._random.uniform(0.4, 1.3), self.length)

    def _clicks(self):
        pick, sound = self._random, self._random.standard_normal(self.length) * 1e-3
        for start in pick.integers(0, self.length - 2000, pick.integers(4, 40)):
            size = int(pick.integers(60, 900))
            sound[start : start + size] += pick.standard_normal(size) * np.exp(-np.linspace(0, pick.uniform(4, 9), size)) * pick.uniform(0.2, 1)
        return sound

    def _chords(self, time):
        pick, sound, start = self._random, np.zeros(self.length), 0
        while start < self.length:
            size = int(pick.uniform(0.15, 1.2) * SAMPLE_RATE_HZ)
            local = time[: min(size, self.length - start)]
            root = 110 * 2 ** (pick.integers(0, 30) / 12)
            note = sum(
                np.sin(2 * np.pi * root * ratio * k * local + pick.uniform(0, 6)) / k ** pick.uniform(0.8, 2)
                for ratio in pick.choice([[1], [1, 1.2599, 1.4983], [1, 1.1892, 1.4983], [1, 1.3348]][int(pick.integers(4))], 1 if pick.random() < 0.2 else 3)
                for k in range(1, 7)
            )
            sound[start : start + len(local)] += note * np.exp(-local * pick.uniform(0.2, 6)) * np.minimum(1, local * 80)
            start += size
        return sound
