// The folder of voices that an operator has fetched: `<data folder>/voices/<id>/`.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FETCHABLE_VOICES, type FetchableVoice } from "./fetchable-voices.ts";
import { type PiperConfig, parsePiperConfig } from "./piper-config.ts";

/** A voice that is ready to speak. */
export interface FetchedVoiceFiles {
  id: string;
  /** ISO 639-1. */
  language: string;
  /** Absolute or relative to the working directory. */
  folder: string;
  config: PiperConfig;
  /** Undefined for a voice that the operator has put there. */
  catalogue: FetchableVoice | undefined;
}

/** Folder of the voices of an installation. */
export function voicesFolder(dataFolder: string): string {
  return join(dataFolder, "voices");
}

/** An id, and behind a colon the number of one of its speakers: `de_DE-mls-medium:7`. */
const VOICE_NAME = /^([^:]+)(?::(\d{1,5}))?$/;

/** A voice by its name, with the number of a speaker (default 0); undefined if it was not fetched. Whether it has that
 *  speaker is told when it speaks. */
export function findFetchedVoice(folder: string, name: string): (FetchedVoiceFiles & { speaker: number }) | undefined {
  const [, id, speaker] = VOICE_NAME.exec(name) ?? [];
  const found = listFetchedVoices(folder).find((voice) => voice.id === id);
  return found && { ...found, speaker: Number(speaker ?? 0) };
}

/** The voices in a folder, by name: the catalogue's, and others that the operator has put there as `model.onnx` with
 *  `config.json`. A folder that is not complete, or has an unreadable configuration, is left out. Never throws. */
export function listFetchedVoices(folder: string): FetchedVoiceFiles[] {
  return namesIn(folder).flatMap((id) => {
    const files = join(folder, id);
    const names = namesIn(files);
    if (!names.includes("model.onnx") || !names.includes("config.json")) return [];
    try {
      const config = parsePiperConfig(readFileSync(join(files, "config.json"), "utf8"));
      const language = config.espeak.voice.slice(0, 2);
      return [{ id, language, folder: files, config, catalogue: FETCHABLE_VOICES.find((known) => known.id === id) }];
    } catch {
      return [];
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
