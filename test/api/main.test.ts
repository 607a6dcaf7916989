// The api as a process: it starts, serves, ends on a signal, and explains why it cannot start.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { findFreePort } from "../../cli/start/processes/free-port.ts";
import { withLiveKitVersion } from "../helpers/livekit/with-livekit-version.ts";
import { withDatabase } from "../helpers/servers/with-database.ts";
import { testPrograms } from "../helpers/service/built-programs.ts";
import { openChanges } from "../helpers/service/change-events.ts";
import { waitFor } from "../helpers/wait-for.ts";

const SECRET = "an-operator-secret-for-this-test-alone";

interface Running {
  child: ChildProcess;
  output: () => string;
}

const { script, nodeFlags } = (await testPrograms()).api;

function startApi(environment: Record<string, string>): Running {
  const child = spawn(process.execPath, [...nodeFlags, script], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    output += chunk;
  });
  return { child, output: () => output };
}

t.test("the api accepts the operator's secret, and exits with code 0 on SIGTERM", async (t) => {
  await withDatabase(async ({ url }) => {
    const dataDir = await mkdtemp(join(tmpdir(), "open-avatar-service-main-"));
    const port = await findFreePort();
    const environment = {
      DATABASE_URL: url,
      LIVEKIT_URL: "ws://127.0.0.1:9",
      LIVEKIT_API_KEY: "key",
      LIVEKIT_API_SECRET: "secret-secret-secret-secret-secret-secret",
      AVATAR_DATA_DIR: dataDir,
      AVATAR_OPERATOR_SECRET: SECRET,
      PORT: String(port),
    };
    const { child, output } = startApi(environment);
    try {
      const base = `http://127.0.0.1:${port}`;
      const ready = await waitFor(
        () => fetch(`${base}/readyz`).catch(() => null),
        `readiness; so far: ${output()}`,
        30_000,
      );
      t.equal(ready.status, 200);
      t.match(await ready.json(), {
        status: "unhealthy",
        replica_scope: "process",
        window_seconds: 300,
        checks: { database: "ok", livekit: "away", workers: "away" },
      });
      const valid = await fetch(`${base}/v1/validate`, { method: "POST", headers: { "api-secret": SECRET } });
      t.same(await valid.json(), { valid: true });
      t.match(await (await fetch(`${base}/metrics`)).text(), /avatar_http_request_duration_seconds_count\{/);
      t.equal((await fetch(`${base}/metrics`, { headers: { "x-forwarded-for": "8.8.8.8" } })).status, 404);
      const long = await fetch(`${base}/readyz?x=${"y".repeat(20_000)}`);
      t.match(await long.json(), { status_code: 431 }, "a URL that is no request any more gets the envelope too");
      const second = startApi(environment);
      const [secondCode] = await once(second.child, "exit");
      t.equal(secondCode, 1);
      t.match(second.output(), /EADDRINUSE/, "a taken port is named");
      const signedIn = await fetch(`${base}/console/session`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: base },
        body: JSON.stringify({ secret: SECRET }),
      });
      const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
      const changes = await openChanges({ baseUrl: base }, { cookie });
      child.kill("SIGTERM");
      const [code] = await once(child, "exit");
      t.equal(code, 0, output());
      await changes.until('end {"reason":"service_closing"}');
      t.notMatch(output(), new RegExp(SECRET), "the secret is in no log line");
    } finally {
      child.kill("SIGKILL");
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

t.test(
  "with a LiveKit server that is too old, the api reports it and exits without migrating or serving",
  async (t) => {
    await withLiveKitVersion("1.9.11", async ({ url, apiKey, apiSecret }) => {
      const keys = { LIVEKIT_API_KEY: apiKey, LIVEKIT_API_SECRET: apiSecret };
      const { child, output } = startApi({
        ...keys,
        LIVEKIT_URL: url,
        DATABASE_URL: "postgres://nobody@127.0.0.1:9/none",
      });
      const [code] = await once(child, "exit");
      t.equal(code, 1);
      t.match(output(), /LIVEKIT_URL: the server is version 1\.9\.11, and 1\.9\.12 is needed/);
    });
  },
);

t.test("without a database or LiveKit server the api names what is missing", async (t) => {
  const { child, output } = startApi({ LIVEKIT_URL: "ws://127.0.0.1:9" });
  const [code] = await once(child, "exit");
  t.equal(code, 1);
  t.match(output(), /3 problem\(s\)[\s\S]*DATABASE_URL[\s\S]*LIVEKIT_API_KEY[\s\S]*LIVEKIT_API_SECRET/);
});
