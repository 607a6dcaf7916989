// What a client of the realtime server wants, from its request: the query, the headers, and what only the api knows.
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { HEADER_REALTIME_SESSION } from "../../shared/wire-names.ts";
import { refusalOf } from "../../src/conversation/realtime/session-query.ts";
import type { Dialect } from "../../src/conversation/realtime/session-settings.ts";
import { DEFAULT_LANGUAGE } from "../../src/speech/languages/languages.ts";
import { DEFAULT_VOICE_ID } from "../../src/speech/voice/voice-catalogue.ts";

const MAX_INSTRUCTIONS_CHARACTERS = 100_000;
const MAX_LANGUAGE_CHARACTERS = 100;
/** Browsers, which cannot send headers, name the beta among the subprotocols. */
const BETA_PROTOCOL = "openai-beta.realtime-v1";
/** Clients of browsers expect one of their subprotocols to be chosen. */
export const REALTIME_PROTOCOL = "realtime";

const sessionSchema = z.object({
  mode: z.enum(["text", "transcription"]).nullish(),
  instructions: z.string().max(MAX_INSTRUCTIONS_CHARACTERS).nullish(),
  greeting: z.string().max(5_000).nullish(),
  language: z.string().max(MAX_LANGUAGE_CHARACTERS).nullish(),
  voice_id: z.string().max(500).nullish(),
  user: z.string().max(500).nullish(),
});

export interface SessionRequest {
  /** `transcription`: what is said is written down, and never answered. */
  mode: "audio" | "text" | "transcription";
  dialect: Dialect;
  instructions: string;
  greeting: string;
  language: string;
  /** Whether the language was named. */
  isLanguageNamed: boolean;
  /** Name of a voice that is known. */
  voiceName: string;
  /** Id of the person, for the model's server. */
  user: string | undefined;
}

/** Reads a request. Returns why it is refused if it is wrong. */
export function parseSessionRequest({ url = "/", headers }: IncomingMessage): SessionRequest | { refusal: string } {
  const { searchParams } = new URL(url, "http://worker");
  const session = readSession(headers[HEADER_REALTIME_SESSION.toLowerCase()]);
  if (!session) return { refusal: `The header ${HEADER_REALTIME_SESSION} is not valid` };
  const named = searchParams.get("language") || session.language;
  const language = named || DEFAULT_LANGUAGE;
  const voiceName = searchParams.get("voice") || session.voice_id || DEFAULT_VOICE_ID;
  const refusal = refusalOf({ voice: voiceName, language });
  if (refusal !== undefined) return { refusal };
  const isBeta =
    /\brealtime=v1\b/.test(String(headers["openai-beta"] ?? "")) ||
    String(headers["sec-websocket-protocol"] ?? "").includes(BETA_PROTOCOL);
  return {
    mode: session.mode ?? "audio",
    dialect: isBeta ? "beta" : "current",
    instructions: session.instructions ?? "",
    greeting: session.greeting ?? "",
    language,
    isLanguageNamed: Boolean(named),
    voiceName,
    user: session.user ?? undefined,
  };
}

/** JSON in base64url; nothing is as good as an empty object. */
function readSession(header: string | string[] | undefined): z.output<typeof sessionSchema> | undefined {
  if (header === undefined) return {};
  try {
    return sessionSchema.parse(JSON.parse(Buffer.from(String(header), "base64url").toString("utf8")));
  } catch {
    return undefined;
  }
}
