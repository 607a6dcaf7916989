// The folder of the embedded PostgreSQL's data, a "cluster" in its documentation: location, owner, version check and
// creation.
import { createHash } from "node:crypto";
import { chown, mkdir, readdir, readFile, rename, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../processes/run-command.ts";
import { StartError } from "../start-error.ts";
import {
  canReach,
  copyPrograms,
  findPostgresOwner,
  makeReachableFolder,
  type PostgresOwner,
} from "./postgres-owner.ts";
import { findPostgresPrograms, readMajorVersion } from "./postgres-programs.ts";

export interface Cluster {
  dataDir: string;
  clusterDir: string;
  logFile: string;
  nativeDir: string;
  owner: PostgresOwner;
}

/** Superuser of every cluster made here. */
export const SUPERUSER = "postgres";
/** An empty cluster takes 40 MB, its write-ahead log grows in files of 16. */
const LEAST_FREE_BYTES = 200 * 1024 * 1024;

/** Decides the location of data and programs: outside the data folder only if PostgreSQL must run as a user without
 *  access to it. */
export async function locateCluster(dataDir: string, report: (line: string) => void): Promise<Cluster> {
  const locationFile = join(dataDir, "postgres-location.json");
  const recorded = await readFile(locationFile, "utf8").catch(() => null);
  const recordedDir = recorded ? readFolder(recorded, locationFile) : null;
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

function readFolder(text: string, locationFile: string): string {
  try {
    return (JSON.parse(text) as { folder: string }).folder;
  } catch (error) {
    throw new StartError(
      `The file ${locationFile}, which records the location of the database, is damaged.`,
      "Restore it from a backup, or delete it. The location is then chosen again, as at the first start.",
      error,
    );
  }
}

/** True if there is no cluster yet. Throws StartError if these programs cannot open the existing one. */
export async function checkCluster(cluster: Cluster): Promise<boolean> {
  const version = await readFile(join(cluster.clusterDir, "PG_VERSION"), "utf8").catch(() => null);
  if (version === null) {
    const names = await readdir(cluster.clusterDir).catch(() => []);
    if (names.length === 0) return true;
    throw new StartError(
      `The folder ${cluster.clusterDir} is not empty, but contains no database that PostgreSQL can open: PG_VERSION is missing.`,
      "Restore that folder from a backup, or move it away to start with an empty database.",
    );
  }
  const major = await readMajorVersion(cluster.nativeDir);
  if (Number(version.trim()) === major) return false;
  throw new StartError(
    `The database in ${cluster.clusterDir} was made by PostgreSQL ${version.trim()}, but this release contains PostgreSQL ${major}.`,
    `Dump it with version ${version.trim()} (pg_dump) and load it into an empty one, or move the folder away to start empty.`,
  );
}

/** Creates an empty cluster with this superuser password. Throws StartError when the disk is full or initdb fails. */
export async function initializeCluster(cluster: Cluster, password: string): Promise<void> {
  const { dataDir, clusterDir, owner } = cluster;
  const disk = await statfs(dataDir);
  if (disk.bavail * disk.bsize < LEAST_FREE_BYTES) {
    throw new StartError(
      `The disk that holds ${dataDir} has ${Math.floor((disk.bavail * disk.bsize) / 1_000_000)} MB free; a new database needs 200.`,
      "Free some space, or set AVATAR_DATA_DIR to a folder on another disk.",
    );
  }
  // Created under a temporary name and renamed when complete: initdb may be interrupted.
  const newDir = `${clusterDir}.new`;
  const passwordFile = `${clusterDir}.password`;
  await rm(newDir, { recursive: true, force: true });
  try {
    await mkdir(newDir, { mode: 0o700 });
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (owner.uid !== undefined && owner.gid !== undefined) {
      await chown(newDir, owner.uid, owner.gid);
      await chown(passwordFile, owner.uid, owner.gid);
    }
    const { status, output } = await runAsOwner(cluster, "initdb", [
      "-D",
      newDir,
      "-U",
      SUPERUSER,
      "--auth=scram-sha-256",
      `--pwfile=${passwordFile}`,
      "--encoding=UTF8",
      "--locale=C",
      "--no-sync",
    ]);
    if (status !== 0) throw toServerError(cluster, "could not create its data folder", output);
    await rename(newDir, clusterDir);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(newDir, { recursive: true, force: true });
  }
}

/** Runs one of the PostgreSQL programs as the cluster's owner. Never throws. */
export function runAsOwner(cluster: Cluster, program: string, args: string[]) {
  return runCommand(join(cluster.nativeDir, "bin", program), args, {
    uid: cluster.owner.uid,
    gid: cluster.owner.gid,
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" },
    timeoutMs: 90_000,
  });
}

/** Builds the error from the output of the server or its tools, with the line that names the cause. */
export function toServerError(cluster: Cluster, failure: string, output: string): StartError {
  if (/No space left on device/i.test(output)) {
    return new StartError(
      `There is no space left on the disk that holds ${cluster.clusterDir}.`,
      "Free some space and start again. No data is lost.",
    );
  }
  if (/lock file "postmaster.pid" already exists/.test(output)) {
    return new StartError(
      `Another PostgreSQL server uses the database in ${cluster.clusterDir}, and it refuses our password.`,
      "End the process with the number in the first line of postmaster.pid in that folder. If the folder was copied from a running service, delete that file instead.",
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
