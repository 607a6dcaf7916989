// Real processes and their children.
import { spawn } from "node:child_process";
import { once } from "node:events";
import t from "tap";
import { readProcessTree } from "../../../../lab/bench/cpu-time.ts";
import { waitUntilAlone } from "../../../../lab/bench/service/wait-until-alone.ts";

t.test("a process is waited for until its children have ended", { skip: process.platform !== "linux" }, async (t) => {
  const parent = spawn("sh", ["-c", "sleep 60 & echo $!; wait; read line"]);
  try {
    const [childPid] = await once(parent.stdout.setEncoding("utf8"), "data");
    t.equal(await waitUntilAlone(parent.pid!, 0), false, "not at any price");
    let isAlone = false;
    const waiting = waitUntilAlone(parent.pid!).then((result) => {
      isAlone = result;
    });
    t.equal((await readProcessTree(parent.pid!)).length, 2);
    t.equal(isAlone, false);
    process.kill(Number(childPid));
    await waiting;
    t.equal(isAlone, true);
  } finally {
    parent.kill("SIGKILL");
  }
});
