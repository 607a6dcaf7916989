// Wires speech into the api.

import { RequestSlots } from "../../program/http/request-slots.ts";
import { voicesFolder } from "../../src/speech/voice/fetched/fetched-voices.ts";
import type { Voice } from "../../src/speech/voice/voice.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Module } from "../kernel/module.ts";
import { createTranscriptions } from "./create-transcriptions.ts";
import { openAiRoutes } from "./openai-routes.ts";
import { previewRoutes } from "./preview-routes.ts";
import { SPEECH_FIELDS } from "./speech-fields.ts";
import {
  RETRY_AFTER_SECONDS,
  SPEECH_RESULTS,
  type SpeechServices,
  type TranscriptionPolicies,
} from "./speech-services.ts";
import { SpokenClips } from "./spoken-clips.ts";
import { studioRoutes } from "./studio-routes.ts";
import { transcriptionRoutes } from "./transcription-routes.ts";
import { ttsRoutes } from "./tts-routes.ts";

/** They share one voice process, piece by piece: more would make all of them slow. */
const MOST_SPEECHES = 8;
const MOST_SPEECHES_PER_ACCOUNT = 4;

export interface SpeechModuleOptions extends Kernel {
  /** Speaks for all requests; closed with the module. */
  voice: Voice;
  /** Overrides of the default bounds of transcriptions. */
  transcriptionPolicies?: Partial<TranscriptionPolicies>;
}

export interface SpeechModule extends Module {
  clips: SpokenClips;
}

/** Builds the module. */
export function createSpeechModule(options: SpeechModuleOptions): SpeechModule {
  const { config, database, metrics, voice } = options;
  const slots = new RequestSlots({
    most: MOST_SPEECHES,
    mostPerOwner: MOST_SPEECHES_PER_ACCOUNT,
    refusal: "Too many texts are being spoken. Try again later.",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
  const { transcriptions, close: closeTranscriptions } = createTranscriptions(options, options.transcriptionPolicies);
  const services: SpeechServices = {
    database,
    voice,
    voicesFolder: voicesFolder(config.disk.dataDir),
    slots,
    ffmpegPath: config.rendering.ffmpegPath,
    countSpeech: metrics.counter("avatar_speeches_total", "Texts that were to be spoken, by result.", {
      name: "result",
      values: SPEECH_RESULTS,
    }),
    transcriptions,
  };
  metrics.gauge("avatar_speeches", "Texts that are being spoken for requests.", async () => slots.count);
  const clips = new SpokenClips({ services, storage: options.storage, voice: config.voice });
  return {
    clips,
    routes: [
      ...ttsRoutes(services),
      ...studioRoutes(services),
      ...previewRoutes(services, clips),
      ...openAiRoutes(services),
      ...transcriptionRoutes(services),
    ],
    fields: SPEECH_FIELDS,
    jobs: [],
    loops: [],
    async close() {
      await Promise.all([voice.close(), closeTranscriptions()]);
    },
  };
}
