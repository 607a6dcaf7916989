// Runs one of the service's programs: reads its settings, starts it, and ends it in order when it is told to end.
import { type Config, ConfigError, parseConfig } from "./config.ts";
import { createLogger, type Logger } from "./log.ts";
import { logUncaught } from "./log-uncaught.ts";
import { defineMoves, StateMachine } from "./state-machine.ts";

/** Longest close after an exception that nothing has caught. */
const FAILED_CLOSE_MS = 10_000;

/** A program that has started. */
export interface RunningProgram {
  /** Longest time for which its work may go on when it is told to end, ms. Default 0. */
  drainMs?: number;
  /** Takes no new work. Resolves when its work has ended, after `limitMs` at the latest. */
  drain?(limitMs: number): Promise<void>;
  /** Ends its work, and releases what it holds. Called once, perhaps while `drain` runs. */
  close(): Promise<void>;
  /** How much work it has, for the log. */
  load?(): Readonly<Record<string, number>>;
}

export interface ProgramContext {
  logger: Logger;
  /** Ends the program as a signal does: exit status 0, unless another one is named. */
  end(reason: string, status?: number): void;
}

export interface ProgramOptions<Part extends keyof Config> {
  /** In its log. */
  name: string;
  /** Parts of the settings that it gets. */
  parts: readonly Part[];
  /** Builds it and makes it serve. */
  start(config: Pick<Config, Part>, context: ProgramContext): Promise<RunningProgram>;
  /** Whether it ends in order after an exception that nothing has caught. Default: it goes on, because many sessions
   *  depend on it, of which the exception concerns one. */
  endsOnException?: boolean;
  /** Longest close after this exception, ms. Default 10,000. */
  failedCloseMs?: number;
  /** Says why it cannot start, where the operator can change that. Default: on standard error. */
  report?(reason: string): void;
}

/** Runs the program until a signal or `end` ends this process. The first signal drains; the second one does not wait
 *  for that. A program that cannot start ends the process with status 1: with one line about settings or a port, else
 *  with the stack. */
export async function runProgram<Part extends keyof Config>(options: ProgramOptions<Part>): Promise<void> {
  const { name, parts, start, report = (reason) => process.stderr.write(`${reason}\n`) } = options;
  try {
    const { log } = parseConfig(process.env, ["log"]);
    const logger = createLogger({ ...log, name });
    const life = new ProgramLife(logger);
    logUncaught(logger, options.endsOnException ? () => life.fail(options.failedCloseMs) : undefined);
    const end = (reason: string, status?: number): void => life.end(reason, status);
    life.run(await start(parseConfig(process.env, parts), { logger, end }));
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => end(signal));
  } catch (error) {
    if (isForOperator(error)) report(error.message);
    else console.error(error);
    process.exit(1);
  }
}

type State = "starting" | "running" | "draining" | "closing";
/** After `closing` the process ends. */
const MOVES = defineMoves<State>({ starting: ["running"], running: ["draining"], draining: ["closing"], closing: [] });

/** The life of a program. Told to end while it drains, it closes at once; while it starts, the process ends. */
class ProgramLife {
  readonly #logger: Logger;
  readonly #state = new StateMachine(MOVES, "starting");
  #program: RunningProgram | undefined;
  #closing: Promise<void> | undefined;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  run(program: RunningProgram): void {
    this.#state.enter("running");
    this.#program = program;
  }

  end(reason: string, status = 0): void {
    this.#end(reason).then(
      () => process.exit(status),
      (error: unknown) => {
        this.#logger.error({ err: error, reason }, "not stopped cleanly");
        process.exit(1);
      },
    );
  }

  /** Ends with status 1, within `limitMs`. */
  fail(limitMs = FAILED_CLOSE_MS): void {
    if (!this.#state.is("running")) process.exit(1);
    setTimeout(() => process.exit(1), limitMs).unref();
    this.end("uncaught exception", 1);
  }

  async #end(reason: string): Promise<void> {
    const program = this.#program;
    if (program === undefined) return;
    const drainMs = this.#state.is("running") ? (program.drainMs ?? 0) : 0;
    this.#logger.info({ reason, drainMs, ...program.load?.() }, "stopping");
    if (this.#state.is("running")) {
      this.#state.enter("draining");
      await program.drain?.(drainMs);
    }
    if (this.#state.is("draining")) {
      this.#state.enter("closing");
      this.#closing = program.close();
    }
    await this.#closing;
    this.#logger.info("stopped");
  }
}

/** Whether the message says all that an operator needs: about settings, or a port that cannot be listened on. */
function isForOperator(error: unknown): error is Error {
  if (error instanceof ConfigError) return true;
  return error instanceof Error && [error, error.cause].some((each) => isListenError(each));
}

function isListenError(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).syscall === "listen";
}
