// The PostgreSQL and LiveKit servers that test files share: the first to need one starts it in a folder of this user's, others
// adopt it, and the last to leave stops it. `npm test` is itself such a user, so that they run from its start to its end.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../cli/start/embedded-postgres.ts";
import { withFileLock } from "../../cli/start/file-lock.ts";
import { startLiveKitServer } from "../../cli/start/livekit-server.ts";
import { isRunning } from "../../cli/start/process-identity.ts";

export interface LiveKitAccess {
  /** `ws://127.0.0.1:…` */
  url: string;
  apiKey: string;
  apiSecret: string;
  /** Name under which a test's avatar workers register: on the shared server they take only their own test's sessions. */
  dispatchName: string;
}

export interface SharedServer<T> {
  access: T;
  /** Stops the server unless another process uses it. */
  release(): Promise<void>;
}

/** Where the servers live; one folder per user of the machine. */
const SHARED_FOLDER = join(tmpdir(), `open-avatar-service-tests-v2-${userInfo().username}`);
/** The first start may compile livekit-server. */
const LOCK_TIMEOUT_MS = 25 * 60_000;

/** Starts or adopts a PostgreSQL; `access` is the URL of a user who may create databases. */
export function acquirePostgres(): Promise<SharedServer<string>> {
  return acquire("postgres", async (dataDir) => {
    const server = await startEmbeddedPostgres({ dataDir, settings: { fsync: "off", max_connections: "300" } });
    return { access: server.adminUrl, stop: () => server.stop() };
  });
}

/** Starts or adopts a livekit-server; the dispatch name is new with each call. `report` is told when it must be fetched first. */
export function acquireLiveKit(report?: (line: string) => void): Promise<SharedServer<LiveKitAccess>> {
  return acquire("livekit", async (dataDir) => {
    const { url, apiKey, apiSecret, stop } = await startLiveKitServer({ dataDir, report });
    return { access: { url, apiKey, apiSecret, dispatchName: `test-${randomUUID()}` }, stop };
  });
}

interface StartedServer<T> {
  access: T;
  stop(): Promise<void>;
}

/** Starts or adopts the server under a lock, and leaves a file that says that this process uses it. */
async function acquire<T>(
  name: string,
  start: (dataDir: string) => Promise<StartedServer<T>>,
): Promise<SharedServer<T>> {
  const dataDir = join(SHARED_FOLDER, name);
  const usersDir = join(dataDir, "users");
  const lock = join(dataDir, "users.lock");
  const ownFile = join(usersDir, `${process.pid}`);
  await mkdir(usersDir, { recursive: true });
  const server = await withFileLock(lock, { timeoutMs: LOCK_TIMEOUT_MS }, async () => {
    const started = await start(dataDir);
    await writeFile(ownFile, "");
    return started;
  });
  const release = () =>
    withFileLock(lock, { timeoutMs: LOCK_TIMEOUT_MS }, async () => {
      await rm(ownFile, { force: true });
      if ((await countUsers(usersDir)) === 0) await server.stop();
    });
  return { access: server.access, release };
}

/** Processes that use the server; files of those that died are removed. */
async function countUsers(usersDir: string): Promise<number> {
  let count = 0;
  for (const file of await readdir(usersDir)) {
    const pid = Number(file);
    if (await isRunning(pid)) count += 1;
    else await rm(join(usersDir, file), { force: true });
  }
  return count;
}
