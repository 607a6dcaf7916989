// Reads the sound of any file: WAV by ourselves, everything else by the media program.
import { open, readFile } from "node:fs/promises";
import { ServiceError } from "../../shared/errors.ts";
import { isWav, readWav, type Sound } from "../audio/wav.ts";
import { MediaProcess, type MediaProcessOptions, ownModuleCommand } from "./media-process.ts";
import { findMediaTool, type MediaToolOptions } from "./media-tool.ts";

/** Longest sound that is read, in bytes of int16: one hour at 48 kHz. */
const MAX_SOUND_BYTES = 3600 * 48_000 * 2;

/** Containers and elementary streams that speech comes in. A list keeps out playlists, which name other files and addresses. */
export const AUDIO_FORMATS = "aac,ac3,aiff,amr,caf,flac,matroska,mov,mp3,mpegts,ogg,w64,wav";

/** Mono sound of a file at its own rate. Throws ServiceError: NOT_FOUND if there is no such file, VALIDATION_ERROR if it has no sound that can be
 *  read, FILE_TOO_LARGE beyond one hour, SERVICE_UNAVAILABLE if it needs a media program and there is none. */
export async function decodeAudio(path: string, options: MediaToolOptions = {}): Promise<Sound> {
  const head = await readHead(path);
  if (head.length === 0) throw new ServiceError("VALIDATION_ERROR", `${path} is empty.`);
  if (isWav(head)) {
    try {
      return readWav(await readFile(path));
    } catch {
      // Rare kinds of WAV (extensible headers, compressed sound) are the media program's business.
    }
  }
  const child = new MediaProcess(decoderCommand(path, options));
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of child.output as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_SOUND_BYTES) {
      await child.kill();
      throw new ServiceError("FILE_TOO_LARGE", "The sound is longer than one hour.");
    }
    chunks.push(chunk);
  }
  try {
    await child.finished();
  } catch (cause) {
    throw new ServiceError("VALIDATION_ERROR", `${path} has no sound that can be read.`, { cause });
  }
  return readWav(Buffer.concat(chunks));
}

async function readHead(path: string): Promise<Uint8Array> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new ServiceError("NOT_FOUND", `${path} cannot be opened.`, { cause });
  }
}

function decoderCommand(path: string, options: MediaToolOptions): MediaProcessOptions {
  const tool = findMediaTool(options);
  if (tool.kind === "node-av") {
    return { inputs: 0, ...ownModuleCommand(new URL("./decode-process.ts", import.meta.url), { path }) };
  }
  const quiet = ["-hide_banner", "-loglevel", "error", "-nostdin"];
  const input = ["-protocol_whitelist", "file", "-format_whitelist", AUDIO_FORMATS, "-i", `file:${path}`];
  const output = ["-vn", "-ac", "1", "-c:a", "pcm_s16le", "-f", "wav", "pipe:1"];
  return {
    inputs: 0,
    command: tool.path,
    commandArguments: [...quiet, ...input, ...output],
  };
}
