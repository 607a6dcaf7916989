// Builds the pages and the programs of the service in a process of its own: the start command runs as long as the
// service, and would keep the memory of the compilers (300 MB).
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { moduleFlags } from "../../../program/child-process/module-flags.ts";
import { partsRecord } from "../../../program/parts/find-part.ts";
import { StartError } from "../start-error.ts";
import { builtPrograms, type Programs } from "./build-programs.ts";

/** What the building process reports. */
export type BuildOutcome = { hasBuiltPages: boolean; programs: Programs } | { error: string };

/** Builds what is not up to date; in the archive of the command, all is built. Throws StartError with the compiler's
 *  message. Ends the process if `signal` fires. */
export async function buildService(signal: AbortSignal): Promise<Exclude<BuildOutcome, { error: string }>> {
  if (partsRecord() !== null) return { hasBuiltPages: false, programs: builtPrograms() };
  const module = new URL("./build-child.ts", import.meta.url);
  const child = fork(fileURLToPath(module), [], { execArgv: moduleFlags(module) });
  const stop = () => child.kill();
  signal.addEventListener("abort", stop);
  const outcome = await new Promise<BuildOutcome>((resolve) => {
    child.once("message", (message) => resolve(message as BuildOutcome));
    child.once("error", (error) => resolve({ error: error.message }));
    child.once("exit", (status) => resolve({ error: `The building process ended with status ${status}.` }));
  });
  signal.removeEventListener("abort", stop);
  if ("error" in outcome) throw new StartError(outcome.error, "The pages or programs could not be built.");
  return outcome;
}
