"""The rendered people. None of them exists."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Person:
    name: str
    seed: int
    # Targets of the base mesh by weight.
    shape: dict[str, float]
    expression: dict[str, float] = field(default_factory=dict)
    # Reflectance, linear RGB 0..1.
    skin: tuple[float, float, float] = (0.55, 0.33, 0.24)
    lip: tuple[float, float, float] = (0.45, 0.17, 0.15)
    hair: tuple[float, float, float] = (0.02, 0.013, 0.01)
    iris: tuple[float, float, float] = (0.09, 0.045, 0.02)
    # dm: lengths of strands; 0 for none.
    hair_length: float = 0.3
    beard_length: float = 0.0
    moustache_length: float = 0.0
    # Share of white strands in beard and hair.
    grey: float = 0.0
    # Curls: turns of a strand.
    curl: float = 0.0
    glasses: str = ""
    shirt: tuple[float, float, float] = (0.1, 0.13, 0.2)
    wall: tuple[float, float, float] = (0.42, 0.45, 0.47)
    # Where the main light stands, degrees to the right of the camera.
    light_deg: float = -40


def _macro(ethnicity: str, gender: str, age: str) -> dict[str, float]:
    return {
        f"macrodetails/{ethnicity}-{gender}-{age}": 1,
        f"macrodetails/universal-{gender}-{age}-averagemuscle-averageweight": 1,
    }


def _large_eyes(weight: float) -> dict[str, float]:
    """The base mesh has small eyes for its heads."""
    return {f"eyes/{side}-eye-scale-incr": weight for side in "lr"}


def _both(name: str, weight: float) -> dict[str, float]:
    return {f"faceunits/{name}{side}": weight for side in ("Left", "Right")}


PEOPLE = [
    Person(
        name="kofi",
        seed=11,
        shape=_macro("african", "male", "young") | {"head/head-square": 0.4, "chin/chin-width-incr": 0.3}
        | {"mouth/mouth-lowerlip-volume-decr": 0.7, "mouth/mouth-lowerlip-height-decr": 0.4} | _large_eyes(0.5),
        expression=_both("mouthSmile", 0.12),
        skin=(0.115, 0.053, 0.032),
        lip=(0.135, 0.045, 0.04),
        hair=(0.006, 0.005, 0.0045),
        iris=(0.03, 0.014, 0.008),
        hair_length=0.14,
        beard_length=0.05,
        moustache_length=0.05,
        curl=2.5,
        shirt=(0.35, 0.36, 0.38),
        wall=(0.28, 0.33, 0.3),
        light_deg=35,
    ),
    Person(
        name="hana",
        seed=23,
        shape=_macro("asian", "female", "young") | {"head/head-oval": 0.5} | _large_eyes(0.6),
        expression=_both("mouthSmile", 0.2),
        skin=(0.56, 0.36, 0.265),
        lip=(0.42, 0.14, 0.13),
        iris=(0.04, 0.02, 0.012),
        hair_length=0.55,
        glasses="round",
        shirt=(0.5, 0.47, 0.42),
        wall=(0.55, 0.53, 0.5),
    ),
    Person(
        name="walter",
        seed=37,
        shape=_macro("caucasian", "male", "old") | {"nose/nose-hump-incr": 0.5, "head/head-rectangular": 0.4}
        | _large_eyes(0.6),
        expression=_both("mouthSmile", 0.1),
        skin=(0.56, 0.34, 0.26),
        lip=(0.42, 0.19, 0.17),
        hair=(0.25, 0.24, 0.23),
        iris=(0.1, 0.16, 0.22),
        hair_length=0.3,
        beard_length=0.13,
        moustache_length=0.09,
        grey=0.7,
        glasses="square",
        shirt=(0.05, 0.07, 0.12),
        wall=(0.3, 0.27, 0.24),
        light_deg=25,
    ),
    Person(
        name="zuri",
        seed=41,
        shape=_macro("african", "female", "young") | {"head/head-round": 0.3} | _large_eyes(0.4),
        expression=_both("mouthSmile", 0.75) | _both("mouthUpperUp", 0.45) | _both("mouthLowerDown", 0.3)
        | {"faceunits/jawOpen": 0.1},
        skin=(0.2, 0.095, 0.055),
        lip=(0.2, 0.055, 0.055),
        hair=(0.006, 0.005, 0.0045),
        iris=(0.025, 0.012, 0.008),
        hair_length=0.3,
        curl=3,
        shirt=(0.5, 0.2, 0.05),
        wall=(0.5, 0.52, 0.55),
    ),
]
