import { resolve } from "node:path";
import { runCommand } from "../../../cli/start/processes/run-command.ts";

/** Short hash and title of a checkout's commit; its path if that is unknown. */
export async function describeCommit(checkout: string): Promise<string> {
  const { status, output } = await runCommand("git", ["log", "-1", "--format=%h %s"], { cwd: resolve(checkout) });
  return status === 0 ? output.trim() : checkout;
}
