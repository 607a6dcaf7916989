// The synthesizer process: speaks one sentence at a time. A process of its own because
// eSpeak NG blocks while it speaks, can crash on odd input, and is under another licence than the service.

import { limitMemory, serveTasks } from "../../../program/child-process/serve-tasks.ts";
import { EngineError } from "../../../shared/engine-error.ts";
import type { ReportedPhoneme, SentenceTask, SpokenSamples, SpokenWord } from "./espeak-messages.ts";
import { type EspeakWorker, loadEspeak } from "./espeak-module.ts";

/** Several times what it takes. */
const MAX_MEMORY_BYTES = 600_000_000;

function speak(espeak: EspeakWorker, task: SentenceTask): SpokenSamples {
  espeak.set_voice(task.voiceName, "");
  // Choosing a voice resets its settings, so they come after it, every time.
  espeak.set_pitch(task.pitch);
  espeak.set_range(task.range);
  espeak.set_rate(task.rateWpm);
  const pieces: Int16Array[] = [];
  const phonemes: ReportedPhoneme[] = [];
  const words: SpokenWord[] = [];
  espeak.synthesize(task.text, (samples, events) => {
    if (samples && samples.length > 0 && !task.phonemesOnly) pieces.push(samples);
    for (const event of events) {
      if (event.type === "phoneme") phonemes.push({ text: String(event.id), startMs: event.audio_position });
      if (event.type === "word") {
        words.push({ fromCharacter: event.text_position - 1, startMs: event.audio_position });
      }
    }
    return false;
  });
  const samples = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    samples.set(piece, offset);
    offset += piece.length;
  }
  return { sampleRateHz: espeak.get_samplerate(), samples, phonemes, words };
}

async function load(): Promise<EspeakWorker> {
  try {
    return await loadEspeak();
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
    const message = isMissing
      ? "No voice is installed. Run `npm install @echogarden/espeak-ng-emscripten`."
      : "The voice could not be loaded.";
    throw new EngineError("unavailable", message, { cause });
  }
}

const loading = load();
// Each sentence reports a synthesizer that cannot be loaded.
loading.catch(() => undefined);
limitMemory(MAX_MEMORY_BYTES);
serveTasks<SentenceTask, SpokenSamples>(async (task) => speak(await loading, task));
