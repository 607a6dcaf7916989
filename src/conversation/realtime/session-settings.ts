// What a client has set for its session, whichever spelling it used.
import type { AudioFormat } from "./audio-formats.ts";
import type { SessionUpdate } from "./client-events.ts";
import { RealtimeError } from "./realtime-error.ts";
import { realtimeVoice } from "./realtime-voices.ts";

/** OpenAI's shape of events: of today, or of the beta. */
export type Dialect = "current" | "beta";

export interface TurnDetection {
  type: "server_vad" | "semantic_vad";
  /** Of `server_vad`: probability of speech, 0 to 1. */
  threshold: number;
  /** Of `server_vad`. */
  silenceMs: number;
  /** Of `semantic_vad`. */
  eagerness: "low" | "medium" | "high" | "auto";
  createsResponse: boolean;
  interruptsResponse: boolean;
}

export interface ToolSettings {
  name: string;
  description: string;
  parameters: Readonly<Record<string, unknown>>;
}

/** What a response may override. */
export interface ResponseSettings {
  instructions: string;
  tools: readonly ToolSettings[];
  /** `auto`, `none`, `required` or the name of a tool. */
  toolChoice: string;
  wantsAudio: boolean;
  maxTokens: number | "inf";
  /** As the client named it. */
  voice: string;
  outputFormat: AudioFormat;
}

export interface SessionSettings extends ResponseSettings {
  /** `transcription`: what is said is written down, and never answered. */
  type: "realtime" | "transcription";
  inputFormat: AudioFormat;
  /** 0.25 to 2; 1 is the voice's own tempo. */
  speed: number | undefined;
  /** Null: the client says when a turn is over. */
  turnDetection: TurnDetection | null;
  /** Null: the client does not want to read what it said. */
  transcription: { model: string } | null;
  /** A BCP 47 tag. */
  language: string;
  /** What the recogniser is told; undefined: it finds out. */
  expectedLanguage: string | undefined;
}

const OUR_STT = "whisper-base";
/** Of all tools of a session, as JSON: they go to the language model with every answer. */
const MAX_TOOLS_CHARACTERS = 100_000;
const LANGUAGE = /^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*$/;
/** Models of OpenAI's without turn detection: their clients commit each turn. */
const COMMITTED_MODELS = /^gpt-(realtime-whisper|live-transcribe)/;
const DEFAULT_TURN_DETECTION: TurnDetection = {
  type: "semantic_vad",
  threshold: 0.5,
  silenceMs: 500,
  eagerness: "auto",
  createsResponse: true,
  interruptsResponse: true,
};
const FORMATS = { "audio/pcm": "pcm16", "audio/pcmu": "g711_ulaw", "audio/pcma": "g711_alaw" } as const;

type FormatInput = NonNullable<SessionUpdate["input_audio_format"]>;

/** Settings of a session that has set nothing yet. */
export function initialSettings(
  given: Pick<SessionSettings, "type" | "instructions" | "voice" | "language" | "expectedLanguage">,
): SessionSettings {
  return {
    ...given,
    tools: [],
    toolChoice: "auto",
    wantsAudio: true,
    maxTokens: "inf",
    inputFormat: "pcm16",
    outputFormat: "pcm16",
    speed: undefined,
    turnDetection: DEFAULT_TURN_DETECTION,
    transcription: given.type === "transcription" ? { model: OUR_STT } : null,
  };
}

/** The settings after a `session.update`. Throws RealtimeError; nothing has changed then. */
export function updatedSettings(settings: SessionSettings, update: SessionUpdate): SessionSettings {
  const { input, output } = update.audio ?? {};
  const transcription = input?.transcription === undefined ? update.input_audio_transcription : input.transcription;
  const isCommitted = update.type === "transcription" && COMMITTED_MODELS.test(transcription?.model ?? "");
  const detected = input?.turn_detection === undefined ? update.turn_detection : input.turn_detection;
  const detection = detected === undefined && isCommitted ? null : detected;
  const inputFormat = input?.format ?? update.input_audio_format;
  const type = update.type ?? settings.type;
  if (type === "realtime" && settings.type === "transcription") {
    const message = "A transcription session stays one. Open another call without intent=transcription.";
    throw new RealtimeError(message, { code: "invalid_value", param: "session.type" });
  }
  const languages = transcription?.languages ?? [];
  const named = transcription?.language || (languages.length === 1 ? languages[0] : undefined);
  const language = named ?? settings.language;
  if (!LANGUAGE.test(language)) {
    throw new RealtimeError("The language is not a code of ISO 639.", { code: "invalid_value", param: "language" });
  }
  return {
    ...settings,
    type,
    ...overriddenSettings(settings, {
      ...update,
      voice: output?.voice ?? update.voice,
      output_audio_format: output?.format ?? update.output_audio_format,
    }),
    inputFormat: inputFormat ? formatOf(inputFormat) : settings.inputFormat,
    speed: output?.speed ?? update.speed ?? settings.speed,
    turnDetection: detection === undefined ? settings.turnDetection : detection && turnDetectionOf(detection),
    transcription:
      transcription === undefined ? settings.transcription : transcription && { model: transcription.model ?? OUR_STT },
    language,
    // A session that becomes one of transcription recognises any language until it names one.
    expectedLanguage: named ?? (type === settings.type ? settings.expectedLanguage : undefined),
  };
}

/** What a response may say differently from its session. Throws RealtimeError. */
export function overriddenSettings(
  settings: ResponseSettings,
  update: Pick<
    SessionUpdate,
    | "instructions"
    | "tools"
    | "tool_choice"
    | "output_modalities"
    | "modalities"
    | "max_output_tokens"
    | "max_response_output_tokens"
    | "voice"
    | "output_audio_format"
  >,
): ResponseSettings {
  const { voice = settings.voice, tools, output_audio_format: format } = update;
  if (realtimeVoice(voice) === undefined) {
    throw new RealtimeError(`There is no voice ${JSON.stringify(voice.slice(0, 100))}.`, {
      code: "invalid_value",
      param: "voice",
    });
  }
  if (tools && JSON.stringify(tools).length > MAX_TOOLS_CHARACTERS) {
    throw new RealtimeError(`Tools have at most ${MAX_TOOLS_CHARACTERS} characters in all.`, {
      code: "invalid_value",
      param: "tools",
    });
  }
  const modalities = update.output_modalities ?? update.modalities;
  return {
    instructions: update.instructions ?? settings.instructions,
    tools:
      tools?.map(({ name, description, parameters }) => ({
        name,
        description: description ?? "",
        parameters: parameters ?? { type: "object", properties: {} },
      })) ?? settings.tools,
    toolChoice: update.tool_choice ?? settings.toolChoice,
    wantsAudio: modalities ? modalities.includes("audio") : settings.wantsAudio,
    maxTokens: update.max_output_tokens ?? update.max_response_output_tokens ?? settings.maxTokens,
    voice,
    outputFormat: format ? formatOf(format) : settings.outputFormat,
  };
}

function formatOf(format: FormatInput): AudioFormat {
  return typeof format === "string" ? format : FORMATS[format.type];
}

function turnDetectionOf(input: NonNullable<SessionUpdate["turn_detection"]>): TurnDetection {
  const { threshold, silenceMs, eagerness, createsResponse, interruptsResponse } = DEFAULT_TURN_DETECTION;
  return {
    type: input.type,
    threshold: input.threshold ?? threshold,
    silenceMs: input.silence_duration_ms ?? silenceMs,
    eagerness: input.eagerness ?? eagerness,
    createsResponse: input.create_response ?? createsResponse,
    interruptsResponse: input.interrupt_response ?? interruptsResponse,
  };
}

/** The session as `session.created` and `session.updated` show it. */
export function sessionObject(
  settings: SessionSettings,
  { id, model, dialect }: { id: string; model: string; dialect: Dialect },
): Record<string, unknown> {
  const { instructions, wantsAudio, voice, speed = 1, tools, toolChoice, maxTokens, transcription } = settings;
  const common = {
    id,
    object: "realtime.session",
    model,
    instructions,
    tools: tools.map((tool) => ({ type: "function", ...tool })),
    tool_choice: toolChoice,
  };
  const detection = settings.turnDetection && turnDetectionObject(settings.turnDetection);
  const transcribing = transcription && { ...transcription, language: settings.expectedLanguage ?? null };
  if (settings.type === "transcription") {
    return transcriptionObject(settings, { id, dialect, detection, transcribing: transcribing ?? { model: OUR_STT } });
  }
  if (dialect === "beta") {
    return {
      ...common,
      modalities: wantsAudio ? ["text", "audio"] : ["text"],
      voice,
      speed,
      input_audio_format: settings.inputFormat,
      output_audio_format: settings.outputFormat,
      input_audio_transcription: transcribing,
      turn_detection: detection,
      temperature: 0.8,
      max_response_output_tokens: maxTokens,
    };
  }
  return {
    type: "realtime",
    ...common,
    output_modalities: [wantsAudio ? "audio" : "text"],
    audio: {
      input: {
        format: formatObject(settings.inputFormat),
        transcription: transcribing,
        noise_reduction: null,
        turn_detection: detection,
      },
      output: { format: formatObject(settings.outputFormat), voice, speed },
    },
    max_output_tokens: maxTokens,
    truncation: "auto",
    tracing: null,
    include: null,
  };
}

/** The same of a transcription session. */
function transcriptionObject(
  { inputFormat }: SessionSettings,
  {
    id,
    dialect,
    detection,
    transcribing,
  }: { id: string; dialect: Dialect; detection: object | null; transcribing: object },
): Record<string, unknown> {
  const common = { id, object: "realtime.transcription_session" };
  if (dialect === "beta") {
    return {
      ...common,
      input_audio_format: inputFormat,
      input_audio_transcription: transcribing,
      turn_detection: detection,
    };
  }
  const input = { format: formatObject(inputFormat), transcription: transcribing, noise_reduction: null };
  return { type: "transcription", ...common, audio: { input: { ...input, turn_detection: detection } }, include: null };
}

/** A format as events of today name it. */
export function formatObject(format: AudioFormat): Record<string, unknown> {
  if (format === "pcm16") return { type: "audio/pcm", rate: 24_000 };
  return { type: format === "g711_ulaw" ? "audio/pcmu" : "audio/pcma" };
}

function turnDetectionObject(detection: TurnDetection): Record<string, unknown> {
  const { type, threshold, silenceMs, eagerness, createsResponse, interruptsResponse } = detection;
  return {
    type,
    ...(type === "server_vad" ? { threshold, prefix_padding_ms: 300, silence_duration_ms: silenceMs } : { eagerness }),
    create_response: createsResponse,
    interrupt_response: interruptsResponse,
  };
}
