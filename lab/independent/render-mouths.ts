// Renders every portrait of a folder at rest and with an open, a round and a broad mouth, for check_corners.py:
//
//   npx tsx lab/independent/render-mouths.ts FOLDER OUT [SCALE]
//
// OUT/NAME.rest.png, NAME.AA.png, NAME.OO.png, NAME.EE.png, and NAME.json, as `renderFolder` writes it.
import { SHEET_POSES } from "../../src/face/rendering/sheet-poses.ts";
import { renderFolder } from "./bake-folder.ts";

const [folder, out, scale = "1"] = process.argv.slice(2);
if (!folder || !out) throw new Error("usage: npx tsx lab/independent/render-mouths.ts FOLDER OUT [SCALE]");
const { AA, OO, EE } = SHEET_POSES;
await renderFolder(folder, out, { rest: {}, AA, OO, EE }, Number(scale));
