// Renders every portrait of a folder with open, closing and shut eyes, for check_lids.py:
//
//   npx tsx lab/independent/render-blinks.ts FOLDER OUT [SCALE]
//
// OUT/NAME.open.png, NAME.25.png (a quarter shut), NAME.50.png, NAME.75.png, NAME.shut.png; NAME.left.png … with the
// eyes open and NAME.shut-left.png … with them shut, at gaze ±1; and NAME.json, as `renderFolder` writes it.
import type { FacePose } from "../../shared/face-parameters.ts";
import { renderFolder } from "./bake-folder.ts";

const GAZES: Readonly<Record<string, FacePose>> = {
  left: { gazeX: -1 },
  right: { gazeX: 1 },
  up: { gazeY: -1 },
  down: { gazeY: 1 },
};

const [folder, out, scale = "1"] = process.argv.slice(2);
if (!folder || !out) throw new Error("usage: npx tsx lab/independent/render-blinks.ts FOLDER OUT [SCALE]");
const lids = (closure: number): FacePose => ({ blinkL: closure, blinkR: closure });
const gazes = Object.entries(GAZES);
await renderFolder(
  folder,
  out,
  {
    open: {},
    "25": lids(0.25),
    "50": lids(0.5),
    "75": lids(0.75),
    shut: lids(1),
    ...Object.fromEntries(gazes),
    ...Object.fromEntries(gazes.map(([name, gaze]) => [`shut-${name}`, { ...lids(1), ...gaze }])),
  },
  Number(scale),
);
