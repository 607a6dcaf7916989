import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import t from "tap";
import { moduleFlags } from "../../../program/child-process/module-flags.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const module = new URL("./limited-child.ts", import.meta.url);
const command = (limits: object) => [...moduleFlags(module), fileURLToPath(module), JSON.stringify(limits)];

t.test("a process that hangs, swells or writes too much ends itself and says why", async (t) => {
  const path = join(t.testdir(), "film");
  const limits: [object, RegExp][] = [
    [{ maxMs: 300 }, /it took longer than 0\.3 s\n$/],
    [{ maxMemoryBytes: 200_000_000 }, /it used more than 200 MB of memory\n$/],
    [{ file: { path, maxBytes: 2_000_000 }, maxMs: 60_000 }, /it wrote more than 2 MB\n$/],
  ];
  for (const [limit, stderr] of limits) {
    const ended = promisify(execFile)(process.execPath, command(limit));
    const { signal, stderr: said } = await ended.catch((error) => error);
    t.equal(signal, "SIGKILL");
    t.match(said, stderr);
  }
});

t.test("a process that hangs ends with its parent", async (t) => {
  const ready = join(t.testdir(), "ready");
  // The shell is the parent, and ends as soon as the process has its limits.
  const script = '"$0" "$@" > /dev/null 2>&1 & echo $!; until [ -e "$READY" ]; do sleep .02; done';
  const child = [...command({ endsWithParent: true, maxMs: 60_000 }), ready];
  const output = execFileSync("sh", ["-c", script, process.execPath, ...child], {
    env: { READY: ready, ...process.env },
  });
  await waitFor(() => !existsSync(`/proc/${output.toString().trim()}`), "its end");
  t.pass();
});
