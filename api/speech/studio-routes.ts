// The voices, and how to design one.
import { z } from "zod";
import { LANGUAGE_CODES } from "../../src/speech/languages/languages.ts";
import { listFetchedVoices } from "../../src/speech/voice/fetched/fetched-voices.ts";
import { designedVoiceCode, parseDesignedVoice } from "../../src/speech/voice/shaping/designed-voice.ts";
import { projectionOf } from "../../src/speech/voice/shaping/voice-anchors.ts";
import { AXIS_NAMES, SUGGESTED_AXIS } from "../../src/speech/voice/shaping/voice-axes.ts";
import { VOICE_IDS, VOICES, type VoiceId } from "../../src/speech/voice/voice-catalogue.ts";
import { listAgentsByVoice, listOwnVoices } from "../agents/voices/own-voices.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { speak } from "./speak.ts";
import { audioAnswer, SPEECH_ERRORS, SPEECH_RATE_HZ, wavFile } from "./speech-answers.ts";
import { AXIS_DESCRIPTIONS, axesSchema, parseAxes, parseLanguage, parseVoice } from "./speech-choices.ts";
import type { SpeechServices } from "./speech-services.ts";
import { speakableText } from "./spoken-text.ts";

const voiceSchema = z
  .object({
    id: z.string().meta({ description: "For voice, or for voice_code if its kind is custom" }),
    kind: z
      .enum(["builtin", "custom"])
      .meta({ description: "custom: the designed voice of one of the account's agents" }),
    name: z.string(),
    gender: z
      .enum(["female", "male"])
      .optional()
      .meta({ description: "How the voice, or the voice it is designed from, sounds; absent for fetched voices" }),
    languages: z.array(z.string()).meta({ description: "ISO 639-1 codes" }),
    agents: z
      .array(z.object({ code: z.string(), name: z.string() }).meta({ id: "VoiceUser" }))
      .meta({ description: "The account's agents that have it, newest first" }),
  })
  .meta({ id: "Voice" });

const axisSchema = z
  .object({
    name: z.enum(AXIS_NAMES),
    description: z.string(),
    suggested_min: z.number(),
    suggested_max: z.number(),
    anchor_projections: z.record(z.string(), z.number()).meta({
      description: "Where each built-in voice was measured to lie on the axis; 0 is the mean of all",
    }),
  })
  .meta({ id: "VoiceAxis" });

const previewSchema = z
  .object({
    text: z.string().meta({ description: "At most 5,000 characters" }),
    base_voice: z.string().meta({ description: "M1 to M5 or F1 to F5" }),
    axes: axesSchema.nullish(),
    language: z.string().nullish().meta({ description: "ISO 639-1 code. Default en" }),
  })
  .meta({ id: "VoicePreview" });

export function studioRoutes(services: SpeechServices): Route[] {
  return [
    route({
      method: "get",
      path: "/v1/voices",
      operation: "voices.list",
      tier: "read",
      auth: "secret",
      summary:
        "List the voices: the built-in ones, the designed ones of the account's agents, and those that the operator has fetched",
      tags: ["Speech"],
      response: z.object({ voices: z.array(voiceSchema) }),
      errors: [],
      async handler({ caller }) {
        const own = await listOwnVoices(services.database, caller.account.userId);
        const voices = [
          ...VOICE_IDS.map((id) => viewVoice(id, { kind: "builtin", name: VOICES[id].name, baseVoiceId: id })),
          ...own.flatMap(({ code, agentName: name }) => {
            const designed = parseDesignedVoice(code);
            return designed ? [viewVoice(code, { kind: "custom", name, baseVoiceId: designed.baseVoiceId })] : [];
          }),
        ];
        const fetched = listFetchedVoices(services.voicesFolder).map(({ id, language }) => {
          return { id, kind: "builtin" as const, name: id, languages: [language] };
        });
        const agents = await listAgentsByVoice(services.database, caller.account.userId);
        return { voices: [...voices, ...fetched].map((voice) => ({ ...voice, agents: agents.get(voice.id) ?? [] })) };
      },
    }),
    route({
      method: "get",
      path: "/v1/studio/axes",
      operation: "studio.axes",
      tier: "read",
      auth: "secret",
      summary: "Get the axes along which a voice can be changed",
      tags: ["Speech"],
      response: z.object({ axes: z.array(axisSchema) }),
      errors: [],
      async handler() {
        const axes = AXIS_NAMES.map((name) => ({
          name,
          description: AXIS_DESCRIPTIONS[name],
          suggested_min: -SUGGESTED_AXIS,
          suggested_max: SUGGESTED_AXIS,
          anchor_projections: Object.fromEntries(VOICE_IDS.map((id) => [id, projectionOf(id, name)])),
        }));
        return { axes };
      },
    }),
    route({
      method: "post",
      path: "/v1/studio/preview",
      operation: "studio.preview",
      tier: "write",
      auth: "secret",
      summary: "Hear a designed voice; stores nothing. Its code is in the header X-Voice-Code",
      tags: ["Speech"],
      body: previewSchema,
      example: { body: { text: "Welcome to the museum.", base_voice: "F2", axes: { pitch: 0.1 } } },
      responseType: "audio/wav",
      errors: SPEECH_ERRORS,
      async handler({ body, caller, request }) {
        const language = parseLanguage(body.language);
        const voiceId = designedVoiceCode({
          baseVoiceId: parseVoice(body.base_voice, "base_voice"),
          axes: parseAxes(body.axes),
        });
        const text = speakableText(body.text, language, "text");
        const speech = await speak(
          services,
          caller.account.userId,
          { text, options: { voiceId, language }, sampleRateHz: SPEECH_RATE_HZ },
          request.signal,
        );
        const bytes = await wavFile(speech, SPEECH_RATE_HZ);
        return audioAnswer("audio/wav", { bytes }, { "X-Voice-Code": voiceId });
      },
    }),
  ];
}

function viewVoice(
  id: string,
  { kind, name, baseVoiceId }: { kind: "builtin" | "custom"; name: string; baseVoiceId: VoiceId },
): Omit<z.input<typeof voiceSchema>, "agents"> {
  const gender = baseVoiceId.startsWith("F") ? "female" : "male";
  return { id, kind, name, gender, languages: [...LANGUAGE_CODES] };
}
