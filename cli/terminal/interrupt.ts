// Ctrl-C for commands that leave something behind: the first asks the command to tidy up, the second ends at once.
import { CliError } from "./cli-error.ts";

/** Runs `work` with a signal that Ctrl-C (or SIGTERM) aborts. If it was aborted, throws CliError `interrupted` once
 *  `work` has settled; `remains` tells the operator which files are left. */
export async function interruptible<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  remains = "No files were left behind.",
): Promise<Result> {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (controller.signal.aborted) throw new CliError("interrupted", `Interrupted. ${remains}`);
    throw error;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}
