import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import type { Program } from "../../cli/start/build/build-programs.ts";
import { forkModule } from "../helpers/processes/fork-module.ts";
import { withDatabase } from "../helpers/servers/with-database.ts";
import { testProgram, testPrograms } from "../helpers/service/built-programs.ts";
import { waitFor } from "../helpers/wait-for.ts";

t.setTimeout(120_000);

/** The small program, started. `does`: see there. */
function startSmall(t: Test, does = "") {
  const child = forkModule(new URL("../shared/small-program.ts", import.meta.url), [does], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { PATH: process.env.PATH, AVATAR_RELAY_DRAIN_SECONDS: "4" },
  });
  t.teardown(() => child.kill("SIGKILL"));
  const said: unknown[] = [];
  child.on("message", (message) => said.push(message));
  let log = "";
  let errors = "";
  child.stdout?.on("data", (chunk) => {
    log += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  const untilSaid = (message: string) => waitFor(() => said.includes(message), message, 60_000);
  const ended = once(child, "close").then(([status]) => ({ status, said, log, errors }));
  return { child, untilSaid, ended };
}

t.test("the first signal drains and closes, and the process ends with status 0", async (t) => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const { child, untilSaid, ended } = startSmall(t);
    await untilSaid("started");
    child.kill(signal);
    const { status, said, log } = await ended;
    t.same([status, ...said], [0, "started", "drain 4000", "close"], signal);
    t.match(log, `"reason":"${signal}","drainMs":4000,"msg":"stopping"`);
    t.match(log, '"msg":"stopped"');
  }
});

t.test("the second signal does not wait for a drain that does not end, and closes once", async (t) => {
  const { child, untilSaid, ended } = startSmall(t, "drains for ever");
  await untilSaid("started");
  child.kill("SIGTERM");
  await untilSaid("drain 4000");
  child.kill("SIGTERM");
  child.kill("SIGINT");
  const { status, said } = await ended;
  t.same([status, ...said], [0, "started", "drain 4000", "close"]);
});

t.test("a program ends itself with the status that it names", async (t) => {
  const { child, untilSaid, ended } = startSmall(t);
  await untilSaid("started");
  child.send("refused");
  const { status, log } = await ended;
  t.equal(status, 7);
  t.match(log, '"reason":"refused"');
});

t.test("a close that fails is logged, and the status is 1", async (t) => {
  const { child, untilSaid, ended } = startSmall(t, "cannot close");
  await untilSaid("started");
  child.kill("SIGTERM");
  const { status, log } = await ended;
  t.equal(status, 1);
  t.match(log, /"message":"stuck".*"msg":"not stopped cleanly"/);
});

t.test("after an uncaught exception it closes, or ends when the close takes too long", async (t) => {
  for (const does of ["throws", "throws and does not close"]) {
    const { status, said, log } = await startSmall(t, does).ended;
    t.same([status, ...said], [1, "started", "drain 4000", "close"], does);
    t.match(log, /"message":"rejected".*"msg":"unhandled rejection"/);
    t.match(log, /"message":"thrown".*"msg":"uncaught exception, the process ends"/);
  }
});

t.test("a start that fails is one line about settings, and otherwise a stack", async (t) => {
  const refused = await startSmall(t, "refuses").ended;
  t.same([refused.status, refused.errors], [1, "The environment has 1 problem(s):\n  SMALL: is wrong\n"]);
  const broken = await startSmall(t, "breaks").ended;
  t.equal(broken.status, 1);
  t.match(broken.errors, /broken at start\n +at /);
});

t.test("in every program a port that is taken is one plain line", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  t.teardown(() => taken.close());
  const port = String((taken.address() as AddressInfo).port);
  await withDatabase(async ({ url }) => {
    const environment = {
      PATH: process.env.PATH,
      AVATAR_DATA_DIR: t.testdir(),
      AVATAR_LOG_LEVEL: "silent",
      DATABASE_URL: url,
      LIVEKIT_URL: "ws://127.0.0.1:9",
      LIVEKIT_API_KEY: "none",
      LIVEKIT_API_SECRET: "none".repeat(8),
      PORT: port,
      AVATAR_API_URL: "http://127.0.0.1:9",
    };
    const errorsOf = async ({ script, nodeFlags }: Program, settings: Record<string, string>) => {
      const child = spawn(process.execPath, [...nodeFlags, script], {
        env: { ...environment, ...settings },
        stdio: ["ignore", "ignore", "pipe"],
      });
      t.teardown(() => child.kill("SIGKILL"));
      let errors = "";
      child.stderr.on("data", (chunk) => {
        errors += chunk;
      });
      const [status] = await once(child, "close");
      return { status, errors };
    };
    const free = { AVATAR_RELAY_PORT: "0", AVATAR_WORKER_PORT: "0", AVATAR_METRICS_PORT: port };
    const { api, relay, worker } = await testPrograms();
    const selfHosted = await testProgram("self-hosted-worker");
    for (const [name, program, settings] of [
      ["api", api, {}],
      ["relay", relay, { AVATAR_RELAY_PORT: port }],
      ["relay's metrics", relay, free],
      ["worker", worker, { AVATAR_WORKER_PORT: port }],
      ["worker's metrics", worker, free],
      ["worker's realtime sessions", worker, { ...free, AVATAR_REALTIME_PORT: port }],
      ["self-hosted worker", selfHosted, { AVATAR_WORKER_PORT: port }],
      ["self-hosted worker's metrics", selfHosted, free],
    ] as const) {
      const { status, errors } = await errorsOf(program, settings);
      t.equal(status, 1, name);
      t.match(errors, new RegExp(`^.*\\b${port}\\b.*\n$`), name);
    }
  });
});
