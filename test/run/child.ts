// A process of the test run: imports the test files that its parent names, one after the other, and writes TAP. Modules
// that many files share are loaded once. Each file becomes its own block, as if a runner had started it.
import { pathToFileURL } from "node:url";
import t, { type Test } from "tap";
import { cpuSeconds } from "./cpu-seconds.ts";
import type { ChildReply, ParentMessage } from "./messages.ts";
import { FILE_TIMEOUT_S, TEST_TIMEOUT_S } from "./timeouts.ts";

/** Less than a process is given to end, and more than rtc-node is. */
const STILL_OPEN_MS = 15_000;
/** What the process had used before a file. Loading this program belongs to the first file. */
let usedS = 0;
let file: { block: Test; tests: Promise<unknown>[] } | null = null;

const root = { test: t.test.bind(t) };
// The root lives as long as the process, and `TAP_TIMEOUT` is meant for one test.
t.setTimeout(0);
Object.assign(t, {
  /** The limit of a file applies to that file, not to the process. */
  setTimeout(ms: number) {
    file?.block.setTimeout(ms);
  },
  // The root's own folder has the same name in every process, so files that run at the same time would delete each
  // other's content.
  testdir(...details: Parameters<typeof t.testdir>) {
    if (!file) throw new Error("a folder was made after the end of its file");
    return file.block.testdir(...details);
  },
  test(...details: Parameters<typeof t.test>) {
    if (!file) throw new Error("a test was added after the end of its file");
    const test = file.block.test(...withTimeout(details));
    file.tests.push(test);
    return test;
  },
});

/** The arguments of `t.test` with the time limit of a test, unless they name a longer one. By itself a test would get
 *  that of its file. */
function withTimeout(details: Parameters<typeof t.test>): Parameters<typeof t.test> {
  const timeout = TEST_TIMEOUT_S * 1000;
  const [name, ...rest] = details as unknown[];
  const options = typeof rest[0] === "object" ? (rest.shift() as { timeout?: number }) : {};
  const limited = { ...options, timeout: Math.max(timeout, options.timeout ?? 0) };
  return [name, limited, ...rest] as unknown as Parameters<typeof t.test>;
}

/** The parent's messages in order; undefined when the parent has ended. */
async function* messages(): AsyncGenerator<ParentMessage> {
  const received: (ParentMessage | undefined)[] = [];
  let wake = () => {};
  const take = (message?: ParentMessage) => {
    received.push(message);
    wake();
  };
  process.on("message", (message: ParentMessage) => take(message));
  process.on("disconnect", () => take());
  for (;;) {
    if (received.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    const message = received.shift();
    if (!message) return;
    yield message;
  }
}

const reply = (message: ChildReply) => {
  if (process.connected) process.send?.(message);
};

await root.test("files", async (run) => {
  run.setTimeout(0);
  // Without this, tap lets the process end although its parent may still send messages.
  process.channel?.ref();
  reply({ type: "ready" });
  for await (const message of messages()) {
    if (message.type === "end") break;
    await run.test(message.file, { timeout: FILE_TIMEOUT_S * 1000 }, async (block) => {
      file = { block, tests: [] };
      await import(pathToFileURL(message.bundle).href);
      await Promise.all(file.tests);
    });
    file = null;
    // A TAP reader considers a result complete when a line follows that is neither blank nor a comment. This line has
    // no other purpose. It must come behind the result, which tap may still hold back: written past tap, it could
    // overtake it, and the parent would wait for another line.
    run.pragma({ strict: false });
    const nowS = cpuSeconds();
    reply({ type: "finished", cpuS: nowS - usedS });
    usedS = nowS;
  }
});
if (process.connected) process.disconnect();
// If something keeps the process from ending, its parent ends it a little later.
setTimeout(() => {
  process.stderr.write(`still open: ${process.getActiveResourcesInfo().join(", ")}\n`);
}, STILL_OPEN_MS).unref();
// Nothing is left to do. A normal end would also take apart what native modules hold, and WebRTC's crashes there.
process.once("beforeExit", () => process.exit());
