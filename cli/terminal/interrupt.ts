// Ctrl-C for commands that leave something behind: the first asks the command to tidy up, the second ends at once.
import { CliError } from "./cli-error.ts";

/** What ends a command: Ctrl-C, a service manager, and a terminal that is closed. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** npm forwards the Ctrl-C that the terminal already sent: only a later one means "at once". */
const SAME_SIGNAL_MS = 1000;

/** Runs `work` with a signal that Ctrl-C, SIGTERM or SIGHUP aborts. If it was aborted, throws CliError `interrupted`
 *  once `work` has settled; `remains` tells the operator which files are left. */
export async function interruptible<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  remains: string | (() => string) = "No files were left behind.",
): Promise<Result> {
  const controller = new AbortController();
  let firstAtMs: number | undefined;
  const onSignal = () => {
    if (firstAtMs !== undefined && performance.now() - firstAtMs > SAME_SIGNAL_MS) process.exit(130);
    firstAtMs ??= performance.now();
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  try {
    return await work(controller.signal);
  } catch (error) {
    const left = typeof remains === "string" ? remains : remains();
    if (controller.signal.aborted) throw new CliError("interrupted", `Interrupted. ${left}`);
    throw error;
  } finally {
    for (const name of SIGNALS) process.off(name, onSignal);
  }
}
