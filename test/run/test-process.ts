// One process of the test run, as its parent sees it: takes one file at a time and says how its tests went.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { TestBundles } from "./bundle-tests.ts";
import { countTests, noTests, type TestCounts, type TestListener } from "./count-tests.ts";
import type { ChildReply, ParentMessage } from "./messages.ts";
import { FILE_TIMEOUT_S, TEST_TIMEOUT_S } from "./timeouts.ts";

/** What only a process that no longer reacts needs beyond the limit of a file. */
const KILL_AFTER_MS = (FILE_TIMEOUT_S + 15) * 1000;
/** What was left open keeps a process from ending. */
const END_MS = 30_000;

export interface FileResult {
  file: string;
  counts: TestCounts;
  durationS: number;
  /** CPU time, with that of the processes that the file started and ended. */
  cpuS: number;
}

type Listener = Pick<TestListener, "onFailure" | "onSkip">;

export class TestProcess {
  readonly #bundles: TestBundles;
  readonly #child: ChildProcess;
  readonly #listener: Listener;
  readonly #closed: Promise<unknown>;
  #current: { file: string; lastTitle: string; report(counts: TestCounts): void } | null = null;
  #isReady: Promise<unknown>;
  #hasDied = false;

  /** Starts the process; `environment` is added to our own. */
  constructor(bundles: TestBundles, environment: Record<string, string>, listener: Listener) {
    this.#bundles = bundles;
    this.#listener = listener;
    this.#child = fork(bundles.child, {
      execArgv: ["--enable-source-maps"],
      stdio: ["ignore", "pipe", "inherit", "ipc"],
      env: { ...process.env, ...environment, TAP_TIMEOUT: String(TEST_TIMEOUT_S) },
    });
    this.#child.stdout?.pipe(
      countTests({
        ...listener,
        onFile: (counts) => this.#finish(counts),
        onTest: (title) => {
          if (this.#current) this.#current.lastTitle = title;
        },
      }),
    );
    this.#closed = once(this.#child, "close");
    this.#isReady = this.#untilReply("ready");
    void this.#closed.then(() => this.#die());
  }

  /** Whether the process ended by itself, and takes no more files. */
  get hasDied(): boolean {
    return this.#hasDied;
  }

  /** Runs the tests of a file. Never throws: a process that dies is a failed test. */
  async run(file: string): Promise<FileResult> {
    const startedMs = performance.now();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), KILL_AFTER_MS);
    const counts = new Promise<TestCounts>((report) => {
      this.#current = { file, lastTitle: "", report };
    });
    if (this.#hasDied) this.#die();
    await this.#isReady;
    const finished = this.#untilReply("finished");
    this.#send({ type: "run", file, bundle: this.#bundles.bundleOf(file) });
    const result = { file, counts: await counts, durationS: (performance.now() - startedMs) / 1000 };
    const reply = await finished;
    clearTimeout(timer);
    return { ...result, cpuS: reply?.type === "finished" ? reply.cpuS : 0 };
  }

  /** Ends the process. False if it had to be killed: its files left something open. */
  async end(): Promise<boolean> {
    this.#send({ type: "end" });
    let hasHung = false;
    const timer = setTimeout(() => {
      hasHung = true;
      this.kill();
    }, END_MS);
    await this.#closed;
    clearTimeout(timer);
    return !hasHung;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Resolves with the reply; with undefined at the end of the process. */
  #untilReply(type: ChildReply["type"]): Promise<ChildReply | undefined> {
    return new Promise((resolve) => {
      const receive = (message: ChildReply) => {
        if (message.type !== type) return;
        this.#child.off("message", receive);
        resolve(message);
      };
      this.#child.on("message", receive);
      void this.#closed.then(() => resolve(undefined));
    });
  }

  #send(message: ParentMessage): void {
    // A process that has just died takes no message; its end is seen elsewhere.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  #finish(counts: TestCounts): void {
    this.#current?.report(counts);
    this.#current = null;
  }

  #die(): void {
    this.#hasDied = true;
    if (!this.#current) return;
    const { file, lastTitle } = this.#current;
    const { exitCode, signalCode } = this.#child;
    const path = lastTitle === "" ? [file] : [file, lastTitle];
    this.#listener.onFailure([...path, `the process ended (${signalCode ?? `status ${exitCode}`})`], {
      diag: {},
    } as Parameters<Listener["onFailure"]>[1]);
    this.#finish({ ...noTests(), failed: 1 });
  }
}
