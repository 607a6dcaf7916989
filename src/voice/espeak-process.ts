// The synthesizer process: speaks one sentence at a time for its parent and ends when the parent does. A process of its own because
// eSpeak NG blocks while it speaks, can crash on odd input, and is under another licence than the service.
import type { EspeakAnswer, EspeakRequest } from "./espeak-messages.ts";
import { type EspeakWorker, loadEspeak } from "./espeak-module.ts";
import type { TimedSymbol } from "./voice.ts";

function answer(message: EspeakAnswer): void {
  process.send?.(message);
}

function speak(espeak: EspeakWorker, request: EspeakRequest): EspeakAnswer {
  espeak.set_voice(request.voiceName, "");
  // Choosing a voice resets its settings, so they come after it, every time.
  espeak.set_pitch(request.pitch);
  espeak.set_range(request.range);
  espeak.set_rate(request.rateWpm);
  const pieces: Int16Array[] = [];
  const phonemes: TimedSymbol[] = [];
  const words: TimedSymbol[] = [];
  espeak.synthesize(request.text, (samples, events) => {
    if (samples && samples.length > 0) pieces.push(samples);
    for (const event of events) {
      if (event.type === "phoneme") phonemes.push({ text: String(event.id), startMs: event.audio_position });
      if (event.type === "word") {
        const from = event.text_position - 1;
        words.push({ text: request.text.slice(from, from + event.word_length), startMs: event.audio_position });
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
  return { type: "spoken", id: request.id, sampleRateHz: espeak.get_samplerate(), samples, phonemes, words };
}

async function main(): Promise<void> {
  process.on("disconnect", () => process.exit(0));
  let espeak: EspeakWorker;
  try {
    espeak = await loadEspeak();
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
    answer({ type: "unusable", missing, message: String(error) });
    process.disconnect();
    return;
  }
  process.on("message", (request: EspeakRequest) => {
    try {
      answer(speak(espeak, request));
    } catch (error) {
      answer({ type: "failed", id: request.id, message: String(error) });
    }
  });
  answer({ type: "ready" });
}

await main();
