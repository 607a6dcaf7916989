// `avatar voices list`.

import { LANGUAGE_CODES } from "../../../src/speech/languages/languages.ts";
import { bytesOf, FETCHABLE_VOICES, type FetchableVoice } from "../../../src/speech/voice/fetched/fetchable-voices.ts";
import { listFetchedVoices } from "../../../src/speech/voice/fetched/fetched-voices.ts";
import { hasNeuralFiles } from "../../../src/speech/voice/neural/network-graphs.ts";
import { NEURAL_LANGUAGES } from "../../../src/speech/voice/neural/neural-languages.ts";
import { VOICE_IDS, VOICES } from "../../../src/speech/voice/voice-catalogue.ts";
import type { Environment } from "../../terminal/environment.ts";
import { fittingTable } from "../../terminal/text-table.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { voicesFolderOf } from "./voices-folder.ts";

interface ListedVoice {
  id: string;
  state: "built in" | "fetched" | "can be fetched";
  languages: string[];
  description: string;
  /** Of its files; null for built-in voices. */
  bytes: number | null;
  licence: string;
  card: string | null;
}

export function listVoices(environment: Environment, { json }: { json?: boolean }): void {
  const voices = [...builtInVoices(), ...otherVoices(voicesFolderOf(environment))];
  if (json) {
    writeJson({ voices });
    return;
  }
  process.stdout.write(`${builtInLine()}\n\n`);
  const rows = voices
    .filter(({ state }) => state !== "built in")
    .map(({ id, state, languages, description, bytes, licence }) => {
      const size = bytes === null ? "" : `${Math.round(bytes / 1e6)} MB`;
      return [id, state, languages.join(" "), size, description, licence];
    });
  process.stdout.write(`${fittingTable(["voice", "state", "language", "size", "what", "licence"], rows)}\n\n`);
  process.stdout.write("A fetched voice takes about a fifth of the CPU time of a built-in neural voice.\n");
}

function builtInLine(): string {
  const names = VOICE_IDS.map((id) => `${id} ${VOICES[id].name}`).join(", ");
  const others = LANGUAGE_CODES.length - NEURAL_LANGUAGES.length;
  const languages = hasNeuralFiles()
    ? `${NEURAL_LANGUAGES.join(" ")} by the neural voice, ${others} more by the formant voice`
    : `${LANGUAGE_CODES.length}, by the formant voice`;
  return `Built in: ${names}.\nLanguages: ${languages}.`;
}

function builtInVoices(): ListedVoice[] {
  const isNeural = hasNeuralFiles();
  return VOICE_IDS.map((id) => ({
    id,
    state: "built in",
    languages: isNeural ? [...NEURAL_LANGUAGES] : [...LANGUAGE_CODES],
    description: VOICES[id].name,
    bytes: null,
    licence: isNeural ? "Apache-2.0" : "GPL-3.0",
    card: null,
  }));
}

function otherVoices(folder: string): ListedVoice[] {
  const fetched = listFetchedVoices(folder);
  const isFetched = ({ id }: FetchableVoice) => fetched.some((voice) => voice.id === id);
  const catalogue = FETCHABLE_VOICES.map((voice) => ({
    id: voice.id,
    state: isFetched(voice) ? ("fetched" as const) : ("can be fetched" as const),
    languages: [voice.language],
    description: voice.description,
    bytes: bytesOf(voice),
    licence: voice.licence,
    card: voice.card,
  }));
  const own = fetched
    .filter(({ catalogue }) => !catalogue)
    .map(({ id, language }) => ({
      id,
      state: "fetched" as const,
      languages: [language],
      description: "not of the catalogue",
      bytes: null,
      licence: "unknown",
      card: null,
    }));
  return [...catalogue, ...own];
}
