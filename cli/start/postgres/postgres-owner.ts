// The user that the embedded PostgreSQL runs as. PostgreSQL refuses to run as root, so root starts it as an
// unprivileged user, who must have access to its programs and data.
import { cp, lstat, mkdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StartError } from "../start-error.ts";

export interface PostgresOwner {
  /** Undefined: this process's own user. */
  uid: number | undefined;
  gid: number | undefined;
  /** Login name, for messages. */
  name: string;
}

/** Where the database goes if its user cannot reach the data folder; best first. */
const SHARED_BASES = ["/var/lib/open-avatar-service", "/var/tmp/open-avatar-service"];
const SELF: PostgresOwner = { uid: undefined, gid: undefined, name: "this user" };
/** Unprivileged users that exist on most systems, in order of preference. */
const SUITABLE_USERS = ["postgres", "nobody"];

/** The user to run as: the current user unless it is root; else the owner of existing data; else an unprivileged user.
 *  Throws StartError if the data belongs to another user, or if root finds no suitable user. */
export async function findPostgresOwner(clusterDir: string): Promise<PostgresOwner> {
  const existing = await stat(join(clusterDir, "PG_VERSION")).catch(() => null);
  const users = await readUsers();
  if (process.getuid?.() !== 0) {
    if (existing && process.getuid && existing.uid !== process.getuid()) {
      const name = users.find((user) => user.uid === existing.uid)?.name ?? `user ${existing.uid}`;
      throw new StartError(
        `The database folder ${clusterDir} belongs to ${name}.`,
        "Start the service as that user or as root, or set AVATAR_DATA_DIR to another folder.",
      );
    }
    return SELF;
  }
  if (existing && existing.uid !== 0) {
    return { uid: existing.uid, gid: existing.gid, name: users.find((user) => user.uid === existing.uid)?.name ?? "" };
  }
  for (const name of SUITABLE_USERS) {
    const user = users.find((candidate) => candidate.name === name && candidate.uid !== 0);
    if (user) return user;
  }
  throw new StartError(
    "PostgreSQL refuses to run as root, and this machine has no user named postgres or nobody.",
    "Start the service as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.",
  );
}

/** True if the owner may traverse every folder of `path`, including the last. */
export async function canReach(owner: PostgresOwner, path: string): Promise<boolean> {
  if (owner.uid === undefined) return true;
  for (let folder = path; ; folder = dirname(folder)) {
    const status = await stat(folder).catch(() => null);
    if (!status) return false;
    const bit = status.uid === owner.uid ? 0o100 : status.gid === owner.gid ? 0o010 : 0o001;
    if ((status.mode & bit) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** A folder outside the clone that this owner reaches, named after the data folder so that two clones do not share one.
 *  A base that another user could have prepared (in /var/tmp any may) is left out. Throws StartError if no base is
 *  suitable. */
export async function makeReachableFolder(
  owner: PostgresOwner,
  name: string,
  bases: readonly string[] = SHARED_BASES,
): Promise<string> {
  for (const base of bases) {
    const folder = join(base, name);
    try {
      await mkdir(folder, { recursive: true, mode: 0o755 });
    } catch {
      continue; // Not writable here (a read-only system, for instance): the next place may be.
    }
    const isOurs = (await isOwnFolder(base)) && (await isOwnFolder(folder));
    if (isOurs && (await canReach(owner, folder))) return folder;
  }
  throw new StartError(
    `The user ${owner.name}, whom PostgreSQL runs as, has no access to this folder, and no folder under /var could be created for it.`,
    "Move the clone to a folder that other users can enter, start as an ordinary user, or set DATABASE_URL.",
  );
}

/** True if it is a folder (no link) of this process's user that no other user may write to. */
async function isOwnFolder(path: string): Promise<boolean> {
  const status = await lstat(path);
  return status.isDirectory() && status.uid === process.getuid?.() && (status.mode & 0o022) === 0;
}

/** Copies PostgreSQL's programs (60 MB) to where the owner reaches them, unless they are there. Returns their folder.
 *  */
export async function copyPrograms(nativeDir: string, folder: string): Promise<string> {
  const copy = join(folder, "native");
  await cp(nativeDir, copy, { recursive: true, force: false, verbatimSymlinks: true });
  return copy;
}

async function readUsers(): Promise<{ name: string; uid: number; gid: number }[]> {
  const text = await readFile("/etc/passwd", "utf8").catch(() => "");
  return text
    .split("\n")
    .map((line) => line.split(":"))
    .filter((fields) => fields.length >= 4)
    .map((fields) => ({ name: fields[0], uid: Number(fields[2]), gid: Number(fields[3]) }));
}
