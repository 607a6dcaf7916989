// Every face of the gallery in many random poses: our executor of rigs beside ONNX Runtime.
import { openGallery } from "../../../api/agents/portraits/gallery.ts";
import { bakeImx } from "../../../src/face/rig/bake-imx.ts";
import { loadBakeTools } from "../../../src/face/rig/node-bake-tools.ts";
import { decodeImage } from "../../../src/signal/image/decode-image.ts";
import { createNodeRuntime } from "../../../src/signal/inference/node-runtime.ts";
import { compareRenderers, seededPoses } from "../../../test/helpers/faces/compare-renderers.ts";

/** A sample may differ by one level, by two where an expression lights the skin, and at most one of two hundred may. */
const LIMIT = 2;
const LEAST_EQUAL_PERCENT = 99.5;

export interface RigSoakOptions {
  /** Of each face. */
  poses: number;
  seed: number;
  report(line: string): void;
}

export interface RigSoakResult {
  faces: number;
  poses: number;
  /** Largest difference of a sample, levels of 255. */
  worst: number;
  /** Least share of equal samples of a face. */
  least_equal_percent: number;
  violations: string[];
}

/** Bakes the faces with regions of both sizes in turn. Throws if the executor does not take a face. */
export async function soakRigs({ poses, seed, report }: RigSoakOptions): Promise<RigSoakResult> {
  const runtime = createNodeRuntime();
  const tools = await loadBakeTools(runtime);
  const gallery = await openGallery();
  const result: RigSoakResult = { faces: 0, poses: 0, worst: 0, least_equal_percent: 100, violations: [] };
  for (const [index, { id, style }] of gallery.entries.entries()) {
    const { bytes, points } = await gallery.load(id);
    const family = index % 4 === 3 ? "essence-2-light" : "essence-2";
    const { imx } = await bakeImx(await decodeImage(bytes), { points, style }, tools, { family });
    const { largest, equalShare } = await compareRenderers(imx, runtime, seededPoses(poses, seed + index));
    const equalPercent = 100 * equalShare;
    const line = `${id}, ${imx.manifest.region.sizePx} px: largest ${largest}, ${equalPercent.toFixed(3)} % equal`;
    report(line);
    if (largest > LIMIT || equalPercent < LEAST_EQUAL_PERCENT) result.violations.push(line);
    result.faces += 1;
    result.poses += poses;
    result.worst = Math.max(result.worst, largest);
    result.least_equal_percent = Math.min(result.least_equal_percent, equalPercent);
  }
  return result;
}
