import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import { FairQueue } from "../../../program/child-process/fair-queue.ts";
import { TaskPool, type TaskPoolOptions } from "../../../program/child-process/task-pool.ts";
import { childPids } from "../../helpers/processes/child-pids.ts";
import { waitFor } from "../../helpers/wait-for.ts";

t.setTimeout(120_000);
const module = new URL("./sample-child.ts", import.meta.url);
const timeoutMs = 60_000;
const isBusy = { name: "TaskError", message: /too many tasks/ };
const isClosed = { name: "TaskError", message: /was closed/ };

interface Answer {
  task: string;
  pid: number;
  folder: string;
}

function openPool(t: Test, options: Partial<TaskPoolOptions> = {}): TaskPool<string, Answer> {
  const pool = new TaskPool<string, Answer>({ module, ...options });
  t.teardown(() => pool.close());
  return pool;
}

/** Resolves once a killed process is gone, or waits to be collected by the parent that it had last. */
async function untilGone(pid: number): Promise<void> {
  const isAlive = () => existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  while (isAlive()) await delay(20);
}

t.test("owners take turns, and the queue is bounded per owner and in total", async (t) => {
  const queue = new FairQueue<string>({ maxEntries: 5, maxEntriesPerOwner: 3 });
  t.same(
    ["a1", "a2", "a3", "a4", "b1", "c1", "d1"].map((entry) => queue.add(entry[0], entry)),
    [true, true, true, false, true, true, false],
  );
  t.equal(queue.remove("a", "a2"), true);
  t.equal(queue.remove("a", "a2"), false);
  t.same(
    Array.from({ length: 5 }, () => queue.take()),
    ["a1", "b1", "c1", "a3", undefined],
  );
  t.equal(queue.size, 0);
});

t.test("tasks run in one process; refusals and failures are distinguished, and the next task runs", async (t) => {
  process.env.TOP_SECRET = "hidden";
  t.teardown(() => delete process.env.TOP_SECRET);
  const pool = openPool(t);
  const [first, refused, failed, environment, last] = await Promise.allSettled(
    ["one", "refuse", "fail", "environment", "two"].map((task) => pool.run(task, { timeoutMs })),
  );
  t.match(refused, { reason: { name: "EngineError", code: "unsupported-media", message: "not this one" } });
  t.match(failed, { reason: { name: "TaskError", reason: "failed", message: /TypeError: a mistake of ours/ } });
  t.match(environment, { status: "fulfilled", value: { PATH: String, HOME: /avatar-task-/, TOP_SECRET: undefined } });
  t.match(first, { status: "fulfilled", value: { task: "one" } });
  t.equal((last as PromiseFulfilledResult<Answer>).value.pid, (first as PromiseFulfilledResult<Answer>).value.pid);
});

t.test(
  "a task over its time or memory limit is killed with its child processes and files, and the process is replaced",
  async (t) => {
    const pool = openPool(t);
    const { folder, pid } = await pool.run("one", { timeoutMs });
    const started: number[] = [];
    const hanging = pool.run("hang", { timeoutMs: 1000, onProgress: (id) => started.push(id) });
    const next = pool.run("two", { timeoutMs });
    await t.rejects(hanging, { name: "TaskError", message: /within 1000 ms/ });
    t.equal(started[1], pid);
    for (const id of started) await untilGone(id);
    t.not((await next).pid, pid);
    await t.rejects(pool.run("grow", { timeoutMs }), { name: "TaskError", message: /SIGKILL/ });
    await pool.close();
    t.notOk(existsSync(folder), "its temporary files are gone");
  },
);

t.test(
  "an aborted task is removed; a task that waits too long or exceeds the queue is rejected with a reason",
  async (t) => {
    const pool = openPool(t, { maxWaiting: 3, maxWaitingPerOwner: 1 });
    const running = pool.run("one", { timeoutMs, owner: "ann" });
    const leaving = new AbortController();
    const left = pool.run("two", { timeoutMs, owner: "ann", signal: leaving.signal });
    const late = pool.run("three", { timeoutMs, owner: "ben", maxWaitMs: 1 });
    const patient = pool.run("four", { timeoutMs, owner: "cid" });
    await t.rejects(pool.run("five", { timeoutMs, owner: "cid" }), isBusy, "more than the owner's share");
    await t.rejects(pool.run("six", { timeoutMs, owner: "dan" }), isBusy, "more than all may wait");
    leaving.abort(new Error("left"));
    await Promise.all([t.rejects(left, /left/), t.rejects(late, { name: "TaskError", message: /within 1 ms/ })]);
    t.match([await running, await patient], [{ task: "one" }, { task: "four" }]);
    await t.rejects(pool.run("seven", { timeoutMs, signal: AbortSignal.abort(new Error("gone")) }), /gone/);
  },
);

t.test("a running task is told to stop, and its process takes the next one", async (t) => {
  const pool = openPool(t);
  const { pid } = await pool.run("one", { timeoutMs });
  const leaving = new AbortController();
  const onProgress = () => leaving.abort(new Error("no longer wanted"));
  const running = pool.run("await its end", { timeoutMs, signal: leaving.signal, onProgress });
  const next = pool.run("two", { timeoutMs });
  await t.rejects(running, /no longer wanted/);
  t.match(await next, { task: "two", pid });
});

t.test("an idle process ends, also one that was started ahead and got no task", async (t) => {
  const pool = openPool(t, { idleMs: 100 });
  pool.warmUp();
  const [ahead] = childPids("sample-child");
  t.ok(ahead);
  await untilGone(ahead);
  const { pid } = await pool.run("one", { timeoutMs });
  t.not(pid, ahead);
  await untilGone(pid);
});

t.test("a further process starts when a task waits, takes it once it has loaded, and keeps its owner", async (t) => {
  const pool = openPool(t, { processes: 2, growAfterMs: 1 });
  const path = join(t.testdir(), "go");
  const long = pool.run(`until ${path}`, { timeoutMs, owner: "ann" });
  const second = await pool.run("one", { timeoutMs, owner: "ben" });
  writeFileSync(path, "");
  const { pid } = await long;
  t.not(second.pid, pid);
  for (const [owner, expected] of [
    ["ben", second.pid],
    ["ann", pid],
    ["ben", second.pid],
  ] as const) {
    t.equal((await pool.run("two", { timeoutMs, owner })).pid, expected);
  }
  t.equal(childPids("sample-child").length, 2);
});

t.test("a further process that cannot be started is logged once, and the task waits for another one", async (t) => {
  const warnings: object[] = [];
  const log = { warn: (fields: object, message: string) => warnings.push({ ...fields, message }) };
  const pool = openPool(t, { processes: 2, growAfterMs: 5, log });
  const path = join(t.testdir(), "go");
  const { TMPDIR } = process.env;
  t.teardown(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  const first = pool.run(`until ${path}`, { timeoutMs });
  // As on a full disk: the folder of a child cannot be made.
  process.env.TMPDIR = "/dev/full";
  const second = pool.run("one", { timeoutMs });
  await waitFor(() => warnings.length > 0, "a warning");
  t.match(warnings, [{ message: "no further task process can be started", err: { code: "ENOTDIR" } }]);
  writeFileSync(path, "");
  t.equal((await second).pid, (await first).pid);
});

t.test("an exception that nothing caught in a task process is in the parent's log", async (t) => {
  const warnings: object[] = [];
  const pool = openPool(t, { log: { warn: (fields) => warnings.push(fields) } });
  await t.rejects(pool.run("throw later", { timeoutMs }), { name: "TaskError", reason: "lost" });
  t.match(warnings[0], { reason: /TypeError: a mistake in a timer\n.*sample-child/ });
  t.match(await pool.run("one", { timeoutMs }), { task: "one" });
});

t.test("a closed pool rejects waiting tasks and starts no new ones", async (t) => {
  const pool = openPool(t);
  const tasks = ["one", "two"].map((task) => t.rejects(pool.run(task, { timeoutMs }), isClosed));
  await pool.close();
  await pool.close();
  await Promise.all(tasks);
  await t.rejects(pool.run("three", { timeoutMs }), isClosed);
});
