"""espeak-ng through its library: speech with phoneme times, and transcription to IPA."""

import ctypes
import os

import espeakng_loader
import numpy as np

_PHONEME_EVENT = 7
_SYNCHRONOUS = 2
_PHONEME_EVENTS = 1
_UTF8 = 1


class _Event(ctypes.Structure):
    class Id(ctypes.Union):
        _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]

    _fields_ = [
        ("type", ctypes.c_int), ("unique_identifier", ctypes.c_uint), ("text_position", ctypes.c_int), ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int), ("sample", ctypes.c_int), ("user_data", ctypes.c_void_p), ("id", Id),
    ]


_callback_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))
_library = ctypes.CDLL(espeakng_loader.get_library_path())
_data = os.path.dirname(espeakng_loader.get_data_path()).encode()
SAMPLE_RATE_HZ = _library.espeak_Initialize(_SYNCHRONOUS, 0, _data, _PHONEME_EVENTS)
_chunks: list[np.ndarray] = []
_events: list[tuple[int, str]] = []


@_callback_type
def _collect(samples, count, events):
    if count > 0:
        _chunks.append(np.ctypeslib.as_array(samples, (count,)).copy())
    index = 0
    while events[index].type != 0:
        if events[index].type == _PHONEME_EVENT:
            _events.append((events[index].sample, events[index].id.string.decode("utf8", "replace")))
        index += 1
    return 0


_library.espeak_SetSynthCallback(_collect)
_library.espeak_TextToPhonemes.restype = ctypes.c_char_p
_library.espeak_TextToPhonemes.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, ctypes.c_int]


def try_voice(name: str) -> bool:
    """Selects a voice such as `en-us+f3`. Returns false, and keeps the previous voice, if the name is unknown."""
    return _library.espeak_SetVoiceByName(name.encode()) == 0


def set_voice(name: str) -> None:
    """Selects a voice such as `en-us+f3`. Raises ValueError if the name is unknown."""
    if not try_voice(name):
        raise ValueError(f"espeak-ng has no voice {name}")


def set_prosody(words_per_minute: int, pitch: int, pitch_range: int) -> None:
    """Pitch and pitch range, 0..100."""
    for parameter, value in ((1, words_per_minute), (3, pitch), (4, pitch_range)):
        _library.espeak_SetParameter(parameter, value, 0)


def synthesize(text: str) -> tuple[np.ndarray, list[tuple[int, str]]]:
    """int16 samples at SAMPLE_RATE_HZ, and (sample, phoneme name) at the begin of each phoneme (of a stop: at its
    burst)."""
    _chunks.clear()
    _events.clear()
    data = text.encode("utf8")
    _library.espeak_Synth(data, ctypes.c_size_t(len(data) + 1), 0, 0, 0, ctypes.c_uint(_UTF8), None, None)
    return (np.concatenate(_chunks) if _chunks else np.zeros(0, np.int16)), list(_events)


def transcribe(text: str) -> str:
    """IPA of a text, with `_` between phonemes."""
    buffer = ctypes.create_string_buffer(text.encode("utf8"))
    pointer = ctypes.c_void_p(ctypes.addressof(buffer))
    parts = []
    while pointer.value:
        part = _library.espeak_TextToPhonemes(ctypes.byref(pointer), _UTF8, 2 | (ord("_") << 8))
        if part:
            parts.append(part.decode("utf8"))
    return " ".join(parts)
