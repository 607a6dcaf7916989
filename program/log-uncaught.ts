// What becomes of errors that nothing has caught. Node would end the process, without a line in its log.

/** Where they are logged: a `Logger`, for example. */
export interface UncaughtLog {
  error(fields: { err: unknown }, message: string): void;
  fatal(fields: { err: unknown }, message: string): void;
}

/** Logs rejections and exceptions that nothing has caught, from now on. After a rejection the process goes on. After an
 *  exception it ends as `end` does; without `end` it goes on, too: for a process on which many sessions depend, of
 *  which the error concerns one. */
export function logUncaught(log: UncaughtLog, end?: (error: unknown) => void): void {
  process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled rejection"));
  process.on("uncaughtException", (error) => {
    if (end === undefined) return log.error({ err: error }, "uncaught exception");
    log.fatal({ err: error }, "uncaught exception, the process ends");
    end(error);
  });
}
