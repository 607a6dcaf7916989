// The start command as an operator uses it: one command up, Ctrl-C down, everything kept, nothing left running.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { WebSocket } from "ws";
import { readEnvFile } from "../../cli/start/env-file.ts";
import { findFreePort } from "../../cli/start/processes/free-port.ts";
import { isRunning } from "../../cli/start/processes/process-identity.ts";
import { createProgress } from "../../cli/start/progress.ts";
import { Service } from "../../cli/start/service/service.ts";
import { describeStartError } from "../../cli/start/start-error.ts";
import { makeDataFolder } from "../helpers/files/data-folder.ts";
import { checkShape } from "../helpers/service/check-shape.ts";
import { waitFor } from "../helpers/wait-for.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const START_TIMEOUT_MS = 120_000;

interface Start {
  process: ChildProcess;
  output: () => string;
  errors: () => string;
  /** Exit status. */
  ended: Promise<number | null>;
}

function start(t: Test, environment: Record<string, string>, args: string[] = []): Start {
  const child = spawn(process.execPath, ["--import", "tsx", "cli/start.ts", ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, errors] = ["", ""];
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  const ended = once(child, "close").then(([status]) => status as number | null);
  t.teardown(async () => {
    if (child.exitCode === null) child.kill("SIGTERM");
    await ended;
  });
  return { process: child, output: () => output, errors: () => errors, ended };
}

async function runningPids(dataDir: string): Promise<number[]> {
  const read = (...path: string[]) => readFile(join(dataDir, ...path), "utf8").catch(() => "");
  const record = JSON.parse((await read("service.json")) || `{"children":[]}`) as { children: { pid: number }[] };
  const livekit = JSON.parse((await read("livekit.process.json")) || `{"pid":0}`) as { pid: number };
  const postgres = Number((await read("postgres", "postmaster.pid")).split("\n")[0]);
  return [...record.children.map(({ pid }) => pid), livekit.pid, postgres].filter((pid) => pid > 0);
}

/** Processes of a failed test must not outlive it. */
async function endAll(dataDir: string): Promise<void> {
  for (const pid of await runningPids(dataDir).catch(() => [])) {
    if (await isRunning(pid)) process.kill(pid, "SIGKILL");
  }
}

async function areAllGone(pids: number[]): Promise<boolean> {
  const running = await Promise.all(pids.map((pid) => isRunning(pid)));
  return !running.includes(true);
}

t.test("start, kill -9, start, Ctrl-C", async (t) => {
  const dataDir = await makeDataFolder(t);
  const port = await findFreePort();
  const environment = { AVATAR_DATA_DIR: dataDir, PORT: String(port), AVATAR_RELAY_PORT: "0" };
  t.teardown(() => endAll(dataDir));
  const first = start(t, environment, ["--json"]);
  await waitFor(() => first.output().includes("\n") || first.process.exitCode !== null, "links", START_TIMEOUT_MS);
  t.equal(first.process.exitCode, null, first.errors());

  await t.test("--json prints one line of links and no secret; the secret is in a private file", async (t) => {
    checkShape(["start", "--json"], { code: 0, stdout: first.output(), stderr: "" });
    const links = JSON.parse(first.output()) as Record<string, string>;
    t.match(links, { url: `http://127.0.0.1:${port}`, demo_agent: "demo" });
    const secret = (await readEnvFile(join(dataDir, "operator.env"))).AVATAR_OPERATOR_SECRET;
    t.notOk(`${first.output()}${first.errors()}`.includes(secret));
    t.equal((await stat(join(dataDir, "operator.env"))).mode & 0o777, 0o600);
    const headers = { "api-secret": secret };
    const validated = await fetch(`${links.url}/v1/validate`, { method: "POST", headers });
    t.same(await validated.json(), { valid: true });
    t.equal((await fetch(links.url)).status, 200, "there is a page to start at");
  });

  await t.test("its worker leaves port 8089 to `avatar worker`", async (t) => {
    const log = await readFile(join(dataDir, "logs", "worker.log"), "utf8");
    const workerPort = Number(/"port":(\d+).*worker listening/.exec(log)?.[1]);
    t.ok(workerPort > 0 && workerPort !== 8089, `port ${workerPort}`);
    t.equal((await fetch(`http://127.0.0.1:${workerPort}/ready`)).status, 200);
  });

  await t.test("a second start on the same data folder names the running process", async (t) => {
    const second = start(t, { ...environment, PORT: String(await findFreePort()) });
    t.equal(await second.ended, 1);
    t.match(second.errors(), new RegExp(`already runs on this data folder \\(process ${first.process.pid}`));
  });

  await t.test(
    "after kill -9 the next start adopts the servers and cleans up, and Ctrl-C ends everything",
    async (t) => {
      const before = await runningPids(dataDir);
      first.process.kill("SIGKILL");
      await first.ended;
      // Each attempt needs a connection of its own: those that were handed over go on.
      const statusOfCall = async () => {
        const call = new WebSocket(`ws://127.0.0.1:${port}/v1/realtime`);
        const refused = once(call, "unexpected-response").then(([, { statusCode }]) => statusCode as number);
        call.on("error", () => undefined);
        return refused.catch(() => 0);
      };
      await waitFor(async () => (await statusOfCall()) === 503, "the api to listen by itself, without calls");
      const again = start(t, environment);
      await waitFor(
        () => again.output().includes("Ready after") || again.process.exitCode !== null,
        "ready",
        START_TIMEOUT_MS,
      );
      t.equal(again.process.exitCode, null, again.errors());
      t.match(again.output(), /postgres +adopted/);
      t.match(again.output(), /livekit +adopted/);
      t.ok(await areAllGone(before.slice(0, 3)), "api, relay and worker of the killed start are gone");
      const after = await runningPids(dataDir);
      t.equal(after.length, 5, "api, relay, worker, LiveKit server, PostgreSQL");
      again.process.kill("SIGINT");
      t.equal(await again.ended, 0);
      t.ok(await areAllGone(after), "nothing is left running");
    },
  );
});

t.test("an unusable setting is named with a remedy and without a stack trace", async (t) => {
  const dataDir = await makeDataFolder(t);
  const squatter = createServer().listen(0, "127.0.0.1");
  await once(squatter, "listening");
  t.teardown(() => squatter.close());
  const { port } = squatter.address() as { port: number };
  const taken = start(t, { AVATAR_DATA_DIR: dataDir, PORT: String(port) });
  t.equal(await taken.ended, 1);
  t.match(
    taken.errors(),
    new RegExp(`Port ${port} on 127.0.0.1 is used by another program[\\s\\S]*PORT=${port + 1} npm start`),
  );

  const wrong = start(t, { AVATAR_DATA_DIR: dataDir, PORT: "many", AVATAR_TYPO: "1" });
  t.equal(await wrong.ended, 1);
  t.match(wrong.errors(), /2 problem[\s\S]*AVATAR_TYPO[\s\S]*PORT/);

  const told = start(t, { AVATAR_DATA_DIR: dataDir, PORT: "many" }, ["--json"]);
  const outcome = { code: await told.ended, stdout: told.output(), stderr: told.errors() };
  checkShape(["start", "--json"], outcome);
  const { error } = JSON.parse(outcome.stderr.trimEnd().split("\n").at(-1) ?? "");
  t.match([outcome.code, outcome.stdout, error], [1, "", { kind: "generic", command: "start", message: /PORT/ }]);

  const unusable: [Record<string, string>, RegExp][] = [
    [{ HOST: "192.0.2.7" }, /HOST, 192\.0\.2\.7[^\n]*\n.*127\.0\.0\.1/],
    [{ AVATAR_DATA_DIR: "/dev/null/data" }, /folder \/dev\/null\/data cannot be [^\n]*\n.*AVATAR_DATA_DIR/],
    [{ DATABASE_URL: "postgres://a:sesame@127.0.0.1:1/b" }, /DATABASE_URL names[^\n]*ECONNREFUSED[^\n]*\n.*URL/],
    [{ LIVEKIT_URL: "ws://127.0.0.1:1" }, /LIVEKIT_API_KEY[^\n]*\nSet all three/],
  ];
  const free = String(await findFreePort());
  for (const [setting, sentence] of unusable) {
    const environment = { PATH: process.env.PATH, AVATAR_DATA_DIR: dataDir, PORT: free, ...setting };
    const start = async () => new Service({ environment, progress: createProgress(null) }).start();
    const failure = await start().catch(describeStartError);
    t.match(failure, sentence);
    t.notMatch(failure, /^ +at |sesame/m);
  }
});

t.test("a reader that goes away stops what avatar start has begun", async (t) => {
  const dataDir = await makeDataFolder(t);
  t.teardown(() => endAll(dataDir));
  const child = spawn(process.execPath, ["cli/avatar.mjs", "start"], {
    cwd: ROOT,
    env: { ...process.env, AVATAR_DATA_DIR: dataDir, PORT: String(await findFreePort()), AVATAR_RELAY_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close");
  await once(child.stdout, "data");
  const pids = await runningPids(dataDir);
  t.ok(pids.length > 0, "a server runs");
  child.stdout.destroy();
  await ended;
  t.ok(await areAllGone([...pids, ...(await runningPids(dataDir))]), "nothing is left running");
});
