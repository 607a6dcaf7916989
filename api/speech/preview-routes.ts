// GET /v1/voices/…/preview: how a voice sounds.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { findFetchedVoice } from "../../src/speech/voice/fetched/fetched-voices.ts";
import { isVoiceId } from "../../src/speech/voice/voice-catalogue.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { audioAnswer, SPEECH_ERRORS } from "./speech-answers.ts";
import type { SpeechServices } from "./speech-services.ts";
import type { SpokenClips } from "./spoken-clips.ts";

const TEXT = "Hello. This is how I sound. What can I do for you?";
/** The operator may choose another engine. */
const CACHING = "public, max-age=3600";
const MAX_SHOWN_CHARACTERS = 60;

export function previewRoutes({ voicesFolder }: Pick<SpeechServices, "voicesFolder">, clips: SpokenClips): Route[] {
  return [
    route({
      method: "get",
      path: "/v1/voices/:voice_id/preview",
      operation: "voices.preview",
      tier: "address",
      auth: "none",
      summary: "Hear a voice: a short line in English, as WAV",
      description: "It needs no credential, so that a page can play it. The line is spoken once and then kept.",
      tags: ["Speech"],
      params: z.object({
        voice_id: z.string().meta({ description: "M1 to M5, F1 to F5, or a voice that the operator has fetched" }),
      }),
      responseType: "audio/wav",
      errors: ["VOICE_NOT_FOUND", ...SPEECH_ERRORS],
      async handler({ params }) {
        const { voice_id: voiceId } = params;
        if (!isVoiceId(voiceId) && !findFetchedVoice(voicesFolder, voiceId)) {
          throw new ServiceError("VOICE_NOT_FOUND", `Voice not found: ${voiceId.slice(0, MAX_SHOWN_CHARACTERS)}`);
        }
        const bytes = Buffer.from(await clips.get({ voiceId, text: TEXT }));
        return audioAnswer("audio/wav", { bytes }, { "Cache-Control": CACHING });
      },
    }),
  ];
}
