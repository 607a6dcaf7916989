"""Forced alignment: finds the begin and end of each phone of a recording with known text.

Uses PocketSphinx's English acoustic model in two passes. Words of every language become pseudo-words that espeak-ng
spells in ARPABET. Utterances with an alignment that contradicts their energy, or that is much less likely than the
speaker's others, go to SPEAKER-rest without phones, as do utterances without a known text.

usage: align.py FOLDER [RECORDINGS]. Writes FOLDER/aligned/SPEAKER.jsonl, and the audio as 16 kHz WAV below FOLDER/wav,
at most RECORDINGS per speaker.
"""

import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from pocketsphinx import Decoder
from scipy.io import wavfile
from scipy.ndimage import binary_erosion

import espeak
from corpora import REST, SAMPLE_RATE_HZ, Recording, fetch, recordings
from phones import SILENCE, ipa_to_arpabet
from unscripted import unscripted

_VOWELS = ("AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW")


# The aligner takes minutes for longer recordings, of which there are few.
_LONGEST_S = 25
_SHORTEST_S = 0.3
_QUIET_S = 0.3
# A speaker's utterances with a score this many deviations below the median most likely differ from their text.
_UNLIKELY = 3.0


class Aligner:
    """An aligner for the texts of one language, by espeak-ng's name. All words are added before the first search,
    because the decoder may crash on a word that is added later."""

    def __init__(self, language: str, texts: list[str]):
        espeak.set_voice(language)
        self._decoder = Decoder(lm=None, loglevel="FATAL", cmn="batch", bestpath=False, beam=1e-60, wbeam=1e-40, pbeam=1e-60)
        self._words = {text: self._pseudo_words(text) for text in texts}
        names = {heard: f"word{index}" for index, heard in enumerate(sorted({w[0] for words in self._words.values() for w in words}))}
        for heard, name in names.items():
            self._decoder.add_word(name, heard, name == f"word{len(names) - 1}")
        self._names = names

    @staticmethod
    def _pseudo_words(text: str) -> list[tuple[str, list[str]]]:
        """For each word its phones as the aligner transcribes them, and as a mouth shows them."""
        words = [ipa_to_arpabet(word) for word in espeak.transcribe(text).split()]
        return [(" ".join(heard for heard, _ in phones), [show for _, show in phones]) for phones in words if phones]

    def align(self, samples: np.ndarray, text: str) -> tuple[list, float] | None:
        """[phone, begin s, end s] for each phone and pause of a text, and the score per spoken frame; None if there is
        no path."""
        words = self._words[text]
        if not words:
            return None
        # A path must end in silence, but some recordings end directly after the last word.
        quiet = np.random.default_rng(0).integers(-3, 4, int(_QUIET_S * SAMPLE_RATE_HZ)).astype(np.int16)
        data = np.concatenate([quiet, samples, quiet]).astype("<i2").tobytes()
        decoder = self._decoder
        try:
            decoder.set_align_text(" ".join(self._names[heard] for heard, _ in words))
            self._pass(data)
            if decoder.hyp() is None:
                return None
            decoder.set_alignment()
            self._pass(data)
            spans = [span for word in decoder.get_alignment() for span in word]
        except RuntimeError:
            return None
        shown = [show for _, phones in words for show in phones]
        spoken = [span for span in spans if span.name not in SILENCE]
        if len(spoken) != len(shown):
            return None
        names, last, phones = iter(shown), len(samples) / SAMPLE_RATE_HZ, []
        for span in spans:
            begin = min(last, max(0.0, span.start / 100 - _QUIET_S))
            end = min(last, max(0.0, (span.start + span.duration) / 100 - _QUIET_S))
            phones.append([span.name if span.name in SILENCE else next(names), round(begin, 2), round(end, 2)])
        return phones, sum(span.score for span in spoken) / max(1, sum(span.duration for span in spoken))

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
    """False if loud frames are aligned to silence, quiet ones to vowels, or durations are not those of speech."""
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


def align_speaker(folder: str, speaker: str, spoken: list[Recording]) -> str:
    """Writes the speaker's accepted utterances; returns a summary as text."""
    target = f"{folder}/aligned/{speaker}.jsonl"
    if os.path.exists(target):
        return f"{speaker}: there already"
    aligners = {
        language: Aligner(language, [recording.text for recording in spoken if recording.language == language])
        for language in sorted({recording.language for recording in spoken})
    }
    rows = []
    for recording in spoken:
        samples = recording.samples()
        if len(samples) > _LONGEST_S * SAMPLE_RATE_HZ:
            continue
        aligned = aligners[recording.language].align(samples, recording.text)
        if aligned is None or not is_plausible(samples, aligned[0]):
            continue
        path = _write_sound(folder, recording.id, samples)
        row = {"id": recording.id, "speaker": speaker, "wav": path, "seconds": len(samples) / SAMPLE_RATE_HZ, "score": aligned[1]}
        rows.append({**row, "phones": aligned[0]})
    scores = np.array([row["score"] for row in rows] or [0.0])
    spread = 1.4826 * np.median(np.abs(scores - np.median(scores)))
    rows = [row for row in rows if row["score"] >= np.median(scores) - _UNLIKELY * spread]
    kept = {row["id"] for row in rows}
    os.makedirs(f"{folder}/aligned", exist_ok=True)
    keep_unaligned(folder, speaker + REST, [recording for recording in spoken if recording.id not in kept])
    with open(target + ".part", "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    os.rename(target + ".part", target)
    return f"{speaker}: kept {len(rows)} of {len(spoken)} recordings, {sum(row['seconds'] for row in rows) / 60:.1f} min"


def keep_unaligned(folder: str, speaker: str, spoken: list[Recording]) -> None:
    """Writes the utterances of a speaker with unknown or unreliable transcripts, with `phones` null. Existing files are
    kept."""
    target = f"{folder}/aligned/{speaker}.jsonl"
    if os.path.exists(target):
        return
    with open(target + ".part", "w") as out:
        for recording in spoken:
            samples = recording.samples()
            if _SHORTEST_S * SAMPLE_RATE_HZ < len(samples) < _LONGEST_S * SAMPLE_RATE_HZ:
                row = {"id": recording.id, "speaker": recording.speaker, "wav": _write_sound(folder, recording.id, samples)}
                out.write(json.dumps({**row, "seconds": len(samples) / SAMPLE_RATE_HZ, "phones": None}) + "\n")
    os.rename(target + ".part", target)


def _write_sound(folder: str, name: str, samples: np.ndarray) -> str:
    path = os.path.abspath(f"{folder}/wav/{name}.wav")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    wavfile.write(path, SAMPLE_RATE_HZ, samples)
    return path


def neural_recordings(folder: str) -> list[Recording]:
    """Recordings made by neural_voices.py; an engine counts as one speaker."""
    found = []
    for engine in ("kokoro", "piper"):
        path = f"{folder}/{engine}/texts.jsonl"
        for row in map(json.loads, open(path) if os.path.exists(path) else []):
            found.append(Recording(row["id"], engine, row["language"], f"{folder}/{row['id']}.wav", row["text"]))
    return found


def main(folder: str, most: int | None = None) -> None:
    fetch(folder)
    speakers: dict[str, list[Recording]] = {}
    for recording in recordings(folder) + neural_recordings(folder):
        speakers.setdefault(recording.speaker, []).append(recording)
    # Actors with few lines are joined into one cast.
    for name in [name for name, spoken in speakers.items() if len(spoken) < 50 and name.startswith("dialogues-")]:
        company = "-".join(name.split("-")[:2]) + "-others"
        speakers.setdefault(company, []).extend(speakers.pop(name))
    with ProcessPoolExecutor(2) as pool:
        for report in [pool.submit(align_speaker, folder, speaker, spoken[:most]) for speaker, spoken in speakers.items()]:
            print(report.result(), flush=True)
    unwritten: dict[str, list[Recording]] = {}
    for recording in unscripted(folder):
        unwritten.setdefault(recording.speaker, []).append(recording)
    for speaker, spoken in unwritten.items():
        keep_unaligned(folder, speaker, spoken[:most])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)
