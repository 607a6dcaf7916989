// Renders every portrait of a folder at rest and with each expression at full strength:
//
//   npx tsx lab/independent/render-expressions.ts FOLDER OUT [INTENSITY] [--for-readers]
//
// OUT/NAME.neutral.png, NAME.happy.png and so on, and NAME.json, as `renderFolder` writes it. The head is still, for
// check-expressions.ts. --for-readers: it moves as in a film, and the best that a rig of 21 parameters could show of
// two expressions is added, as NAME.earlier-happy.png and NAME.earlier-surprised.png, for expression-sheets.ts.
import { parseArgs } from "node:util";
import type { FaceParameterName, FacePose } from "../../shared/face-parameters.ts";
import { EXPRESSION_POSES } from "../../src/face/motion/expression-poses.ts";
import { renderFolder } from "./bake-folder.ts";

const HEAD: ReadonlySet<string> = new Set<FaceParameterName>(["yaw", "pitch", "roll", "tx", "ty"]);
const EARLIER_POSES: Readonly<Record<string, FacePose>> = {
  "earlier-happy": { smile: 1 },
  "earlier-surprised": { brow: 1, jaw: 0.6 },
};

const { values, positionals } = parseArgs({
  options: { "for-readers": { type: "boolean", default: false } },
  allowPositionals: true,
});
const isForReaders = values["for-readers"];
const [folder, out, intensity = "1"] = positionals;
if (!folder || !out) {
  throw new Error("usage: npx tsx lab/independent/render-expressions.ts FOLDER OUT [INTENSITY] [--for-readers]");
}
const shown = (pose: FacePose): FacePose =>
  Object.fromEntries(
    Object.entries(pose)
      .filter(([name]) => isForReaders || !HEAD.has(name))
      .map(([name, value]) => [name, Number(intensity) * value]),
  );
const all: Record<string, FacePose> = { ...EXPRESSION_POSES, ...(isForReaders && EARLIER_POSES) };
const poses = Object.entries(all).map(([name, pose]) => [name, shown(pose)]);
await renderFolder(folder, out, Object.fromEntries(poses));
