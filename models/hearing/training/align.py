"""Forced alignment: when does each phone of a recording whose words are known begin and end.

PocketSphinx's English acoustic model, two passes; words of other languages become pseudo-words spelled in ARPABET by
espeak-ng. Utterances whose alignment contradicts their energy are set aside.
"""

import json
import sys

import numpy as np
from pocketsphinx import Decoder
from scipy.io import wavfile
from scipy.ndimage import binary_erosion

import espeak
from corpora import LANGUAGES, fetch, recordings
from phones import SILENCE, ipa_to_arpabet, steady

_VOWELS = ("AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW")


class Aligner:
    def __init__(self):
        self._decoder = Decoder(lm=None, loglevel="FATAL", cmn="batch", beam=1e-80, wbeam=1e-60, pbeam=1e-80)
        self._words: dict[str, tuple[str, list[str]]] = {}

    def pseudo_word(self, token: str) -> tuple[str, list[str]]:
        """The decoder's name for a word, and its phones; a word that espeak-ng cannot transcribe has none."""
        if token not in self._words:
            phones = ipa_to_arpabet(espeak.transcribe(token))
            name = f"word{len(self._words)}"
            if phones:
                self._decoder.add_word(name, " ".join(phones), True)
            self._words[token] = (name, phones)
        return self._words[token]

    def align(self, samples: np.ndarray, text: str):
        """[phone, begin s, end s] for each phone and pause, or None if the decoder finds no path."""
        tokens = [word for word in map(self.pseudo_word, text.split()) if word[1]]
        if not tokens:
            return None
        data = samples.astype("<i2").tobytes()
        decoder = self._decoder
        try:
            decoder.set_align_text(" ".join(name for name, _ in tokens))
            self._pass(data)
            if decoder.hyp() is None:
                return None
            decoder.set_alignment()
            self._pass(data)
            spans = [span for word in decoder.get_alignment() for span in word]
        except RuntimeError:
            return None
        phones = [[s.name, s.start / 100, (s.start + s.duration) / 100] for s in spans]
        spoken = sum(phone[0] not in SILENCE for phone in phones)
        return phones if spoken == sum(len(list_) for _, list_ in tokens) else None

    def _pass(self, data: bytes) -> None:
        self._decoder.start_utt()
        self._decoder.process_raw(data, full_utt=True)
        self._decoder.end_utt()


def _energy_db(samples: np.ndarray) -> np.ndarray:
    signal = samples.astype(np.float64) / 32768
    frames = max(1, len(signal) // 160)
    padded = np.pad(signal**2, (80, 240))
    return np.array([10 * np.log10(padded[i * 160 : i * 160 + 320].mean() + 1e-10) for i in range(frames)])


def is_plausible(samples: np.ndarray, phones: list) -> bool:
    """False where loud frames are called silence, quiet ones vowels, or durations are not those of speech."""
    energy = _energy_db(samples)
    labels = np.array(["SIL"] * len(energy), dtype=object)
    for phone, begin, end in phones:
        labels[int(round(begin * 100)) : int(round(end * 100))] = phone
    silent = np.isin(labels, list(SILENCE))
    vowel = np.isin(labels, _VOWELS)
    peak = np.percentile(energy, 98)
    loud_silence_ms = 10 * (energy[binary_erosion(silent, iterations=4, border_value=1)] > peak - 25).sum()
    quiet_vowels = (energy[vowel] < peak - 40).mean() if vowel.any() else 1.0
    spoken = [p for p in phones if p[0] not in SILENCE]
    if len(spoken) < 2:
        return False
    durations = np.array([end - begin for _, begin, end in spoken])
    rate = len(spoken) / max(0.05, durations.sum())
    shortest = np.mean(np.round(durations * 100) <= 3)
    return loud_silence_ms <= 60 and quiet_vowels < 0.12 and shortest < 0.45 and durations.max() < 0.75 and 4 < rate < 22


def main(folder: str) -> None:
    fetch(folder)
    for language in LANGUAGES:
        espeak.set_voice(language)
        aligner, kept, seconds = Aligner(), 0, 0.0
        files = recordings(folder, language)
        with open(f"{folder}/natural-{language}.jsonl", "w") as out:
            for name, path, text in files:
                _, samples = wavfile.read(path)
                phones = aligner.align(samples, text)
                if phones is None or not is_plausible(samples, phones):
                    continue
                phones = [[steady(phone), begin, end] for phone, begin, end in phones]
                duration = len(samples) / 16_000
                out.write(json.dumps({"id": name, "wav": path, "seconds": duration, "phones": phones}) + "\n")
                kept, seconds = kept + 1, seconds + duration
        print(f"{language}: kept {kept} of {len(files)} recordings, {seconds / 3600:.2f} h", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
