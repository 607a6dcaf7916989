// Reads network files that come with the service, and checks them against the manifest. Node only.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { requirePart } from "../../../program/parts/find-part.ts";
import { PART_NAMES, PARTS } from "../../../program/parts/parts.ts";
import { EngineError } from "../../../shared/engine-error.ts";

const MANIFEST = new URL("../../../models/manifest.json", import.meta.url);
const ADVICE = "Restore the models folder of this release.";

/** Bytes of a file of the `models` folder. `name`: its path there. `what`: the owner of the file, as the beginning of a
 *  sentence. Throws EngineError(unavailable) if it is missing or its hash is not the manifest's. */
export async function readModelFile(name: string, what: string): Promise<Uint8Array> {
  const part = PART_NAMES.find((each) => `models/${name}`.startsWith(`${PARTS[each]}/`));
  if (part === undefined) throw new RangeError(`${name} is no model file`);
  const folder = await requirePart(part);
  let bytes: Uint8Array;
  let manifest: Record<string, { sha256?: string }>;
  try {
    manifest = JSON.parse(await readFile(MANIFEST, "utf8"));
    bytes = await readFile(new URL(`models/${name}`.slice(PARTS[part].length + 1), folder));
  } catch (cause) {
    throw new EngineError("unavailable", `${what} cannot be read from models/${name}. ${ADVICE}`, { cause });
  }
  if (createHash("sha256").update(bytes).digest("hex") === manifest[name]?.sha256) return bytes;
  throw new EngineError("unavailable", `${what} is damaged: models/${name} is not the manifest's. ${ADVICE}`);
}
