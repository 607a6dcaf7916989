// The process of the recogniser: recognises one utterance at a time. A process of its own because the network blocks
// its thread, takes 350 MB, and is ended when it is not used.

import { limitMemory, serveTasks } from "../../../program/child-process/serve-tasks.ts";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { int16AtRate } from "../../signal/audio/at-rate.ts";
import { createNodeRuntime } from "../../signal/inference/node-runtime.ts";
import { Recogniser, type Recognition } from "./recogniser.ts";
import type { RecognitionTask } from "./recognition-messages.ts";

/** Several times what it takes. */
const MAX_MEMORY_BYTES = 1_500_000_000;

const loading = Recogniser.load(createNodeRuntime());

limitMemory(MAX_MEMORY_BYTES);
serveTasks<RecognitionTask, Recognition>(
  async ({ samples, sampleRateHz, language }, _, signal) =>
    (await loading).recognise(int16AtRate(samples, sampleRateHz, SPEECH_SAMPLE_RATE_HZ), { language, signal }),
  { loading },
);
