"""Labelled sound for training: utterances strung together with pauses, and made hard in the ways that rooms and lines are."""

import json

import numpy as np
from scipy.io import wavfile

from network import CONTEXT, FRAME, LOOK_AHEAD_S, SAMPLE_RATE_HZ
from phones import DIPHTHONGS, FIRST_PART_OF_DIPHTHONG, SILENCE, VISEMES, VISEME_OF_PHONE

LABEL_RATE_HZ = 100
CROP_S = 4
_INDEX = {viseme: index for index, viseme in enumerate(VISEMES)}


def viseme_labels(phones: list, seconds: float) -> np.ndarray:
    """int8 [seconds × 100]: which viseme holds in each hundredth."""
    labels = np.zeros(int(np.ceil(seconds * LABEL_RATE_HZ)), np.int8)
    for phone, begin, end in phones:
        phone = phone.rstrip("012")
        if phone in SILENCE:
            continue
        first, last = int(round(begin * LABEL_RATE_HZ)), int(round(end * LABEL_RATE_HZ))
        if phone in DIPHTHONGS:
            middle = first + int(round((last - first) * FIRST_PART_OF_DIPHTHONG))
            labels[first:middle], labels[middle:last] = (_INDEX[viseme] for viseme in DIPHTHONGS[phone])
        else:
            labels[first:last] = _INDEX[VISEME_OF_PHONE[phone]]
    return labels


def load_utterances(path: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """(int16 samples, labels) of every line of a jsonl."""
    utterances = []
    with open(path) as lines:
        for line in map(json.loads, lines):
            _, samples = wavfile.read(line["wav"])
            utterances.append((samples.astype(np.int16), viseme_labels(line["phones"], len(samples) / SAMPLE_RATE_HZ)))
    return utterances


class Crops:
    """Endless random crops of CROP_S seconds. `sources` is a list of (weight, utterances)."""

    def __init__(self, sources, seed: int, negatives: float = 0.1):
        self._sources = [utterances for _, utterances in sources]
        weights = np.array([weight for weight, _ in sources], float)
        self._weights = weights / weights.sum()
        self._random = np.random.default_rng(seed)
        self._negatives = negatives
        self.length = CROP_S * SAMPLE_RATE_HZ

    def draw(self) -> tuple[np.ndarray, np.ndarray]:
        """Sound float32 [240 + CROP_S × 16000] and labels int8 [CROP_S × 50], look-ahead applied, -1 where unknown."""
        pick = self._random
        if pick.random() < self._negatives:
            sound, labels = self._not_speech(), np.zeros(CROP_S * LABEL_RATE_HZ, np.int8)
        else:
            sound, labels = self._speech()
            sound = self._worsen(sound)
        peak = np.abs(sound).max()
        sound = sound / max(1e-3, peak) * 10 ** (pick.uniform(-28, -0.5) / 20)
        return self._delay(np.pad(sound.astype(np.float32), (CONTEXT, 0)), labels)

    def _delay(self, sound, labels):
        frames = self.length // FRAME
        ends = (np.arange(frames) + 1) * FRAME / SAMPLE_RATE_HZ
        at = np.floor((ends - LOOK_AHEAD_S) * LABEL_RATE_HZ + 1e-6).astype(int)
        return sound, np.where(at >= 0, labels[np.clip(at, 0, len(labels) - 1)], -1).astype(np.int64)

    def _speech(self):
        pick, sounds, labels, count = self._random, [], [], 0
        utterances = self._sources[pick.choice(len(self._sources), p=self._weights)]
        speed = pick.uniform(0.82, 1.22)
        needed = int(self.length * speed) + SAMPLE_RATE_HZ
        while count < needed:
            sound, label = utterances[pick.integers(len(utterances))]
            frames = min(len(sound) // 160, len(label))
            gap = int(pick.choice([0, 5, 10, 30, 70]))
            gain = 10 ** (pick.uniform(-4, 4) / 20) / 32768
            sounds += [sound[: frames * 160] * gain, np.zeros(gap * 160)]
            labels += [label[:frames], np.zeros(gap, np.int8)]
            count += (frames + gap) * 160
        sound, label = np.concatenate(sounds), np.concatenate(labels)
        start = int(pick.integers(max(1, (needed - SAMPLE_RATE_HZ // 2 - int(self.length * speed)) // 160 + 1))) * 160
        at = np.minimum(start + np.arange(self.length) * speed, len(sound) - 2)
        whole = at.astype(int)
        fraction = at - whole
        label_at = (start / 160 + (np.arange(self.length // 160) + 0.5) * speed).astype(int)
        return sound[whole] * (1 - fraction) + sound[whole + 1] * fraction, label[np.minimum(label_at, len(label) - 1)]

    def _worsen(self, sound):
        pick, length = self._random, self.length
        if pick.random() < 0.6:  # a microphone's tilt, or the far side of a head
            sound = sound + pick.uniform(-0.6, 0.6) * np.r_[0, sound[:-1]]
        if pick.random() < 0.35:  # a telephone line
            spectrum, frequency = np.fft.rfft(sound), np.fft.rfftfreq(length, 1 / SAMPLE_RATE_HZ)
            spectrum *= 1 / (1 + (frequency / pick.uniform(3300, 7200)) ** 12)
            if pick.random() < 0.4:
                spectrum *= 1 / (1 + (250 / np.maximum(frequency, 1)) ** 6)
            sound = np.fft.irfft(spectrum, length)
        if pick.random() < 0.3:  # a small room
            tail = int(pick.uniform(0.05, 0.3) * SAMPLE_RATE_HZ)
            room = pick.standard_normal(tail) * np.exp(-np.linspace(0, 7, tail)) * pick.uniform(0.02, 0.1)
            room[0] = 1
            size = 1 << int(np.ceil(np.log2(length + tail)))
            sound = np.fft.irfft(np.fft.rfft(sound, size) * np.fft.rfft(room, size), size)[:length]
        if pick.random() < 0.75:
            noise = self._noise()
            level = np.sqrt((sound**2).mean() + 1e-9) / np.sqrt((noise**2).mean() + 1e-9)
            sound = sound + noise * level * 10 ** (-pick.uniform(6, 45) / 20)
        if pick.random() < 0.1:
            sound = np.clip(sound, -1, 1) if pick.random() < 0.5 else np.tanh(3 * sound / max(1e-3, np.abs(sound).max()))
        return sound

    def _noise(self):
        pick = self._random
        white = pick.standard_normal(self.length)
        kind = pick.random()
        if kind < 0.35:
            return white
        if kind < 0.8:
            spectrum, frequency = np.fft.rfft(white), np.maximum(np.fft.rfftfreq(self.length, 1 / SAMPLE_RATE_HZ), 40)
            return np.fft.irfft(spectrum * (frequency / 200) ** -pick.uniform(0.3, 1.2), self.length)
        return self._not_speech()

    def _not_speech(self):
        """Sound that must keep a mouth shut."""
        pick, time = self._random, np.arange(self.length) / SAMPLE_RATE_HZ
        kind = pick.integers(9)
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
        return self._tilted() * (1 + np.sin(2 * np.pi * pick.uniform(0.5, 6) * time)) / 2

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


def is_closure(labels):
    return labels == _INDEX["PP"]


def is_labial(labels):
    return labels == _INDEX["FF"]


