// The part of @echogarden/espeak-ng-emscripten that we use. The package is GPL-3 and optional: it is loaded only inside
// the synthesizer process, never by the service itself.

export interface EspeakEvent {
  type: "sentence" | "word" | "phoneme" | "end" | "samplerate" | "mark" | "play" | "msg_terminated";
  /** Position in the text, in characters from 1. */
  text_position: number;
  word_length: number;
  /** Position in the audio, in ms. */
  audio_position: number;
  /** IPA for phonemes, a running number for words. */
  id: string | number | undefined;
}

export interface EspeakWorker {
  set_voice(name: string, language: string): number;
  set_pitch(pitch: number): number;
  set_range(range: number): number;
  set_rate(wordsPerMinute: number): number;
  get_samplerate(): number;
  /** Calls back with audio chunks (int16, mono) as they are made; returning true stops it. Returns when everything is
   *  spoken. */
  synthesize(text: string, onAudio: (samples: Int16Array | null, events: EspeakEvent[]) => boolean): void;
}

interface EspeakModule {
  eSpeakNGWorker: new () => EspeakWorker;
}

const PACKAGE = "@echogarden/espeak-ng-emscripten";

/** Loads the synthesizer (about 0.2 s). Rejects with code ERR_MODULE_NOT_FOUND if the optional package is not
 *  installed. */
export async function loadEspeak(): Promise<EspeakWorker> {
  const { default: createModule } = (await import(PACKAGE)) as { default: () => Promise<EspeakModule> };
  const espeak = await createModule();
  return new espeak.eSpeakNGWorker();
}
