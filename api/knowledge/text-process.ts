// Extracts text from documents in a child process with limited time and memory. If a hostile document breaks the
// process, the next document gets a new one.
import { type ChildProcess, fork } from "node:child_process";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { ServiceError } from "../../shared/errors.ts";
import type { SourceExtension } from "./knowledge-base.ts";
import type { SplitDocument, TextReply, TextRequest } from "./text-messages.ts";

const CHILD_PATH = fileURLToPath(new URL("text-child.ts", import.meta.url));
/** Resolved here, because Node would resolve a bare name from the working directory. */
const LOADER_URL = import.meta.resolve("tsx");
const TIMEOUT_MS = 120_000;
const HEAP_MB = 768;
/** Lower priority than requests and running avatar sessions. */
const NICENESS = 10;

/** Reads one document after the other. */
export class TextProcess {
  readonly #signal: AbortSignal;
  readonly #timeoutMs: number;
  #child: ChildProcess | null = null;

  /** The process starts with the first document. `signal` aborts the document that is being read. */
  constructor({ signal, timeoutMs = TIMEOUT_MS }: { signal: AbortSignal; timeoutMs?: number }) {
    this.#signal = signal;
    this.#timeoutMs = timeoutMs;
  }

  /** The passages of a document; one document at a time. Throws UNPROCESSABLE for a document that cannot be read or
   *  takes too much time or memory, and the signal's reason when it fires. Any other error is a fault of this service.
   *  */
  read(path: string, extension: SourceExtension): Promise<SplitDocument> {
    this.#signal.throwIfAborted();
    const child = this.#child ?? this.#start();
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void, isLost: boolean): void => {
        clearTimeout(timer);
        this.#signal.removeEventListener("abort", onAbort);
        child.off("error", onError).off("exit", onExit).off("message", onMessage);
        if (isLost) this.close();
        settle();
      };
      const refuse = (why: string) => finish(() => reject(new ServiceError("UNPROCESSABLE", why)), true);
      const onAbort = () => finish(() => reject(this.#signal.reason), true);
      const onError = (error: Error) => finish(() => reject(error), true);
      const onExit = () => refuse("The document cannot be read: it takes too much memory");
      const onMessage = (message: TextReply) =>
        finish(() => {
          if (message.type === "done") resolve(message.document);
          else if (message.type === "refused") reject(new ServiceError(message.code, message.message));
          else reject(new Error(message.message));
        }, false);
      const timer = setTimeout(() => refuse("The document takes too long to read"), this.#timeoutMs);
      this.#signal.addEventListener("abort", onAbort, { once: true });
      child.once("error", onError).once("exit", onExit).once("message", onMessage);
      child.send({ path, extension } satisfies TextRequest);
    });
  }

  /** Ends the process. Idempotent. */
  close(): void {
    this.#child?.kill("SIGKILL");
    this.#child = null;
  }

  #start(): ChildProcess {
    const child = fork(CHILD_PATH, {
      execArgv: [`--max-old-space-size=${HEAP_MB}`, `--import=${LOADER_URL}`],
      // Documents must not reach our environment or our terminal.
      env: {},
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
    });
    // Errors between two documents are ignored here: the next document fails with them.
    child.on("error", () => undefined);
    if (child.pid !== undefined) setPriority(child.pid, NICENESS);
    this.#child = child;
    return child;
  }
}
