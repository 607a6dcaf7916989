// Makes sure that parts are on this machine which the work of a command needs in other processes than this one.
import { hasPart } from "../../../program/parts/find-part.ts";
import type { PartName } from "../../../program/parts/parts.ts";
import type { Environment } from "../../terminal/environment.ts";

/** Fetches those that are missing, one after the other. Throws what `fetchPart` throws. */
export async function needParts(environment: Environment, ...names: readonly PartName[]): Promise<void> {
  for (const name of names) if (!hasPart(name)) await (await import("./fetch-part.ts")).fetchPart(name, environment);
}
