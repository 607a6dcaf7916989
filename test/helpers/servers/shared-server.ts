// Servers that test files share. The first process that needs one starts it in a folder of this user, others adopt it,
// and the last one stops it. A test run is one of them, too; it passes the address to its children in an environment
// variable.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { withFileLock } from "../../../cli/start/processes/file-lock.ts";
import { isRunning } from "../../../cli/start/processes/process-identity.ts";

export interface SharedServer<T> {
  access: T;
  /** Stops the server unless another process uses it. */
  release(): Promise<void>;
}

export interface StartedServer<T> {
  access: T;
  stop(): Promise<void>;
}

/** Where the servers live; one folder per user of the machine. */
const SHARED_FOLDER = join(tmpdir(), `open-avatar-service-tests-v2-${userInfo().username}`);
/** The first start may compile livekit-server. */
const LOCK_TIMEOUT_MS = 25 * 60_000;

/** Starts or adopts the server under a lock, and writes a file that marks this process as a user. In a test run, the
 *  address comes from the environment. */
export async function acquireServer<T>(
  name: string,
  start: (dataDir: string) => Promise<StartedServer<T>>,
): Promise<SharedServer<T>> {
  const given = process.env[variableOf(name)];
  if (given) return { access: JSON.parse(given), release: async () => {} };
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

/** The environment in which children find a server that this process holds. */
export function environmentFor<T>(name: string, { access }: SharedServer<T>): Record<string, string> {
  return { [variableOf(name)]: JSON.stringify(access) };
}

function variableOf(name: string): string {
  return `TEST_SERVER_${name.toUpperCase()}`;
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
