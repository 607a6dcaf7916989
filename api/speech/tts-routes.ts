// POST /v1/tts: a text becomes audio.
import { z } from "zod";
import { DEFAULT_SPEED } from "../../src/speech/voice/speech-options.ts";
import { requireVoiceCode } from "../agents/voices/requested-voice.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { speak } from "./speak.ts";
import { audioAnswer, framedStream, pcmStream, SPEECH_ERRORS, SPEECH_RATE_HZ, wavFile } from "./speech-answers.ts";
import { axesSchema, parseAnyVoice, parseAxes, parseLanguage, speedSchema } from "./speech-choices.ts";
import type { SpeechServices } from "./speech-services.ts";
import { speakableText } from "./spoken-text.ts";

const PCM_TYPE = `audio/pcm; rate=${SPEECH_RATE_HZ}`;

const ttsSchema = z
  .object({
    text: z.string().meta({
      description:
        "At most 5,000 characters, several sentences. Markup and tags of expressions, such as [happy], are neither spoken nor counted; numbers and the like are read out",
    }),
    voice: z.string().nullish().meta({
      description: "M1 to M5, F1 to F5, or a voice that the operator has fetched (see GET /v1/voices). Default M1",
    }),
    voice_code: z.string().nullish().meta({
      description: "The code of a designed voice, bv1_…; wins over voice and axes",
    }),
    axes: axesSchema.nullish().meta({
      description:
        "Changes the voice: see GET /v1/studio/axes. Suggested -0.3 to 0.3, at most ±0.5. Ignored with voice_code",
    }),
    language: z.string().nullish().meta({
      description:
        "ISO 639-1 code of one of 31 languages, with or without a region (pt-BR). Default en. The neural voice speaks English, Spanish, French, Italian and Portuguese",
    }),
    total_steps: z.int().min(1).max(100).nullish().meta({
      description: "Accepted for compatibility: these voices have no quality steps",
    }),
    speed: speedSchema,
    format: z.enum(["wav", "pcm_s16le"]).nullish().meta({
      description: "wav (default), or samples without a header (audio/pcm; rate=44100), sent as they are made",
    }),
    stream: z.boolean().nullish().meta({
      description:
        "Send each sentence as soon as it is made: its size in bytes (uint32, big-endian), then its samples (int16, little-endian, mono, 44,100 Hz); a size of 0 ends the stream, and is missing if the voice failed. A sentence of more than 45 seconds comes in several frames. Type audio/pcm; rate=44100; framing=len32be",
    }),
  })
  .meta({ id: "TextToSpeech" });

export function ttsRoutes(services: SpeechServices): Route[] {
  return [
    route({
      method: "post",
      path: "/v1/tts",
      operation: "speech.synthesize",
      tier: "write",
      auth: "secret-or-page",
      summary: "Speak a text; costs no credits",
      tags: ["Speech"],
      body: ttsSchema,
      example: { body: { text: "Welcome to the museum.", voice: "F2" } },
      responseType: "audio/wav",
      errors: ["VOICE_NOT_FOUND", ...SPEECH_ERRORS],
      async handler({ body, caller, request }) {
        const { format, stream } = body;
        const language = parseLanguage(body.language);
        const voiceId = body.voice_code
          ? requireVoiceCode(body.voice_code)
          : parseAnyVoice(body.voice, services.voicesFolder);
        const options = { voiceId, axes: parseAxes(body.axes), language, speed: body.speed ?? DEFAULT_SPEED };
        const text = speakableText(body.text, language, "text");
        const { userId } = caller.kind === "page" ? caller.operator : caller.account;
        const sampleRateHz = SPEECH_RATE_HZ;
        // A frame is a sentence, so a short one is spoken by itself.
        const spoken = { ...options, joinsShort: !stream };
        const speech = await speak(services, userId, { text, options: spoken, sampleRateHz }, request.signal);
        if (stream) return audioAnswer(`${PCM_TYPE}; framing=len32be`, { stream: framedStream(speech) });
        if (format === "pcm_s16le") return audioAnswer(PCM_TYPE, { stream: pcmStream(speech) });
        return audioAnswer("audio/wav", { bytes: await wavFile(speech, sampleRateHz) });
      },
    }),
  ];
}
