// How a command ends that has something to tidy up: by Ctrl-C, by a closed terminal, and by a reader that goes away.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import { forkModule } from "../../helpers/processes/fork-module.ts";
import { waitFor } from "../../helpers/wait-for.ts";

interface Working {
  child: ChildProcess;
  isTidy(): Promise<boolean>;
  /** Exit status and signal, and what was written on standard error. */
  ended: Promise<[number | null, string | null, string]>;
}

async function start(t: Test): Promise<Working> {
  const path = join(t.testdir(), "half");
  const child = forkModule(new URL("../../helpers/processes/working-command.ts", import.meta.url), [path], {
    silent: true,
  });
  const isThere = () =>
    stat(path).then(
      () => true,
      () => false,
    );
  const closed = Promise.all([once(child, "exit"), text(child.stderr as NodeJS.ReadableStream)]);
  const ended = closed.then(([[code, signal], stderr]): [number | null, string | null, string] => [
    code,
    signal,
    stderr,
  ]);
  await waitFor(isThere, "the command works", 60_000);
  return { child, ended, isTidy: async () => !(await isThere()) };
}

const INTERRUPTED = "Interrupted. No files were left behind.\n";

t.test("Ctrl-C, a service manager and a closed terminal let it tidy up", async (t) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    const { child, ended, isTidy } = await start(t);
    child.kill(signal);
    t.same(await ended, [130, null, INTERRUPTED], signal);
    t.ok(await isTidy(), signal);
  }
});

t.test("the Ctrl-C that npm forwards a second time does not end it before it is tidy", async (t) => {
  const first = await start(t);
  first.child.kill("SIGINT");
  await delay(50);
  first.child.kill("SIGINT");
  t.same(await first.ended, [130, null, INTERRUPTED]);
  t.ok(await first.isTidy());
});

t.test("a reader that goes away lets it tidy up, without a message", async (t) => {
  const { child, ended, isTidy } = await start(t);
  child.stdout?.destroy();
  t.same(await ended, [0, null, ""]);
  t.ok(await isTidy());
});
