// Implements `avatar inspect`.
import { type ImxFile, openImxFile } from "../../../src/face/imx/imx-file.ts";
import { inspectModel } from "../../../src/signal/onnx/inspect-model.ts";
import { inputError } from "../../terminal/read-input.ts";
import { writeJson } from "../../terminal/write-json.ts";

/** Checks the whole bundle as a session would and prints manifest, members and rig. Throws CliError or EngineError. */
export async function inspectBundle(path: string, isJson: boolean): Promise<void> {
  const file = await openImxFile(path).catch((error: unknown) => {
    throw inputError(path, error);
  });
  try {
    const { rig } = await file.readAll();
    const rigSummary = summarizeRig(rig);
    const { formatVersion, bytes, manifest, members } = file;
    if (isJson) writeJson({ file: path, bytes, format_version: formatVersion, manifest, members, rig: rigSummary });
    else process.stdout.write(describe(path, file, rigSummary));
  } finally {
    await file.close();
  }
}

interface RigSummary {
  nodes: number;
  weight_bytes: number;
  /** Node count per operator, descending. */
  operators: Record<string, number>;
}

function summarizeRig(rig: Uint8Array): RigSummary {
  const { nodes, tensors } = inspectModel(rig);
  const counts = new Map<string, number>();
  for (const { operator } of nodes) counts.set(operator, (counts.get(operator) ?? 0) + 1);
  return {
    nodes: nodes.length,
    weight_bytes: tensors.reduce((sum, { rawBytes }) => sum + rawBytes, 0),
    operators: Object.fromEntries([...counts].sort(([, a], [, b]) => b - a)),
  };
}

function describe(path: string, { formatVersion, bytes, manifest, members }: ImxFile, rig: RigSummary): string {
  const { canvas, region, chest, generator } = manifest;
  const rest = Object.entries(manifest.restPose).map(([name, value]) => `${name} ${Math.round(value * 100) / 100}`);
  return [
    `${path}: ${(bytes / 1e6).toFixed(2)} MB, format ${formatVersion}, valid`,
    `family    ${manifest.family}, head motion ${manifest.headMotion}, lip sync ${manifest.hearingModel}`,
    `canvas    ${canvas.widthPx} × ${canvas.heightPx}, face region of ${region.sizePx} at ${region.x}, ${region.y}`,
    `chest     ${chest ? `sinks by ${chest.travelPx.toFixed(1)} px` : "none"}`,
    `rest      ${rest.join(", ") || "the photo"}`,
    `made      ${manifest.createdAt} by ${generator.name} ${generator.version}`,
    `gestures  ${manifest.gestures.join(", ") || "none"}`,
    `rig       ${rig.nodes} nodes, ${(rig.weight_bytes / 1e6).toFixed(2)} MB of weights`,
    "members",
    ...members.map(({ name, size }) => `  ${String(size).padStart(9)}  ${name}`),
    "",
  ].join("\n");
}
