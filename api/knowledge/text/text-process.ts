// Extracts text from documents in a child process with limited time and memory. If a hostile document breaks the
// process, the next document gets a new one.

import { isTaskError } from "../../../program/child-process/task-error.ts";
import { TaskPool } from "../../../program/child-process/task-pool.ts";
import { isEngineError } from "../../../shared/engine-error.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { SplitDocument, TextTask } from "./text-messages.ts";

const TIMEOUT_MS = 120_000;
const DEFAULT_HEAP_MB = 768;
/** Lower priority than requests and running avatar sessions. */
const NICENESS = 10;

/** Reads one document after the other. */
export class TextProcess {
  readonly #pool: TaskPool<TextTask, SplitDocument>;
  readonly #signal: AbortSignal;

  /** The process starts with the first document. `signal` aborts the document that is being read; a document that needs
   *  more than `heapMb` (default 768) is refused. */
  constructor({ signal, heapMb = DEFAULT_HEAP_MB }: { signal: AbortSignal; heapMb?: number }) {
    this.#signal = signal;
    this.#pool = new TaskPool({
      module: new URL("text-child.ts", import.meta.url),
      nodeFlags: [`--max-old-space-size=${heapMb}`],
      niceness: NICENESS,
    });
  }

  /** Returns the passages of a document. Throws UNPROCESSABLE for a document that cannot be read or takes too much
   *  time or memory, and the signal's reason when it fires. Any other error is a fault of this service. */
  async read(task: TextTask): Promise<SplitDocument> {
    try {
      return await this.#pool.run(task, { timeoutMs: TIMEOUT_MS, signal: this.#signal });
    } catch (error) {
      const reason = reasonOf(error);
      throw reason === undefined ? error : new ServiceError("UNPROCESSABLE", reason, { cause: error });
    }
  }

  /** Ends the process and waits until it is gone. Idempotent. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Why a document cannot be read; undefined if the document is not at fault. */
function reasonOf(error: unknown): string | undefined {
  if (isEngineError(error)) return error.message;
  if (!isTaskError(error)) return undefined;
  if (error.reason === "timeout") return "The document takes too long to read";
  if (error.reason === "lost") return "The document cannot be read: it takes too much memory";
  return undefined;
}
