// Fetches the files of a voice from one of their sources, checks them, and puts them into a folder.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { hasFreeSpace } from "../../../program/files/free-space.ts";
import type { OutgoingClient } from "../../../program/outgoing/outgoing-client.ts";
import { bytesOf, type FetchableVoice, type VoiceFile } from "../../../src/speech/voice/fetched/fetchable-voices.ts";
import { CliError } from "../../terminal/cli-error.ts";
import { openProgress } from "../progress-bar.ts";

/** A file of 77 MB arrives within this at 45 kB/s. */
const FILE_TIMEOUT_MS = 30 * 60_000;
/** Files that are not complete, beside the voices: a name that no voice has. */
const PARTIAL = ".partial";
/** Left on the disk for everything else. */
const SPARE_BYTES = 256e6;

export interface FetchVoiceOptions {
  client: OutgoingClient;
  /** Where voices are; this one gets a folder of its own in it. */
  voices: string;
  /** An own copy of the files instead of the catalogue's sources: base URL or folder. */
  source?: string;
  /** Shows no progress. */
  isQuiet: boolean;
}

/** Fetches a voice, or what is missing of it. What has arrived before a failure stays for the next time. Throws
 *  CliError unavailable if no source has a file, or the disk is too full. */
export async function fetchVoice(voice: FetchableVoice, options: FetchVoiceOptions): Promise<void> {
  const { voices } = options;
  const folder = join(voices, voice.id);
  const partial = join(voices, PARTIAL, voice.id);
  await mkdir(partial, { recursive: true });
  if (!(await hasFreeSpace(voices, SPARE_BYTES, bytesOf(voice)))) {
    const needed = Math.ceil((SPARE_BYTES + bytesOf(voice)) / 1e6);
    throw new CliError("unavailable", `${voices} has too little space for ${voice.id}: ${needed} MB needed.`);
  }
  for (const file of voice.files) await fetchFile(voice, file, join(partial, file.name), options);
  await rm(folder, { recursive: true, force: true });
  await rename(partial, folder);
}

/** Whether all files of a voice are in a folder, as the catalogue has them. */
export async function isComplete({ files }: FetchableVoice, folder: string): Promise<boolean> {
  for (const file of files) if (!(await isIntact(join(folder, file.name), file))) return false;
  return true;
}

async function fetchFile(
  { id }: FetchableVoice,
  file: VoiceFile,
  path: string,
  { client, source, isQuiet }: FetchVoiceOptions,
): Promise<void> {
  const failures: string[] = [];
  for (const place of source === undefined ? file.sources : [ownSource(source, id, file)]) {
    if (await isIntact(path, file)) return;
    await removeWrong(path, file);
    const progress = openProgress(`${id} ${file.name}`, file.bytes, isQuiet);
    try {
      if (/^https?:/.test(place)) {
        const limits = { maxBytes: file.bytes, timeoutMs: FILE_TIMEOUT_MS };
        await client.resume(place, path, { ...limits, onProgress: (bytes) => progress.update(bytes) });
      } else await copyFile(place, path);
      if (await isIntact(path, file)) return;
      // It would spoil the next attempt.
      await rm(path, { force: true });
      failures.push(`${place}: it is another file (size or SHA-256 differ)`);
    } catch (error) {
      failures.push(`${place}: ${reasonOf(error)}`);
    } finally {
      progress.stop();
    }
  }
  throw new CliError("unavailable", `${id} could not be fetched.\n${failures.map((line) => `  ${line}`).join("\n")}`, {
    hint: "Run it again: it goes on where it stopped. --source fetches it from a copy of your own.",
  });
}

/** Callers of the service never see the system's own code (ENOTFOUND, ECONNREFUSED); the operator should. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = error.cause instanceof Error && "code" in error.cause ? ` (${error.cause.code})` : "";
  return `${error.message}${code}`;
}

/** A file of an operator's own copy, with the names that the makers gave it. */
function ownSource(source: string, id: string, { name }: VoiceFile): string {
  const fileName = name === "model.onnx" ? `${id}.onnx` : `${id}.onnx.json`;
  return /^https?:/.test(source) ? `${source.replace(/\/$/, "")}/${fileName}` : join(source, fileName);
}

/** Removes a file that is as long as it should be, or longer, and not the right one. */
async function removeWrong(path: string, { bytes }: VoiceFile): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found && found.size >= bytes) await rm(path);
}

async function isIntact(path: string, { bytes, sha256 }: VoiceFile): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found?.size !== bytes) return false;
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex") === sha256;
}
