// Children of the start command: restarted when they die, given up when they keep dying, ended with all they started.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t, { type Test } from "tap";
import { sourceProgram } from "../../../../cli/start/build/build-programs.ts";
import { isRunning } from "../../../../cli/start/processes/process-identity.ts";
import { ServiceProcess } from "../../../../cli/start/processes/service-process.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

interface Child {
  process: ServiceProcess;
  notes: string[];
  reasons: string[];
  pids: number[];
  readLog(): Promise<string>;
}

async function makeChild(t: Test, script: string, restartLimit: number, stopTimeoutMs = 2000): Promise<Child> {
  const folder = await makeDataFolder(t);
  const logFile = join(folder, "child.log");
  await writeFile(join(folder, "child.mts"), script);
  const [notes, reasons, pids]: [string[], string[], number[]] = [[], [], []];
  const child = new ServiceProcess({
    name: "worker",
    program: sourceProgram(join(folder, "child.mts")),
    environment: process.env,
    logFile,
    restartLimit,
    stopTimeoutMs,
    report: (line) => notes.push(line),
    onGivenUp: (reason) => reasons.push(reason),
    onStarted: (pid) => pids.push(pid),
  });
  t.teardown(() => child.stop());
  await child.start();
  child.markReady();
  return { process: child, notes, reasons, pids, readLog: () => readFile(logFile, "utf8") };
}

t.test(
  "a child that exits is restarted; after too many exits it is given up, and the error shows its last output",
  async (t) => {
    const child = await makeChild(t, `console.log("the disk is on fire"); process.exit(3);`, 1);
    await waitFor(() => child.reasons.length > 0, "it is given up");
    t.equal(child.pids.length, 2, "one start, one restart");
    t.match(child.notes, ["the worker ended (status 3): starting it again in 0.5 s"]);
    t.match(child.reasons, [/ended 2 times \(status 3\)[\s\S]*the disk is on fire/]);
  },
);

t.test("a child has more threads for name look-ups than Node's default", async (t) => {
  const child = await makeChild(
    t,
    `console.log("threads", process.env.UV_THREADPOOL_SIZE); setInterval(() => {}, 60_000);`,
    1,
  );
  await waitFor(async () => /^threads 16$/m.test(await child.readLog()), "its environment");
});

t.test("a child that exits before it is ready is not restarted", async (t) => {
  const folder = await makeDataFolder(t);
  await writeFile(join(folder, "child.mts"), `throw new Error("no such database");`);
  const reasons: string[] = [];
  const child = new ServiceProcess({
    name: "api",
    program: sourceProgram(join(folder, "child.mts")),
    environment: process.env,
    logFile: join(folder, "child.log"),
    restartLimit: 5,
    stopTimeoutMs: 1000,
    report: (line) => t.fail(line),
    onGivenUp: (reason) => reasons.push(reason),
  });
  t.teardown(() => child.stop());
  await child.start();
  await waitFor(() => reasons.length > 0, "it is given up");
  t.match(reasons, [/ended while starting \(status 1\)[\s\S]*no such database/]);
});

t.test("stopping waits until the child has finished", async (t) => {
  const child = await makeChild(
    t,
    `process.on("SIGTERM", () => { console.log("goodbye"); process.exit(); }); setInterval(() => {}, 1000); console.log("up");`,
    3,
  );
  await waitFor(async () => (await child.readLog()).includes("up"), "it is up");
  await child.process.stop();
  await child.process.stop();
  t.match(await child.readLog(), "goodbye");
  t.same([child.notes, child.process.pid], [[], null], "a requested stop is not reported as a crash");
});

t.test("a child that ignores SIGTERM is killed together with its own children", async (t) => {
  const child = await makeChild(
    t,
    `import { spawn } from "node:child_process";
     process.on("SIGTERM", () => {});
     const inner = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"]);
     console.log("inner", inner.pid);
     setInterval(() => {}, 1000);`,
    3,
    300,
  );
  const inner = await waitFor(
    async () => Number(/inner (\d+)/.exec(await child.readLog())?.[1]) || null,
    "it has a child",
  );
  await child.process.stop();
  await waitFor(async () => !(await isRunning(inner)), "the inner process is gone");
  t.pass();
});

t.test("a child that is stopped while it starts never runs", async (t) => {
  const folder = await makeDataFolder(t);
  const child = new ServiceProcess({
    name: "api",
    program: sourceProgram(join(folder, "child.mts")),
    environment: process.env,
    logFile: join(folder, "child.log"),
    restartLimit: 5,
    stopTimeoutMs: 1000,
    report: (line) => t.fail(line),
    onGivenUp: (reason) => t.fail(reason),
    onStarted: () => t.fail("it runs"),
  });
  const starting = child.start();
  await child.stop();
  await starting;
  t.equal(child.pid, null);
});
