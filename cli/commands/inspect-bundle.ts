// What `avatar inspect` does.
import { openImxFile } from "../../src/imx/imx-file.ts";
import { readImx } from "../../src/imx/read-imx.ts";
import { readInput } from "../read-input.ts";
import { writeJson } from "../write-json.ts";

/** Checks the whole bundle as a session would and prints manifest and members. Throws CliError or ServiceError with a sentence for people. */
export async function inspectBundle(path: string, isJson: boolean): Promise<void> {
  const bytes = await readInput(path);
  await readImx(bytes);
  const file = await openImxFile(path);
  try {
    const { manifest, members } = file;
    if (isJson) {
      writeJson({ file: path, bytes: bytes.length, manifest, members });
      return;
    }
    const { canvas, region, generator } = manifest;
    process.stdout.write(
      [
        `${path}: ${(bytes.length / 1e6).toFixed(2)} MB, sound`,
        `family    ${manifest.family}`,
        `picture   ${canvas.widthPx} × ${canvas.heightPx}, moving square of ${region.sizePx} at ${region.x}, ${region.y}`,
        `made      ${manifest.createdAt} by ${generator.name} ${generator.version}`,
        `gestures  ${manifest.gestures.join(", ") || "none"}`,
        "members",
        ...members.map(({ name, size }) => `  ${String(size).padStart(9)}  ${name}`),
        "",
      ].join("\n"),
    );
  } finally {
    await file.close();
  }
}
