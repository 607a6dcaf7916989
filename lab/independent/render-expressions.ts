// Renders every portrait of a folder at rest and with each expression at full strength, the head still, for
// check-expressions.ts:
//
//   npx tsx lab/independent/render-expressions.ts FOLDER OUT [INTENSITY]
//
// OUT/NAME.neutral.png, NAME.happy.png and so on, and NAME.json, as `renderFolder` writes it.
import type { FaceParameterName, FacePose } from "../../shared/face-parameters.ts";
import { EXPRESSION_POSES } from "../../src/face/motion/expression-poses.ts";
import { renderFolder } from "./bake-folder.ts";

const HEAD: ReadonlySet<string> = new Set<FaceParameterName>(["yaw", "pitch", "roll", "tx", "ty"]);

const [folder, out, intensity = "1"] = process.argv.slice(2);
if (!folder || !out) throw new Error("usage: npx tsx lab/independent/render-expressions.ts FOLDER OUT [INTENSITY]");
const shown = (pose: FacePose): FacePose =>
  Object.fromEntries(
    Object.entries(pose)
      .filter(([name]) => !HEAD.has(name))
      .map(([name, value]) => [name, Number(intensity) * value]),
  );
const poses = Object.entries(EXPRESSION_POSES).map(([name, pose]) => [name, shown(pose)]);
await renderFolder(folder, out, Object.fromEntries(poses));
