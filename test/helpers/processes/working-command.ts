// Child process that works as a command with something to tidy up: it keeps half a file while it writes lines.
import { rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { toCliError } from "../../../cli/terminal/cli-error.ts";
import { interruptible } from "../../../cli/terminal/interrupt.ts";
import { followStandardStreams, hasLostReader } from "../../../cli/terminal/standard-streams.ts";

const [, , path] = process.argv;
const LINE_MS = 20;
const TIDYING_MS = 300;

followStandardStreams();
try {
  await interruptible(async (signal) => {
    await writeFile(path, "half");
    try {
      for (;;) {
        process.stdout.write("working\n");
        await delay(LINE_MS, undefined, { signal });
      }
    } finally {
      await delay(TIDYING_MS);
      await rm(path);
    }
  });
} catch (error) {
  const failure = toCliError(error);
  if (!hasLostReader()) {
    process.stderr.write(`${failure.message}\n`);
    process.exitCode = failure.exitCode;
  }
}
