"""Synthetic speech with exact phone times: flite's four voices and espeak-ng's many voices.

A share of the sentences consists of words with many closures (P, B, M, F, V, W), the sounds that viewers notice first.
"""

import glob
import json
import os
import pydoc
import pkgutil
import random
import re
import subprocess
import sys

import numpy as np
import pocketsphinx
from scipy.io import wavfile
from scipy.signal import resample_poly

import espeak
from corpora import SAMPLE_RATE_HZ, stamp_texts
from phones import espeak_to_arpabet

FLITE_VOICES = ("slt", "rms", "awb", "kal16")
ESPEAK_ACCENTS = ("en-us", "en", "en-gb-x-rp", "en-gb-scotland", "en-029", "en-us-nyc")
ESPEAK_LANGUAGES = ("de", "es", "fr", "it")
ESPEAK_FOREIGN_SHARE = 0.5
ESPEAK_VARIANTS = ("", "+m1", "+m3", "+m5", "+m7", "+f1", "+f2", "+f3", "+f4", "+f5", "+klatt", "+klatt2", "+klatt4", "+whisper", "+croak")
_FLITE_PHONES = {"pau": "SIL", "ax": "AH", "axr": "ER", "dx": "D", "el": "L", "em": "M", "en": "N", "ix": "IH", "ssil": "SIL", "h#": "SIL"}


class Sentences:
    """An endless, seeded supply of English sentences and word lists."""

    def __init__(self, seed: int):
        self._random = random.Random(seed)
        self._prose = sorted(self._read_prose())
        words = [line.split()[0] for line in open(os.path.join(os.path.dirname(pocketsphinx.__file__), "model/en-us/cmudict-en-us.dict"))]
        self._words = [word for word in words if word.isalpha() and 3 <= len(word) <= 11]
        self._closing = [word for word in self._words if re.search("[pbmfvw]", word)]

    @staticmethod
    def _read_prose() -> set[str]:
        texts = [open(path, encoding="utf8", errors="ignore").read() for path in glob.glob("/usr/share/common-licenses/*")]
        for module in list(pkgutil.iter_modules([os.path.dirname(pydoc.__file__)]))[:200]:
            path = os.path.join(os.path.dirname(pydoc.__file__), module.name + ".py")
            if os.path.exists(path):
                texts.append("\n".join(re.findall(r'"""(.*?)"""', open(path, encoding="utf8").read(), re.S)))
        sentences = set()
        for text in texts:
            for sentence in re.split(r"(?<=[.!?;:])\s+", re.sub(r"\s+", " ", text)):
                if 4 <= len(sentence.split()) <= 16 and re.fullmatch(r"[A-Za-z ,.'!?;-]+", sentence):
                    sentences.add(sentence)
        return sentences

    def draw(self) -> str:
        pick = self._random
        if pick.random() < 0.55:
            return pick.choice(self._prose)
        pool = (self._closing, self._words)
        return " ".join(pick.choice(pool[pick.random() < 0.5]) for _ in range(pick.randint(1, 9))) + "."


def flite_utterance(folder: str, text: str, voice: str, path: str, stretch: float, pitch_hz: int | None) -> list:
    """Writes the WAV; returns [phone, begin s, end s]."""
    root = os.path.join(folder, "root/usr")
    libraries = ":".join(glob.glob(os.path.join(root, "lib/*-linux-gnu")))
    command = [os.path.join(root, "bin/flite"), "-voice", voice, "-psdur", "--setf", f"duration_stretch={stretch:.2f}"]
    if pitch_hz:
        command += ["--setf", f"int_f0_target_mean={pitch_hz}"]
    environment = dict(os.environ, LD_LIBRARY_PATH=libraries)
    said = subprocess.run([*command, "-t", text, "-o", path], capture_output=True, text=True, env=environment, check=True)
    phones, begin = [], 0.0
    for name, end in re.findall(r"(\S+):([\d.]+)", said.stdout):
        phones.append([_FLITE_PHONES.get(name, name.upper()), begin, float(end)])
        begin = float(end)
    return phones


def espeak_utterance(text: str) -> tuple[np.ndarray, list]:
    """16 kHz int16 samples and [phone, begin s, end s]; a stop begins 40 ms before its burst, at its closure."""
    samples, events = espeak.synthesize(text)
    sound = resample_poly(samples.astype(np.float32), 320, espeak.SAMPLE_RATE_HZ * 320 // SAMPLE_RATE_HZ)
    begins = [sample / espeak.SAMPLE_RATE_HZ for sample, _ in events] + [len(samples) / espeak.SAMPLE_RATE_HZ]
    phones = [["SIL", 0.0, begins[0]]] if events and begins[0] > 0 else []
    for index, (_, name) in enumerate(events):
        phone = espeak_to_arpabet(name) or (phones[-1][0] if phones else "SIL")
        phones.append([phone, begins[index], begins[index + 1]])
    for before, phone in zip(phones, phones[1:]):
        if phone[0] in ("P", "B", "T", "D", "K", "G", "CH", "JH") and before[0] != "SIL":
            phone[1] = before[2] = max(before[1] + 0.03, phone[1] - 0.04)
    return np.clip(np.rint(sound), -32767, 32767).astype(np.int16), phones


def main(folder: str, flite_count: int, espeak_count: int) -> None:
    for engine, count in (("flite", flite_count), ("espeak", espeak_count)):
        foreign = {language: [text for text in stamp_texts(folder, language) if len(text.split()) >= 4] for language in ESPEAK_LANGUAGES}
        sentences, pick, seconds = Sentences(hash_seed(engine)), random.Random(hash_seed(engine) + 1), 0.0
        os.makedirs(f"{folder}/synthetic/{engine}", exist_ok=True)
        os.makedirs(f"{folder}/aligned", exist_ok=True)
        with open(f"{folder}/aligned/{engine}.jsonl", "w") as out:
            for index in range(count):
                path, text = f"{folder}/synthetic/{engine}/{index}.wav", sentences.draw()
                if engine == "flite":
                    voice = FLITE_VOICES[index % len(FLITE_VOICES)]
                    pitch = pick.choice([90, 105, 120, 150, 180]) if voice == "kal16" else None
                    phones = flite_utterance(folder, text, voice, path, pick.uniform(0.75, 1.25), pitch)
                    duration = len(wavfile.read(path)[1]) / SAMPLE_RATE_HZ
                else:
                    language = pick.choice(list(foreign)) if pick.random() < ESPEAK_FOREIGN_SHARE else ""
                    text = pick.choice(foreign[language]) if language else text
                    voice = (language or pick.choice(ESPEAK_ACCENTS)) + pick.choice(ESPEAK_VARIANTS)
                    if not espeak.try_voice(voice):
                        continue
                    espeak.set_prosody(pick.randint(120, 230), pick.randint(20, 80), pick.randint(20, 80))
                    samples, phones = espeak_utterance(text)
                    if len(samples) < 4000:
                        continue
                    wavfile.write(path, SAMPLE_RATE_HZ, samples)
                    duration = len(samples) / SAMPLE_RATE_HZ
                out.write(json.dumps({"id": f"{engine}/{index}", "voice": voice, "wav": path, "seconds": duration, "phones": phones}) + "\n")
                seconds += duration
        print(f"{engine}: {seconds / 3600:.2f} h", flush=True)


def hash_seed(name: str) -> int:
    """A seed that is the same on every machine."""
    return sum(name.encode())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
