// Wires speech into the api.
import { voicesFolder } from "../../src/voice/fetched/fetched-voices.ts";
import type { Voice } from "../../src/voice/voice.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Module } from "../kernel/module.ts";
import { openAiRoutes } from "./openai-routes.ts";
import { SPEECH_FIELDS } from "./speech-fields.ts";
import { SPEECH_RESULTS, type SpeechServices } from "./speech-services.ts";
import { SpeechSlots } from "./speech-slots.ts";
import { studioRoutes } from "./studio-routes.ts";
import { ttsRoutes } from "./tts-routes.ts";

/** They share one voice process, piece by piece: more would make all of them slow. */
const MOST_SPEECHES = 8;
const MOST_SPEECHES_PER_ACCOUNT = 4;

export interface SpeechModuleOptions extends Kernel {
  /** Speaks for all requests; closed with the module. */
  voice: Voice;
}

/** Builds the module. */
export function createSpeechModule({ config, database, metrics, voice }: SpeechModuleOptions): Module {
  const slots = new SpeechSlots({ most: MOST_SPEECHES, mostPerAccount: MOST_SPEECHES_PER_ACCOUNT });
  const services: SpeechServices = {
    database,
    voice,
    voicesFolder: voicesFolder(config.AVATAR_DATA_DIR),
    slots,
    ffmpegPath: config.FFMPEG_PATH,
    countSpeech: metrics.counter("avatar_speeches_total", "Texts that were to be spoken, by result.", {
      name: "result",
      values: SPEECH_RESULTS,
    }),
  };
  metrics.gauge("avatar_speeches", "Texts that are being spoken for requests.", async () => slots.count);
  return {
    routes: [...ttsRoutes(services), ...studioRoutes(services), ...openAiRoutes(services)],
    fields: SPEECH_FIELDS,
    jobs: [],
    loops: [],
    close: () => voice.close(),
  };
}
