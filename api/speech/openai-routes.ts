// POST /v1/audio/speech, for clients of the OpenAI protocol. Source of fields and events: OpenAI's published API
// description; of what differs (voices, speed, WAV by default): the contract.
import type { Readable } from "node:stream";
import { z } from "zod";
import { voiceOfOpenAi } from "../../src/conversation/realtime/realtime-voices.ts";
import { ENCODED_FORMATS, ENCODINGS } from "../../src/signal/media/encode-audio.ts";
import { isDesignedVoiceCode } from "../../src/speech/voice/shaping/designed-voice.ts";
import { DEFAULT_SPEED, FASTEST_SPEED, SLOWEST_SPEED } from "../../src/speech/voice/speech-options.ts";
import { requireVoiceCode } from "../agents/voices/requested-voice.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { requireMediaProgram } from "../kernel/media/require-media-program.ts";
import { type Speaking, speak } from "./speak.ts";
import {
  audioAnswer,
  encodedStream,
  eventStream,
  pcmStream,
  SPEECH_ERRORS,
  SPEECH_RATE_HZ,
  wavFile,
  wavStream,
} from "./speech-answers.ts";
import { parseAnyVoice, parseLanguage } from "./speech-choices.ts";
import type { SpeechServices } from "./speech-services.ts";
import { speakableText } from "./spoken-text.ts";

/** Of `pcm`, which has no header to say it. Source: OpenAI's description. */
const PCM_RATE_HZ = 24_000;
const FORMATS = ["wav", "pcm", ...ENCODED_FORMATS] as const;
type Format = (typeof FORMATS)[number];

const requestSchema = z
  .object({
    model: z.string().nullish().meta({ description: "Ignored: this service has one model" }),
    input: z.string().meta({ description: "The text, at most 5,000 characters" }),
    voice: z
      .union([z.string(), z.object({ id: z.string() })], { error: "must be the id of a voice" })
      .nullish()
      .meta({
        description:
          "M1 to M5, F1 to F5, a fetched voice, or the code of a designed voice; an object with its id is fine. OpenAI's names (alloy, nova, …) stand for voices of this service. Default M1",
      }),
    instructions: z.string().nullish().meta({ description: "Ignored" }),
    response_format: z.enum(FORMATS).nullish().meta({
      description:
        "wav (default), mp3, aac or flac (44,100 Hz), opus (in Ogg), or pcm (samples without a header: int16, little-endian, mono, 24,000 Hz). All but wav are sent as they are made",
    }),
    speed: z.number().nullish().meta({
      description: "Tempo; below 0.7 it is 0.7, above 2.0 it is 2.0. 1 is the voice's own. Default 1.05",
    }),
    stream_format: z.enum(["audio", "sse"]).nullish().meta({
      description:
        "audio (default): the bytes. sse: events speech.audio.delta with the bytes in base64, then speech.audio.done",
    }),
    language: z.string().nullish().meta({ description: "ISO 639-1 code; OpenAI has no such field. Default en" }),
  })
  .meta({ id: "CreateSpeech" });

export function openAiRoutes(services: SpeechServices): Route[] {
  return [
    route({
      method: "post",
      path: "/v1/audio/speech",
      operation: "speech.create",
      tier: "write",
      auth: "secret-or-bearer",
      summary: "Speak a text, for OpenAI clients; costs no credits",
      tags: ["Speech"],
      body: requestSchema,
      example: { body: { input: "Welcome to the museum.", voice: "F2" } },
      responseType: "audio/wav",
      errors: ["VOICE_NOT_FOUND", ...SPEECH_ERRORS],
      async handler({ body, caller, request }) {
        const { stream_format: streamFormat } = body;
        const format = body.response_format ?? "wav";
        const language = parseLanguage(body.language);
        const named = typeof body.voice === "object" ? body.voice?.id : body.voice;
        const voiceId = parseVoice(named ?? "", services);
        const text = speakableText(body.input, language, "input");
        if (format !== "wav" && format !== "pcm") requireMediaProgram(services);
        const options = { voiceId, language, speed: clampSpeed(body.speed ?? DEFAULT_SPEED) };
        const { sampleRateHz, contentType } = detailsOf(format);
        const speech = await speak(services, caller.account.userId, { text, options, sampleRateHz }, request.signal);
        if (format === "wav" && streamFormat !== "sse")
          return audioAnswer(contentType, { bytes: await wavFile(speech, sampleRateHz) });
        const stream = streamOf(services, format, speech, sampleRateHz);
        return streamFormat === "sse"
          ? audioAnswer("text/event-stream", { stream: eventStream(stream, speech, text) })
          : audioAnswer(contentType, { stream });
      },
    }),
  ];
}

/** A name of OpenAI's, a designed voice, or any other that speaks here. */
function parseVoice(name: string, { voicesFolder }: SpeechServices): string {
  if (isDesignedVoiceCode(name)) return requireVoiceCode(name);
  return voiceOfOpenAi(name) ?? parseAnyVoice(name, voicesFolder);
}

/** OpenAI's range is wider. */
function clampSpeed(speed: number): number {
  return Math.min(FASTEST_SPEED, Math.max(SLOWEST_SPEED, speed));
}

function detailsOf(format: Format): { sampleRateHz: number; contentType: string } {
  if (format === "wav") return { sampleRateHz: SPEECH_RATE_HZ, contentType: "audio/wav" };
  if (format === "pcm") return { sampleRateHz: PCM_RATE_HZ, contentType: `audio/pcm; rate=${PCM_RATE_HZ}` };
  return ENCODINGS[format];
}

function streamOf({ ffmpegPath }: SpeechServices, format: Format, speech: Speaking, sampleRateHz: number): Readable {
  if (format === "wav") return wavStream(speech, sampleRateHz);
  return format === "pcm" ? pcmStream(speech) : encodedStream(speech, format, { ffmpegPath });
}
