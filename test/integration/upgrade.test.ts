// An upgrade while the service runs: the new version starts beside the old one, on the same database, and takes over.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { RoomEvent, TrackKind } from "@livekit/rtc-node";
import { AccessToken } from "livekit-server-sdk";
import t from "tap";
import { MIGRATIONS } from "../../api/migrations/migrations.ts";
import { type Program, sourceProgram } from "../../cli/start/build/build-programs.ts";
import { findFreePort } from "../../cli/start/processes/free-port.ts";
import { FleetProcess } from "../../lab/bench/fleet/fleet-process.ts";
import { TcpBalancer } from "../../lab/bench/fleet/tcp-balancer.ts";
import { makeDataFolder } from "../helpers/files/data-folder.ts";
import { useLiveKit } from "../helpers/livekit/use-livekit.ts";
import { TestRoom } from "../helpers/rooms/test-room.ts";
import { withDatabase } from "../helpers/servers/with-database.ts";
import { testPrograms } from "../helpers/service/built-programs.ts";
import { makeEarlierVersion } from "../helpers/service/earlier-version.ts";
import { waitFor } from "../helpers/wait-for.ts";

const AVATAR = "upgraded-avatar";
const SECRET = "secret-of-the-operator-of-the-upgrade-test";
/** The old worker's sessions may go on for this time after its signal, s. */
const DRAIN_S = 1;
/** Largest part of a session that a viewer may miss when its worker is replaced, s. */
const LARGEST_GAP_S = 15;
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 30_000;

t.test("a session and all requests go on while the new version takes over from the old one", async (t) => {
  const livekit = await useLiveKit();
  const dataDir = await makeDataFolder(t);
  const { folder, commit } = await makeEarlierVersion(t);
  t.comment(commit ? `from ${commit}` : "from a copy of this version: the checkout has no history");
  await withDatabase(async ({ url, pool }) => {
    // The old version makes the tables that it knows.
    await pool.query("drop schema public cascade; create schema public");
    const ports = { old: await findFreePort(), new: await findFreePort() };
    const balancer = new TcpBalancer({ ports: [ports.old, ports.new], probePath: "/readyz" });
    const baseUrl = `http://127.0.0.1:${await balancer.start()}`;
    balancer.pin(0);
    const environment = (port: number) => ({
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATABASE_URL: url,
      LIVEKIT_URL: livekit.url,
      LIVEKIT_API_KEY: livekit.apiKey,
      LIVEKIT_API_SECRET: livekit.apiSecret,
      AVATAR_DISPATCH_NAME: livekit.dispatchName,
      PORT: String(port),
      PUBLIC_URL: baseUrl,
      AVATAR_API_URL: baseUrl,
      AVATAR_DATA_DIR: dataDir,
      AVATAR_OPERATOR_SECRET: SECRET,
      AVATAR_WORKER_PORT: "0",
      AVATAR_WORKER_DRAIN_SECONDS: String(DRAIN_S),
      AVATAR_ADMISSION: "fixed",
      AVATAR_VOICE: "formant",
      AVATAR_IDENTITY_CLIPS: "0",
      AVATAR_REBAKE: "0",
    });
    const start = async (name: string, { script, nodeFlags }: Program, port: number) => {
      const program = {
        name,
        file: process.execPath,
        args: [...nodeFlags, script],
        environment: environment(port),
        logFile: join(dataDir, `${name}.log`),
      };
      const isWorker = name.includes("worker");
      const isReady = async (): Promise<boolean> => {
        if (!isWorker) return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
        return (await readFile(program.logFile, "utf8")).includes("worker registered");
      };
      const started = await FleetProcess.start(program, isReady, START_TIMEOUT_MS);
      t.teardown(() => started.kill());
      return started;
    };
    const viewer = await watch(livekit.url, await mint(livekit, "viewer", "standard"));
    try {
      const oldApi = await start("old-api", sourceProgram(join(folder, "api/main.ts")), ports.old);
      const oldWorker = await start("old-worker", sourceProgram(join(folder, "agent-worker/main.ts")), ports.old);
      const call = callerOf(baseUrl);
      const image = await readFile(new URL("../fixtures/portraits/astronaut.png", import.meta.url), "base64");
      const launched = await call("POST", "/v1/runtime-tokens/request", {
        mode: "gpu",
        model: "expression-1",
        image,
        room_name: ROOM,
        livekit_url: livekit.url,
        livekit_token: await mint(livekit, AVATAR, "agent"),
      });
      t.equal(launched.status, 200, JSON.stringify(launched.body));
      const path = `/v1/runtime-sessions/${launched.body.session_id}`;
      await waitFor(viewer.isSeen, "the avatar of the old worker", 60_000);
      const liveMs = performance.now();
      const billedSeconds = async (): Promise<number> => (await call("GET", path)).body.billed_seconds;
      await waitFor(async () => (await billedSeconds()) > 0, "the first heartbeat");

      const load = startLoad(baseUrl, path);
      const programs = await testPrograms();
      await start("new-api", programs.api, ports.new);
      const { rowCount } = await pool.query("select 1 from schema_migrations");
      t.equal(rowCount, MIGRATIONS.length, "the new version has migrated the database");
      t.equal((await call("GET", path)).body.status, "live", "which the old one still reads");
      await start("new-worker", programs.worker, ports.new);
      // A fresh connection for each request, as the probe of a balancer has it: half of them are for either version.
      balancer.pin(undefined);
      await delay(1_000);
      balancer.pin(1);
      await oldApi.stop("SIGTERM", STOP_TIMEOUT_MS);
      const before = await billedSeconds();
      await waitFor(async () => (await billedSeconds()) > before, "heartbeats through the new api");
      t.equal(viewer.leaves(), 0, "the avatar was there all the time");

      const stoppedMs = performance.now();
      await oldWorker.stop("SIGTERM", STOP_TIMEOUT_MS);
      await waitFor(viewer.isSeen, "the avatar of the new worker", 60_000);
      const gapS = (performance.now() - stoppedMs) / 1000 - DRAIN_S;
      t.ok(gapS < LARGEST_GAP_S, `${gapS.toFixed(1)} s from the end of the old worker to the new avatar`);
      // A viewer may see the avatar before its report has arrived.
      await waitFor(async () => (await call("GET", path)).body.status === "live", "the session is live");
      const failures = await load.stop();
      t.same(failures, [], "no request failed");

      const ended = await call("POST", `${path}/end`);
      const elapsedS = (performance.now() - liveMs) / 1000;
      t.ok(ended.body.billed_seconds <= elapsedS + 1, "no second is billed twice");
      t.ok(ended.body.billed_seconds >= elapsedS - gapS - 3, "and none of those served is lost");
    } finally {
      await viewer.close();
      await balancer.close();
    }
  });
});

const ROOM = `upgrade-${crypto.randomUUID()}`;

type LiveKit = Awaited<ReturnType<typeof useLiveKit>>;

function mint({ apiKey, apiSecret }: LiveKit, identity: string, kind: "agent" | "standard"): Promise<string> {
  const token = new AccessToken(apiKey, apiSecret, { identity, ttl: 600 });
  token.addGrant({ roomJoin: true, room: ROOM });
  token.kind = kind;
  return token.toJwt();
}

function callerOf(baseUrl: string) {
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { "api-secret": SECRET, "content-type": "application/json", connection: "close" },
      body: body && JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely, and a wrong shape fails them anyway
    return { status: response.status, body: (await response.json()) as any };
  };
}

/** Reads the session and changes the account's data, over and over, until `stop` returns what failed. */
function startLoad(baseUrl: string, path: string): { stop(): Promise<string[]> } {
  const call = callerOf(baseUrl);
  const failures: string[] = [];
  let isStopping = false;
  const running = (async () => {
    for (let number = 0; !isStopping; number++) {
      const [method, target, body] =
        number % 2 === 0
          ? (["GET", path] as const)
          : (["POST", "/v1/runtime-tokens/request", { room_name: `load-${number}` }] as const);
      const status = await call(method, target, body).then(
        (answer) => answer.status,
        (error: Error) => `${error.message} ${(error.cause as Error | undefined)?.message ?? ""}`,
      );
      if (status !== 200) failures.push(`${method} ${target}: ${status}`);
      await delay(50);
    }
  })();
  return {
    async stop() {
      isStopping = true;
      await running;
      return failures;
    },
  };
}

async function watch(url: string, token: string) {
  const room = new TestRoom();
  const kinds = new Set<TrackKind | undefined>();
  let leaves = 0;
  room.on(RoomEvent.TrackSubscribed, (track, _publication, { identity }) => {
    if (identity === AVATAR) kinds.add(track.kind);
  });
  room.on(RoomEvent.ParticipantDisconnected, ({ identity }) => {
    if (identity !== AVATAR) return;
    leaves += 1;
    kinds.clear();
  });
  await room.connect(url, token);
  return {
    isSeen: () => kinds.has(TrackKind.KIND_VIDEO) && kinds.has(TrackKind.KIND_AUDIO),
    leaves: () => leaves,
    close: () => room.disconnect(),
  };
}
