// The embedded PostgreSQL: makes a cluster at first start, adopts one that an earlier start left running, starts it otherwise.
// The server is a daemon of its own: it outlives this process if that is killed, and the next start finds it.
import { createHash, randomBytes } from "node:crypto";
import { chown, mkdir, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import pg from "pg";
import { readEnvFile, writeEnvFile } from "./env-file.ts";
import { withFileLock } from "./file-lock.ts";
import { findFreePort } from "./free-port.ts";
import {
  canReach,
  copyPrograms,
  findPostgresOwner,
  makeReachableFolder,
  type PostgresOwner,
} from "./postgres-owner.ts";
import { findPostgresPrograms, readMajorVersion } from "./postgres-programs.ts";
import { runProgram } from "./run-program.ts";
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

const SUPERUSER = "postgres";
const DATABASE = "avatar";
/** An empty cluster takes 40 MB, its write-ahead log grows in files of 16. */
const LEAST_FREE_BYTES = 200 * 1024 * 1024;

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

interface Cluster {
  dataDir: string;
  clusterDir: string;
  logFile: string;
  nativeDir: string;
  owner: PostgresOwner;
}

async function startLocked(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, report = () => {} } = options;
  const cluster = await locateCluster(dataDir, report);
  const envFile = join(dataDir, "postgres.env");
  const remembered = (await readEnvFile(envFile)).DATABASE_URL;
  const password = remembered ? decodeURIComponent(new URL(remembered).password) : randomBytes(24).toString("hex");
  const rememberedPort = remembered ? Number(new URL(remembered).port) : undefined;
  const isNew = await checkCluster(cluster);
  if (isNew) await initializeCluster(cluster, password);
  else if (!remembered) {
    throw new StartError(
      `The database in ${cluster.clusterDir} exists, but its password in ${envFile} is gone.`,
      "Restore that file from a backup, or move the folder away to start with an empty database.",
    );
  }
  const urlAt = (port: number) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}`;
  const running = await readRunningPort(cluster);
  const isAdopted = running !== null && (await isServedFrom(urlAt(running), cluster.clusterDir));
  const port = isAdopted ? running : await startServer(cluster, rememberedPort, options.settings ?? {}, report);
  const url = urlAt(port);
  if (url !== remembered) {
    await writeEnvFile(envFile, "The embedded PostgreSQL. Written by `npm start`; the password was made once.", {
      DATABASE_URL: url,
    });
  }
  await ensureDatabase(url);
  return { url, port, isAdopted, stop: () => stopServer(cluster) };
}

/** Decides where data and programs lie. Outside the data folder only if root must hand them to a user who cannot reach it. */
async function locateCluster(dataDir: string, report: (line: string) => void): Promise<Cluster> {
  const locationFile = join(dataDir, "postgres-location.json");
  const recorded = await readFile(locationFile, "utf8").catch(() => null);
  const recordedDir = recorded ? (JSON.parse(recorded) as { folder: string }).folder : null;
  const clusterDir = join(recordedDir ?? dataDir, "postgres");
  const owner = await findPostgresOwner(clusterDir);
  const ownPrograms = await findPostgresPrograms();
  const at = (folder: string, nativeDir: string): Cluster => ({
    dataDir,
    clusterDir: join(folder, "postgres"),
    logFile: join(folder, "postgres", "server.log"),
    nativeDir,
    owner,
  });
  const canReachPrograms = await canReach(owner, join(ownPrograms, "bin"));
  if (recordedDir)
    return at(recordedDir, canReachPrograms ? ownPrograms : await copyPrograms(ownPrograms, recordedDir));
  if (canReachPrograms && (await canReach(owner, dataDir))) return at(dataDir, ownPrograms);
  const folder = await makeReachableFolder(owner, createHash("sha256").update(dataDir).digest("hex").slice(0, 12));
  const nativeDir = await copyPrograms(ownPrograms, folder);
  await writeFile(locationFile, `${JSON.stringify({ folder }, null, 2)}\n`);
  report(`PostgreSQL runs as ${owner.name}, who cannot reach ${dataDir}: its data and programs are in ${folder}`);
  return at(folder, nativeDir);
}

/** True if there is no cluster yet. Throws StartError if there is one that these programs cannot open. */
async function checkCluster(cluster: Cluster): Promise<boolean> {
  const version = await readFile(join(cluster.clusterDir, "PG_VERSION"), "utf8").catch(() => null);
  if (version === null) return true;
  const major = await readMajorVersion(cluster.nativeDir);
  if (Number(version.trim()) === major) return false;
  throw new StartError(
    `The database in ${cluster.clusterDir} was made by PostgreSQL ${version.trim()}, and this release brings ${major}.`,
    `Dump it with version ${version.trim()} (pg_dump) and load it into an empty one, or move the folder away to start empty.`,
  );
}

async function initializeCluster(cluster: Cluster, password: string): Promise<void> {
  const { dataDir, clusterDir, owner } = cluster;
  const disk = await statfs(dataDir);
  if (disk.bavail * disk.bsize < LEAST_FREE_BYTES) {
    throw new StartError(
      `The disk that holds ${dataDir} has ${Math.floor((disk.bavail * disk.bsize) / 1_000_000)} MB free; a new database needs 200.`,
      "Free some, or set AVATAR_DATA_DIR to a folder on another disk.",
    );
  }
  // What is there without PG_VERSION is an initdb that was cut short.
  await rm(clusterDir, { recursive: true, force: true });
  await mkdir(clusterDir, { mode: 0o700 });
  const passwordFile = `${clusterDir}.password`;
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  try {
    if (owner.uid !== undefined && owner.gid !== undefined) {
      await chown(clusterDir, owner.uid, owner.gid);
      await chown(passwordFile, owner.uid, owner.gid);
    }
    const { status, output } = await runAsOwner(cluster, "initdb", [
      ...["-D", clusterDir, "-U", SUPERUSER, "--auth=scram-sha-256", `--pwfile=${passwordFile}`],
      ...["--encoding=UTF8", "--locale=C", "--no-sync"],
    ]);
    if (status !== 0) throw toServerError(cluster, "could not make its data folder", output);
  } finally {
    await rm(passwordFile, { force: true });
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

function runAsOwner(cluster: Cluster, program: string, args: string[]) {
  return runProgram(join(cluster.nativeDir, "bin", program), args, {
    uid: cluster.owner.uid,
    gid: cluster.owner.gid,
    cwd: "/",
    env: { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" },
    timeoutMs: 90_000,
  });
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

/** Picks the line that tells the cause out of what the server or its tools said. */
function toServerError(cluster: Cluster, failure: string, output: string): StartError {
  if (/No space left on device/i.test(output)) {
    return new StartError(
      `There is no space left on the disk that holds ${cluster.clusterDir}.`,
      "Free some and start again; nothing is lost.",
    );
  }
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const telling = lines.filter((line) => /PANIC|FATAL|ERROR|could not|error:/.test(line));
  const cause = (telling.at(-1) ?? lines.at(-1) ?? "no reason given").replace(/^.*?(PANIC|FATAL|ERROR):\s*/, "").trim();
  return new StartError(
    `The embedded PostgreSQL ${failure}: ${cause}.`,
    `Its data is in ${cluster.clusterDir} (log: server.log). Restore that folder from a backup, or move it away to start empty.`,
  );
}
