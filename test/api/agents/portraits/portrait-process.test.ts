import { readFileSync } from "node:fs";
import t from "tap";
import { PortraitProcess } from "../../../../api/agents/portraits/portrait-process.ts";
import { createLogger } from "../../../../shared/log.ts";
import { photographedFace } from "../../../helpers/face-of.ts";

t.setTimeout(120_000);
const astronaut = readFileSync(new URL("../../../fixtures/portraits/astronaut.png", import.meta.url));
const face = { bytes: astronaut, points: (await photographedFace()).points, style: null };
const logger = createLogger({ name: "test", level: "silent" });

/** Process ids of this process's children that run the portrait process. Linux only, as is the test run. */
function childPids(): number[] {
  const pids = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean)
    .map(Number);
  return pids.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("portrait-child"));
}

t.test(
  "tasks run in order in one process; a refusal is an error of the caller's, and the next task goes on",
  async (t) => {
    const portraits = new PortraitProcess({ logger });
    t.teardown(() => portraits.close());
    const shares: number[] = [];
    const bake = portraits.bake({ ...face, family: "essence-2", aspectRatio: "9:16", isTransparent: false }, (share) =>
      shares.push(share),
    );
    const refused = portraits.inspect({ bytes: Buffer.from("no picture"), check: "none" });
    const inspected = portraits.inspect({ bytes: astronaut, check: "classify" });
    await t.rejects(refused, { name: "ServiceError", code: "UNSUPPORTED_TYPE" });
    t.match(await inspected, { widthPx: 512, heightPx: 512, isPerson: true });
    const { imx } = await bake;
    t.equal(Buffer.from(imx.subarray(0, 3)).toString(), "IMX");
    t.same(
      shares,
      [...shares].sort((left, right) => left - right),
    );
    t.equal(childPids().length, 1);
  },
);

t.test("a process that dies fails its task, not as the caller's error, and is replaced", async (t) => {
  const portraits = new PortraitProcess({ logger, niceness: 5 });
  t.teardown(() => portraits.close());
  await portraits.inspect({ bytes: astronaut, check: "none" });
  const [pid] = childPids();
  const doomed = portraits.bake({ ...face, family: "essence-2", aspectRatio: "1:1", isTransparent: false }, () =>
    process.kill(pid, "SIGKILL"),
  );
  const next = portraits.inspect({ bytes: astronaut, check: "none" });
  const error = await doomed.then(
    () => null,
    (reason: Error) => reason,
  );
  t.match(error, { name: "Error", message: /SIGKILL/ });
  t.match(await next, { widthPx: 512 });
});

t.test("closing ends the process, rejects what waits, and may be repeated", async (t) => {
  const portraits = new PortraitProcess({ logger });
  const tasks = [1, 2].map(() => t.rejects(portraits.inspect({ bytes: astronaut, check: "none" }), /closed/));
  await portraits.close();
  await portraits.close();
  await Promise.all(tasks);
  await t.rejects(portraits.inspect({ bytes: astronaut, check: "none" }), /closed/);
  t.same(childPids(), []);
});
