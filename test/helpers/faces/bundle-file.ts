// An avatar file on the disk, as its users have it.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import { bakedFace } from "./baked-face.ts";

/** Writes the photographed face into `folder`; returns the path. */
export async function bundleFile(folder: string): Promise<string> {
  const path = join(folder, "face.imx");
  await writeFile(path, await writeImx(await bakedFace("photograph")));
  return path;
}
