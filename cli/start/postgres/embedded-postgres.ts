// The embedded PostgreSQL: creates a cluster at the first start, adopts a server that is already running, starts it
// otherwise. The server is a daemon: it outlives this process if that is killed, and the next start adopts it.
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import pg from "pg";
import { readEnvFile, writeEnvFile } from "../env-file.ts";
import { withFileLock } from "../processes/file-lock.ts";
import { findFreePort } from "../processes/free-port.ts";
import { StartError, toFolderError } from "../start-error.ts";
import { ensureOwnership, ensureServiceRole, SERVICE_ROLE } from "./database-role.ts";
import {
  type Cluster,
  checkCluster,
  initializeCluster,
  locateCluster,
  runAsOwner,
  SUPERUSER,
  toServerError,
} from "./postgres-cluster.ts";

export interface EmbeddedPostgresOptions {
  /** Folder of the service's data: the cluster goes to `postgres/` in it, the connection string to `postgres.env`. */
  dataDir: string;
  /** Extra `-c name=value` settings of the server, for example `fsync=off` in tests. */
  settings?: Record<string, string>;
  /** Receives notes for the operator: copying, changed ports. */
  report?: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** `postgres://…` of the service's database on loopback, as its owner, which is no superuser. */
  readonly url: string;
  /** The same database as superuser. */
  readonly adminUrl: string;
  readonly port: number;
  /** True if the server was already running. */
  readonly isAdopted: boolean;
  /** Stops the server; open transactions are rolled back. Idempotent. */
  stop(): Promise<void>;
}

/** Key of `postgres.env`, beside DATABASE_URL: the database as superuser. */
const ADMIN_URL_KEY = "POSTGRES_ADMIN_URL";
/** PostgreSQL's code for a wrong password. */
const INVALID_PASSWORD = "28P01";

/** Starts or adopts the server and writes `postgres.env` (mode 0600, `DATABASE_URL`). Throws StartError with a remedy:
 *  disk full, broken folder, another version's data, no suitable user. */
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
  const password = remembered?.password ?? newPassword();
  const adminUrlAt = (port: number) => urlOf(SUPERUSER, password, port);
  const servicePassword = remembered?.servicePassword ?? newPassword();
  const urlAt = (port: number) => urlOf(SERVICE_ROLE, servicePassword, port);
  const remember = (port: number) =>
    writeEnvFile(envFile, "The embedded PostgreSQL. Written by `npm start`; the passwords were generated once.", {
      DATABASE_URL: urlAt(port),
      [ADMIN_URL_KEY]: adminUrlAt(port),
    });
  if (await checkCluster(cluster)) {
    // Written first: a start that is killed in between must not leave a database with a lost password.
    if (!remembered) await remember(await findFreePort());
    await initializeCluster(cluster, password);
  } else if (!remembered) {
    throw new StartError(
      `The database in ${cluster.clusterDir} exists, but its password in ${envFile} is missing.`,
      "Restore that file from a backup, or move the folder away to start with an empty database.",
    );
  }
  const running = await readRunningPort(cluster);
  const isAdopted = running !== null && (await isServedFrom(adminUrlAt(running), cluster.clusterDir));
  const port = isAdopted ? running : await startServer(cluster, remembered?.port, options.settings ?? {}, report);
  const [url, adminUrl] = [urlAt(port), adminUrlAt(port)];
  try {
    await ensureDatabase(adminUrl, remembered?.servicePassword ? null : servicePassword);
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
  if (port !== remembered?.port || !remembered.servicePassword) await remember(port);
  return { url, adminUrl, port, isAdopted, stop: () => stopServer(cluster) };
}

function newPassword(): string {
  return randomBytes(24).toString("hex");
}

function urlOf(user: string, password: string, port: number): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${SERVICE_ROLE}`;
}

interface RememberedAddress {
  port: number;
  /** The superuser's. */
  password: string;
  /** Null in a file of an earlier version: its api connected as superuser. */
  servicePassword: string | null;
}

/** Passwords and port of the last start, or null when the file is absent or damaged. */
async function readAddress(envFile: string): Promise<RememberedAddress | null> {
  const values = await readEnvFile(envFile);
  const service = parseUrl(values.DATABASE_URL);
  const admin = ADMIN_URL_KEY in values ? parseUrl(values[ADMIN_URL_KEY]) : service;
  if (admin?.username !== SUPERUSER || !admin.password || !(Number(admin.port) > 0)) return null;
  const isServiceRole = service?.username === SERVICE_ROLE && service.password !== "";
  return {
    port: Number(admin.port),
    password: admin.password,
    servicePassword: isServiceRole ? service.password : null,
  };
}

function parseUrl(text = ""): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
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
  // PostgreSQL refuses a folder that other users may enter, which copying or `chmod -R` can cause.
  await chmod(cluster.clusterDir, 0o700);
  const { status, output } = await runAsOwner(cluster, "pg_ctl", [
    "start",
    "-w",
    "-t",
    "60",
    "-D",
    cluster.clusterDir,
    "-l",
    cluster.logFile,
    "-o",
    `-p ${port} ${flags.join(" ")}`,
  ]);
  if (status === 0) return port;
  const log = await readFile(cluster.logFile, "utf8").catch(() => "");
  throw toServerError(cluster, "did not start", `${output}\n${log.slice(-8192)}`);
}

async function stopServer(cluster: Cluster): Promise<void> {
  const { status, output } = await runAsOwner(cluster, "pg_ctl", [
    "stop",
    "-w",
    "-t",
    "30",
    "-m",
    "fast",
    "-D",
    cluster.clusterDir,
  ]);
  // Status 1 with "no server running": it is stopped already.
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
    return false; // Nothing listens there, or another program: there is nothing to adopt.
  }
}

/** Creates the role and the database if they are missing. `newServicePassword` is null if the role already has the
 *  stored one. */
async function ensureDatabase(adminUrl: string, newServicePassword: string | null): Promise<void> {
  await withClient(adminUrl, SUPERUSER, async (client) => {
    if (newServicePassword !== null) await ensureServiceRole(client, newServicePassword);
    const found = await client.query("select 1 from pg_database where datname = $1", [SERVICE_ROLE]);
    if (found.rowCount === 0) await client.query(`create database ${SERVICE_ROLE} owner ${SERVICE_ROLE}`);
  });
  await withClient(adminUrl, SERVICE_ROLE, ensureOwnership);
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
