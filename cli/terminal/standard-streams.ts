// What ends a command from outside: a reader of its output that went away, and Ctrl-C.

/** From now on a closed pipe ends the process without a message, and Ctrl-C ends it with 130 unless a command listens
 *  for it to tidy up. For entry points. */
export function followStandardStreams(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      process.exit();
    });
  }
  process.on("SIGINT", () => {
    if (process.listenerCount("SIGINT") === 1) process.exit(130);
  });
}
