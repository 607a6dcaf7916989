"""Measures a network on audio that is not clean speech.

usage: robustness.py ONNX ALIGNED.jsonl...

Scores the same recordings after changes that imitate noise, telephones, shouting, whispering, fast speech and
children's voices, and counts the video frames with an open mouth in audio that is not speech.
"""

import json
import sys

import numpy as np
from scipy.io import wavfile
from scipy.signal import butter, lfilter, sosfilt

from evaluate import GROUP_OF_VISEME, StreamingNetwork, score
from network import SAMPLE_RATE_HZ

SECONDS = 8


def noisy(samples: np.ndarray, random: np.random.Generator, decibels: float = 15) -> np.ndarray:
    """White noise, `decibels` below the speech's mean power."""
    power = (samples.astype(float) ** 2).mean()
    return samples + random.standard_normal(len(samples)) * np.sqrt(power * 10 ** (-decibels / 10))


def telephone(samples: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """300 to 3400 Hz in eight bits of mu-law."""
    band = sosfilt(butter(4, (300, 3400), "band", fs=SAMPLE_RATE_HZ, output="sos"), samples) / 32768
    coded = np.round(127 * np.sign(band) * np.log1p(255 * np.abs(band).clip(max=1)) / np.log(256))
    return 32768 * np.sign(coded) * (256 ** (np.abs(coded) / 127) - 1) / 255


def shouted(samples: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Brighter, and three times louder than the microphone's range."""
    bright = samples - 0.6 * np.r_[0, samples[:-1]]
    return np.clip(3 * bright / max(1, np.abs(bright).max()), -1, 1) * 32767


def whispered(samples: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Whispering: linear prediction of order 18 with noise as excitation, at the level of the residual."""
    order, step, size = 18, 160, 400
    sound, out = np.pad(samples.astype(float), (0, size)), np.zeros(len(samples) + size)
    memory = np.zeros(order)
    for start in range(0, len(samples), step):
        frame = sound[start : start + size] * np.hanning(size)
        lags = np.array([frame[: size - k] @ frame[k:] for k in range(order + 1)])
        lags[0] = lags[0] * 1.001 + 1
        taps = np.linalg.solve(lags[np.abs(np.subtract.outer(range(order), range(order)))], lags[1:])
        level = np.sqrt(max(1e-9, lags[0] - taps @ lags[1:]) / (np.hanning(size) ** 2).sum())
        out[start : start + step], memory = lfilter([level], np.r_[1, -taps], random.standard_normal(step), zi=memory)
    whisper = out[: len(samples)] - 0.9 * np.r_[0, out[: len(samples) - 1]]
    return whisper * np.abs(samples).max() / max(1, np.abs(whisper).max()) * 0.5


CONDITIONS = {"clean": None, "noise 15 dB": noisy, "telephone": telephone, "shout": shouted, "whisper": whispered, "resampled × 1.3": 1.3}


def changed(rows: list, how) -> list:
    """The rows with changed audio in memory; a number plays them faster and higher by that factor."""
    random, made = np.random.default_rng(1), []
    for row in rows:
        _, samples = wavfile.read(row["wav"])
        if isinstance(how, float):
            samples = np.interp(np.arange(0, len(samples) - 1, how), np.arange(len(samples)), samples)
            row = {**row, "seconds": row["seconds"] / how, "phones": [[p, a / how, b / how] for p, a, b in row["phones"]]}
        elif how:
            samples = how(samples, random)
        made.append({**row, "samples": np.clip(samples, -32767, 32767).astype(np.int16)})
    return made


def not_speech(random: np.random.Generator) -> dict[str, np.ndarray]:
    """Sounds in [-1, 1] for which the mouth must stay shut."""
    time = np.arange(SECONDS * SAMPLE_RATE_HZ) / SAMPLE_RATE_HZ
    white = random.standard_normal(len(time))
    spectrum, hertz = np.fft.rfft(random.standard_normal(len(time))), np.maximum(np.fft.rfftfreq(len(time), 1 / SAMPLE_RATE_HZ), 20)
    pink = np.fft.irfft(spectrum / np.sqrt(hertz), len(time))
    keys, chords = np.zeros(len(time)), np.zeros(len(time))
    for start in random.integers(0, len(time) - 800, SECONDS * 6):
        keys[start : start + 800] += random.standard_normal(800) * np.exp(-np.arange(800) / random.uniform(40, 200)) * random.uniform(0.1, 0.6)
    for bar in range(SECONDS * 2):
        local = time[: SAMPLE_RATE_HZ // 2]
        root = 110 * 2 ** (random.choice([0, 3, 5, 7, 10, 12]) / 12)
        note = sum(np.sin(2 * np.pi * root * ratio * k * local) / k**1.3 for ratio in (1, 1.25, 1.5) for k in range(1, 6))
        chords[bar * len(local) : (bar + 1) * len(local)] = 0.08 * note * np.exp(-2 * local)
    return {
        "silence": 0 * time,
        "hum 50 Hz": sum(0.05 / k * np.sin(2 * np.pi * 50 * k * time) for k in range(1, 6)),
        "tone 440 Hz": 0.2 * np.sin(2 * np.pi * 440 * time),
        "DC": 0.1 + 0 * time,
        "white noise": 0.05 * white,
        "pink noise": 0.1 * pink / pink.std(),
        "clipped buzz": np.clip(20 * np.sin(2 * np.pi * 150 * time), -1, 1) * 0.9,
        "keyboard": keys,
        "chords": chords,
    }


def main(model: str, references: list[str]) -> None:
    network = StreamingNetwork(model)
    rows = [row for path in references for row in map(json.loads, open(path))]
    for name, how in CONDITIONS.items():
        print(json.dumps({"condition": name, **score(changed(rows, how), network.visemes)}, default=float), flush=True)
    for name, sound in not_speech(np.random.default_rng(2)).items():
        visemes = network.visemes((np.clip(sound, -1, 1) * 32767).astype(np.int16))[25:]
        print(json.dumps({"sound": name, "open": float((~np.isin(GROUP_OF_VISEME[visemes], (0, 1))).mean())}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
