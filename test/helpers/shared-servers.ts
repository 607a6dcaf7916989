// The PostgreSQL and LiveKit servers that test files share. `npm test` starts them once and names them in the environment; a
// test file run alone starts or adopts them in a folder of this user's, and the last user to leave stops them.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import t from "tap";
import { startEmbeddedPostgres } from "../../cli/start/embedded-postgres.ts";
import { withFileLock } from "../../cli/start/file-lock.ts";
import { startLiveKitServer } from "../../cli/start/livekit-server.ts";
import { identifyProcess, isSameProcess } from "../../cli/start/process-identity.ts";

export interface LiveKitAccess {
  /** `ws://127.0.0.1:…` */
  url: string;
  apiKey: string;
  apiSecret: string;
}

interface RunningServer<T> {
  access: T;
  stop(): Promise<void>;
}

/** Where servers of test files that run alone live; one folder per user of the machine. */
const SHARED_FOLDER = join(tmpdir(), `open-avatar-service-tests-${userInfo().username}`);
/** The first start may compile livekit-server. */
const LOCK_TIMEOUT_MS = 25 * 60_000;

/** URL of a PostgreSQL whose user may create databases. Started at the first call, released when the test file ends. */
export const useSharedPostgres = shareServer("postgres", async (dataDir) => {
  const server = await startEmbeddedPostgres({ dataDir, settings: { fsync: "off", max_connections: "300" } });
  return { access: server.url, stop: server.stop };
});

/** Address and keys of a livekit-server. Started at the first call, released when the test file ends. */
export const useSharedLiveKit = shareServer<LiveKitAccess>("livekit", async (dataDir) => {
  const { url, apiKey, apiSecret, stop } = await startLiveKitServer({ dataDir });
  return { access: { url, apiKey, apiSecret }, stop };
});

function shareServer<T>(name: string, start: (dataDir: string) => Promise<RunningServer<T>>): () => Promise<T> {
  let access: Promise<T> | null = null;
  return () => {
    access ??= acquire(name, start);
    return access;
  };
}

/** Starts or adopts the server under a lock, and leaves a file that says that this process uses it. */
async function acquire<T>(name: string, start: (dataDir: string) => Promise<RunningServer<T>>): Promise<T> {
  const dataDir = join(SHARED_FOLDER, name);
  const usersDir = join(dataDir, "users");
  const lock = join(dataDir, "users.lock");
  const ownFile = join(usersDir, `${process.pid}.json`);
  await mkdir(usersDir, { recursive: true });
  const server = await withFileLock(lock, { timeoutMs: LOCK_TIMEOUT_MS }, async () => {
    const started = await start(dataDir);
    await writeFile(ownFile, JSON.stringify(await identifyProcess(process.pid)));
    return started;
  });
  t.teardown(() =>
    withFileLock(lock, { timeoutMs: LOCK_TIMEOUT_MS }, async () => {
      await rm(ownFile, { force: true });
      if ((await countUsers(usersDir)) === 0) await server.stop();
    }),
  );
  return server.access;
}

/** Processes that use the server; files of those that died are removed. */
async function countUsers(usersDir: string): Promise<number> {
  let count = 0;
  for (const file of await readdir(usersDir)) {
    const pid = Number(file.replace(".json", ""));
    if (await isSameProcess({ pid, startedAt: "" })) count += 1;
    else await rm(join(usersDir, file), { force: true });
  }
  return count;
}
