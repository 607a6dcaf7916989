// Errors that nothing has caught, planted in the real programs: none ends one without a line in its log.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync } from "node:fs";
import t, { type Test } from "tap";
import { PROGRAMS, type Program } from "../../cli/start/build/build-programs.ts";
import { findFreePort } from "../../cli/start/processes/free-port.ts";
import { withDatabase } from "../helpers/servers/with-database.ts";
import { testPrograms } from "../helpers/service/built-programs.ts";
import { waitFor } from "../helpers/wait-for.ts";

/** Runs in each program before its own code: a signal plants an error, as a timer or a library would. */
const PLANTER = `
const plant = () => {
  // A process that still loads would end without its own code.
  if (process.listenerCount("uncaughtException") === 0) return setTimeout(plant, 20);
  throw new Error("planted exception");
};
process.on("SIGUSR2", () => setTimeout(plant, 1));
process.on("SIGURG", () => void Promise.reject(new Error("planted rejection")));`;
const ENVIRONMENT = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(PLANTER).toString("base64")}`,
  LIVEKIT_URL: "ws://127.0.0.1:9",
  LIVEKIT_API_KEY: "none",
  LIVEKIT_API_SECRET: "none".repeat(8),
  AVATAR_API_URL: "http://127.0.0.1:9",
  AVATAR_WORKER_PORT: "0",
  AVATAR_REALTIME_SESSIONS: "0",
  AVATAR_LOG_LEVEL: "info",
  AVATAR_IDENTITY_CLIPS: "0",
};
const programs = await testPrograms();

t.setTimeout(180_000);

function start(t: Test, { script, nodeFlags }: Program, environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [...nodeFlags, script], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...ENVIRONMENT, AVATAR_DATA_DIR: t.testdir(), ...environment },
  });
  t.teardown(() => child.kill("SIGKILL"));
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (log += chunk));
  const untilLogged = (text: string) =>
    waitFor(() => log.includes(text), text, 60_000).catch((error) => {
      throw new Error(`${error.message}; it said:\n${log}`);
    });
  return { child, untilLogged };
}

/** A session process that takes SIGUSR2. */
function sessionOf({ pid }: ChildProcess): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  const session = children.find((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("session"));
  const taken = /^SigCgt:\s*([0-9a-f]+)$/m.exec(session ? readFileSync(`/proc/${session}/status`, "utf8") : "")?.[1];
  return taken && (BigInt(`0x${taken}`) >> 11n) & 1n ? Number(session) : undefined;
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

t.test("a relay and a worker log both and go on, and a session process that ends is replaced", async (t) => {
  for (const [name, ready] of [
    ["relay", "relay listening"],
    ["worker", "worker listening on loopback"],
  ] as const) {
    const { child, untilLogged } = start(t, programs[name], { AVATAR_RELAY_PORT: String(await findFreePort()) });
    await untilLogged(ready);
    child.kill("SIGURG");
    await untilLogged("planted rejection");
    child.kill("SIGUSR2");
    await untilLogged("planted exception");
    t.ok(isRunning(child), name);
    if (name === "worker") {
      const session = await waitFor(() => sessionOf(child), "a session process");
      process.kill(session, "SIGUSR2");
      await untilLogged("uncaught exception, the process ends");
      await untilLogged("waiting session process died");
    }
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});

t.test("an api logs both, and ends in order after an exception", async (t) => {
  await withDatabase(async ({ url }) => {
    const { child, untilLogged } = start(t, programs.api, { DATABASE_URL: url, PORT: String(await findFreePort()) });
    await untilLogged("api serves");
    child.kill("SIGURG");
    await untilLogged("planted rejection");
    t.ok(isRunning(child));
    const exit = once(child, "exit");
    child.kill("SIGUSR2");
    await untilLogged("planted exception");
    await untilLogged("stopped");
    t.equal((await exit)[0], 1);
  });
});

t.test("a full disk of the log ends no program and holds none up", async (t) => {
  const port = await findFreePort();
  const child = spawn(process.execPath, [...programs.relay.nodeFlags, programs.relay.script], {
    stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
    env: { ...ENVIRONMENT, AVATAR_DATA_DIR: t.testdir(), AVATAR_RELAY_PORT: String(port) },
  });
  t.teardown(() => child.kill("SIGKILL"));
  let errors = "";
  child.stderr?.on("data", (chunk) => (errors += chunk));
  const hasStarted = () => fetch(`http://127.0.0.1:${port}/metrics`).catch(() => null);
  await waitFor(async () => !isRunning(child) || (await hasStarted()), "it listens, and has logged that");
  t.ok(isRunning(child), errors);
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  t.equal((await exit)[0], 0, "it ends when it is told to");
  t.equal(errors, "");
});

t.test("every program handles them", async (t) => {
  for (const path of [...Object.values(PROGRAMS), "cli/commands/start/run-start.ts"]) {
    // Messages of media processes reach their parent through standard error.
    const isHandled =
      path.startsWith("src/signal/media/") ||
      /\b(runProgram|logUncaught|serveTasks)[(<]/.test(readFileSync(path, "utf8"));
    t.ok(isHandled, path);
  }
});
