// Records the processes of the service on a data folder: a second start is refused, and a start after a crash ends
// leftovers.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "../start-error.ts";
import { identifyProcess, isSameProcess, type ProcessIdentity } from "./process-identity.ts";

const END_TIMEOUT_MS = 5000;
const END_POLL_MS = 20;

interface Content {
  owner: ProcessIdentity;
  publicUrl: string;
  children: (ProcessIdentity & { name: string })[];
}

/** The record of this start command, in `service.json` of the data folder. */
export class ServiceRecord {
  /** True if children of a killed start were ended: their ports may take a moment to be free. */
  readonly hasClearedUp: boolean;
  readonly #file: string;
  readonly #content: Content;
  /** Serializes writes, so that the last one has all children. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: string, content: Content, hasClearedUp: boolean) {
    this.hasClearedUp = hasClearedUp;
    this.#file = file;
    this.#content = content;
  }

  /** Takes the data folder for this process. Ends what a killed start left behind. Throws StartError if the service
   *  runs there. */
  static async open(dataDir: string, publicUrl: string): Promise<ServiceRecord> {
    const file = join(dataDir, "service.json");
    const previous = await readContent(file);
    if (previous && (await isSameProcess(previous.owner))) {
      throw new StartError(
        `The service already runs on this data folder (process ${previous.owner.pid}, ${previous.publicUrl}).`,
        "Stop it first, or set AVATAR_DATA_DIR and PORT to run a second one beside it.",
      );
    }
    let hasClearedUp = false;
    for (const child of previous?.children ?? []) hasClearedUp = (await endLeftover(child)) || hasClearedUp;
    const owner = await identifyProcess(process.pid);
    const record = new ServiceRecord(file, { owner, publicUrl, children: [] }, hasClearedUp);
    await record.#write();
    return record;
  }

  /** Adds a child that leads a process group of its own. */
  async addChild(name: string, pid: number): Promise<void> {
    const identity = await identifyProcess(pid);
    const others = this.#content.children.filter((child) => child.name !== name);
    this.#content.children = [...others, { name, ...identity }];
    this.#writing = this.#writing.then(() => this.#write());
    await this.#writing;
  }

  /** Releases the data folder. Idempotent. */
  async close(): Promise<void> {
    await rm(this.#file, { force: true });
  }

  async #write(): Promise<void> {
    await writeFile(this.#file, JSON.stringify(this.#content), { mode: 0o600 });
  }
}

/** Process id of a running child of the service on a data folder, or null. Never throws. */
export async function findServiceChild(dataDir: string, name: string): Promise<number | null> {
  const content = await readContent(join(dataDir, "service.json"));
  const child = content?.children.find((candidate) => candidate.name === name);
  return child && (await isSameProcess(child)) ? child.pid : null;
}

/** The base URL of the service that runs on a data folder, or null when none does. Never throws. */
export async function findRunningService(dataDir: string): Promise<string | null> {
  const content = await readContent(join(dataDir, "service.json"));
  return content && (await isSameProcess(content.owner)) ? content.publicUrl : null;
}

/** Kills the process group of a leftover child. Returns whether it was running. */
async function endLeftover(child: ProcessIdentity): Promise<boolean> {
  if (!(await isSameProcess(child))) return false;
  process.kill(-child.pid, "SIGKILL");
  const deadline = Date.now() + END_TIMEOUT_MS;
  while ((await isSameProcess(child)) && Date.now() < deadline) await delay(END_POLL_MS);
  return true;
}

async function readContent(file: string): Promise<Content | null> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Content;
  } catch {
    return null; // No record, or an incomplete one.
  }
}
