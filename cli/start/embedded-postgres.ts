// The embedded PostgreSQL: makes a cluster at first start, adopts one that an earlier start left running, starts it otherwise.
// The server is a daemon of its own: it outlives this process if that is killed, and the next start finds it.
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import pg from "pg";
import { readEnvFile, writeEnvFile } from "./env-file.ts";
import { withFileLock } from "./file-lock.ts";
import { findFreePort } from "./free-port.ts";
import {
  type Cluster,
  checkCluster,
  initializeCluster,
  locateCluster,
  runAsOwner,
  SUPERUSER,
  toServerError,
} from "./postgres-cluster.ts";
import { StartError, toFolderError } from "./start-error.ts";

export interface EmbeddedPostgresOptions {
  /** Folder of the service's data: the cluster goes to `postgres/` in it, the connection string to `postgres.env`. */
  dataDir: string;
  /** Extra `-c name=value` settings of the server, for example `fsync=off` in tests. */
  settings?: Record<string, string>;
  /** Told what an operator should know: copying, changed ports. */
  report?: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** `postgres://…` of the service's own database, on loopback. */
  readonly url: string;
  readonly port: number;
  /** True if the server was already running. */
  readonly isAdopted: boolean;
  /** Stops the server; open transactions are rolled back. Idempotent. */
  stop(): Promise<void>;
}

const DATABASE = "avatar";
/** PostgreSQL's code for a wrong password. */
const INVALID_PASSWORD = "28P01";

/** Starts or adopts the server and writes `postgres.env` (mode 0600, `DATABASE_URL`). Throws StartError with a sentence on
 *  what to do: no disk, broken folder, another version's data, no suitable user. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  try {
    await mkdir(dataDir, { recursive: true });
    return await withFileLock(join(dataDir, "postgres.lock"), { timeoutMs: 60_000 }, () =>
      startLocked({ ...options, dataDir }),
    );
  } catch (error) {
    throw toFolderError(error, dataDir) ?? error;
  }
}

async function startLocked(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, report = () => {} } = options;
  const cluster = await locateCluster(dataDir, report);
  const envFile = join(dataDir, "postgres.env");
  const remembered = await readAddress(envFile);
  const password = remembered?.password ?? randomBytes(24).toString("hex");
  const urlAt = (port: number) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}`;
  const remember = (url: string) =>
    writeEnvFile(envFile, "The embedded PostgreSQL. Written by `npm start`; the password was made once.", {
      DATABASE_URL: url,
    });
  if (await checkCluster(cluster)) {
    // Written first: a start that is killed in between must not leave a database whose password nobody knows.
    if (!remembered) await remember(urlAt(await findFreePort()));
    await initializeCluster(cluster, password);
  } else if (!remembered) {
    throw new StartError(
      `The database in ${cluster.clusterDir} exists, but its password in ${envFile} is gone.`,
      "Restore that file from a backup, or move the folder away to start with an empty database.",
    );
  }
  const running = await readRunningPort(cluster);
  const isAdopted = running !== null && (await isServedFrom(urlAt(running), cluster.clusterDir));
  const port = isAdopted ? running : await startServer(cluster, remembered?.port, options.settings ?? {}, report);
  const url = urlAt(port);
  try {
    await ensureDatabase(url);
  } catch (error) {
    if (!isAdopted) await stopServer(cluster);
    if ((error as pg.DatabaseError).code === INVALID_PASSWORD) {
      throw new StartError(
        `The embedded PostgreSQL refuses the password in ${envFile}.`,
        `Restore that file from a backup, or move ${cluster.clusterDir} away to start with an empty database.`,
      );
    }
    throw toServerError(cluster, "runs, but cannot be used", String(error));
  }
  if (port !== remembered?.port) await remember(url);
  return { url, port, isAdopted, stop: () => stopServer(cluster) };
}

/** Password and port of the last start, or null when the file is absent or damaged. */
async function readAddress(envFile: string): Promise<{ password: string; port: number } | null> {
  try {
    const { password, port } = new URL((await readEnvFile(envFile)).DATABASE_URL);
    return password && Number(port) > 0 ? { password, port: Number(port) } : null;
  } catch {
    return null;
  }
}

/** Starts the server on the remembered port, or on another if that is taken. Returns the port. */
async function startServer(
  cluster: Cluster,
  rememberedPort: number | undefined,
  settings: Record<string, string>,
  report: (line: string) => void,
): Promise<number> {
  const port = await findFreePort(rememberedPort ? [rememberedPort] : []);
  if (rememberedPort && port !== rememberedPort) {
    report(`another program listens on ${rememberedPort}: PostgreSQL moves to port ${port}`);
  }
  const all = { listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: "200", ...settings };
  const flags = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
  // PostgreSQL refuses a folder that others may enter, and a copy or a `chmod -R` makes it one.
  await chmod(cluster.clusterDir, 0o700);
  const { status, output } = await runAsOwner(cluster, "pg_ctl", [
    ...["start", "-w", "-t", "60", "-D", cluster.clusterDir, "-l", cluster.logFile],
    ...["-o", `-p ${port} ${flags.join(" ")}`],
  ]);
  if (status === 0) return port;
  const log = await readFile(cluster.logFile, "utf8").catch(() => "");
  throw toServerError(cluster, "did not start", `${output}\n${log.slice(-8192)}`);
}

async function stopServer(cluster: Cluster): Promise<void> {
  const { status, output } = await runAsOwner(cluster, "pg_ctl", [
    ...["stop", "-w", "-t", "30", "-m", "fast", "-D", cluster.clusterDir],
  ]);
  // Status 1 with "no server running": somebody else stopped it, which is what was asked for.
  if (status !== 0 && !/no server running|PID file .* does not exist/i.test(output)) {
    throw toServerError(cluster, "did not stop", output);
  }
}

/** The port in `postmaster.pid` (its fourth line), or null when the server left none: stopped, or still starting. */
async function readRunningPort(cluster: Cluster): Promise<number | null> {
  const text = await readFile(join(cluster.clusterDir, "postmaster.pid"), "utf8").catch(() => "");
  const port = Number(text.split("\n")[3]);
  return Number.isInteger(port) && port > 0 ? port : null;
}

/** True if a server answers at this URL with our password, and its data is ours. */
async function isServedFrom(url: string, clusterDir: string): Promise<boolean> {
  try {
    return await withClient(url, SUPERUSER, async (client) => {
      const answer = await client.query<{ data_directory: string }>("show data_directory");
      return answer.rows[0].data_directory === clusterDir;
    });
  } catch {
    return false; // Nothing listens there, or somebody else does: either way there is nothing to adopt.
  }
}

async function ensureDatabase(url: string): Promise<void> {
  await withClient(url, SUPERUSER, async (client) => {
    const found = await client.query("select 1 from pg_database where datname = $1", [DATABASE]);
    if (found.rowCount === 0) await client.query(`create database ${DATABASE}`);
  });
}

async function withClient<T>(url: string, database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const address = new URL(url);
  address.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: address.href, connectionTimeoutMillis: 5000 });
  client.on("error", () => {}); // A connection lost while idle: the next query reports it.
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
