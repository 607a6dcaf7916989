// What ends a command from outside: a reader of its output that went away, and Ctrl-C.

let isReaderGone = false;

/** From now on a closed pipe ends the process without a message, and Ctrl-C ends it with 130. A command that listens
 *  for SIGTERM, or for Ctrl-C, tidies up first. For entry points. */
export function followStandardStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      loseReader();
    });
  }
  process.on("SIGINT", () => {
    if (process.listenerCount("SIGINT") === 1) process.exit(130);
  });
}

/** Whether the reader of the output went away: then there is no one to tell how the command ends. */
export function hasLostReader(): boolean {
  return isReaderGone;
}

function loseReader(): void {
  // Every line that is written from now on fails again.
  if (isReaderGone) return;
  isReaderGone = true;
  if (process.listenerCount("SIGTERM") === 0) process.exit();
  process.emit("SIGTERM", "SIGTERM");
}
