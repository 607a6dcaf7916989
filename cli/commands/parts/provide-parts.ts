// Fetches parts as the work of a command in this process comes to need them.
import { setPartProvider } from "../../../program/parts/find-part.ts";
import type { Environment } from "../../terminal/environment.ts";

/** From now on, reading a file of a part that is not on this machine fetches the part first. */
export function provideParts(environment: Environment): void {
  setPartProvider(async (name) => (await import("./fetch-part.ts")).fetchPart(name, environment));
}
