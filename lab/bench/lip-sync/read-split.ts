// Reads an aligned evaluation set: one JSON line per recording.
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { StartError } from "../../../cli/start/start-error.ts";
import { decodeAudio } from "../../../src/signal/media/decode-audio.ts";
import { visemesOfPhone } from "./arpabet-visemes.ts";
import type { EvaluationClip } from "./evaluation-clip.ts";

/** `wav` is taken from the list's own folder; phones are ARPABET with times in s. Other fields are ignored. */
const LINE = z.object({
  wav: z.string().min(1),
  id: z.string().optional(),
  language: z.string().optional(),
  phones: z.array(z.tuple([z.string(), z.number().nonnegative(), z.number().nonnegative()], z.unknown())).min(1),
});

const LINE_HELP =
  'One JSON line per recording: {"wav": "a.wav", "phones": [["HH", 0.12, 0.2], ["AY1", 0.2, 0.41]]}, times in s.';

/** The recordings of a list. Throws StartError naming the line if the file is no list of them, EngineError for audio
 *  that cannot be read. */
export async function readSplit(path: string, ffmpegPath?: string): Promise<EvaluationClip[]> {
  const text = await readFile(path, "utf8").catch((cause) => {
    throw new StartError(`${path} cannot be read.`, LINE_HELP, cause);
  });
  const clips: EvaluationClip[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() !== "")
      clips.push(await readLine(line, { place: `${path}, line ${index + 1}`, folder: dirname(path), ffmpegPath }));
  }
  if (clips.length === 0) throw new StartError(`${path} lists no recordings.`, LINE_HELP);
  return clips;
}

interface LineOptions {
  /** File and line number, for messages. */
  place: string;
  /** Folder that audio files are relative to. */
  folder: string;
  ffmpegPath: string | undefined;
}

async function readLine(line: string, { place, folder, ffmpegPath }: LineOptions): Promise<EvaluationClip> {
  const parsed = LINE.safeParse(parseJson(line));
  if (!parsed.success) throw new StartError(`${place}: ${parsed.error.issues[0].message}.`, LINE_HELP);
  const { wav, id, language, phones } = parsed.data;
  const visemes = phones.flatMap(([phone, startS, endS]) => {
    const timed = visemesOfPhone(phone, startS * 1000, endS * 1000);
    if (!timed || endS < startS)
      throw new StartError(`${place}: ${phone} at ${startS} s is not a known phone.`, LINE_HELP);
    return timed;
  });
  const audio = await decodeAudio(resolve(folder, wav), { ffmpegPath });
  return { id: id ?? wav, language: language ?? "und", audio, visemes };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
