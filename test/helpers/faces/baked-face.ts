// The faces of `face-of.ts` as avatars, baked once for all test files of a process.
import type { ModelFamily } from "../../../shared/models.ts";
import type { Imx } from "../../../src/face/imx/imx.ts";
import { bakeImx } from "../../../src/face/rig/bake-imx.ts";
import { bakeTools, drawnFace, photographedFace } from "./face-of.ts";

const FACES = { photograph: photographedFace, drawing: drawnFace };
const baked = new Map<string, Promise<Imx>>();

/** The avatar; callers must not change it. */
export function bakedFace(name: keyof typeof FACES, family: ModelFamily = "essence-2"): Promise<Imx> {
  const key = `${name} ${family}`;
  const known = baked.get(key) ?? bake(name, family);
  baked.set(key, known);
  return known;
}

async function bake(name: keyof typeof FACES, family: ModelFamily): Promise<Imx> {
  const face = await FACES[name]();
  return (await bakeImx(face.image, face, bakeTools, { family })).imx;
}
