// `avatar voices pull`: puts a voice of the catalogue where the service finds it.
import { join } from "node:path";
import { createOutgoingClient } from "../../../program/outgoing/outgoing-client.ts";
import { bytesOf, FETCHABLE_VOICES, type FetchableVoice } from "../../../src/speech/voice/fetched/fetchable-voices.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { fetchVoice, isComplete } from "./fetch-voice.ts";
import { voicesFolderOf } from "./voices-folder.ts";

export interface PullRequest {
  /** An own copy of the files: base URL or folder with `<id>.onnx` and `<id>.onnx.json`. */
  source?: string;
  json?: boolean;
}

/** Fetches a voice of the catalogue. Throws CliError: no_input (not in the catalogue), unavailable (no source has it,
 *  or the disk is full). What has arrived stays for the next time. */
export async function pullVoice(environment: Environment, id: string, { source, json }: PullRequest): Promise<void> {
  const voice = FETCHABLE_VOICES.find((known) => known.id === id);
  if (!voice) {
    const known = FETCHABLE_VOICES.map((each) => each.id).join(", ");
    throw new CliError("no_input", `There is no voice ${id} in the catalogue.`, { hint: `There are: ${known}.` });
  }
  const voices = voicesFolderOf(environment);
  const folder = join(voices, id);
  const bytes = bytesOf(voice);
  const isHere = await isComplete(voice, folder);
  if (!isHere) await pull(voice, { voices, source, isQuiet: json === true });
  if (json) {
    writeJson({ id, folder, bytes, was_here: isHere });
    return;
  }
  const done = isHere ? "is here already" : "is ready";
  process.stdout.write(`${id} ${done} (${Math.round(bytes / 1e6)} MB in ${folder}).\n`);
  process.stdout.write(`Licence: ${voice.licence}. Card: ${voice.card}\n`);
  process.stdout.write(`Listen: avatar voices say ${id} "…"\n`);
}

async function pull(
  voice: FetchableVoice,
  options: { voices: string; source: string | undefined; isQuiet: boolean },
): Promise<void> {
  // The operator may name a server of the own network; the catalogue's are public.
  const client = createOutgoingClient({ allowPrivate: options.source !== undefined });
  try {
    await fetchVoice(voice, { ...options, client });
  } finally {
    await client.close();
  }
}
