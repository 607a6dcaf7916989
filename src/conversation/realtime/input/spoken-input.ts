// What the person says in a session: audio that comes all the time and holds turns, or audio that the client commits.
import { LIP_SYNC_SAMPLES_PER_MS, SPEECH_SAMPLE_RATE_HZ } from "../../../../shared/units.ts";
import type { ConversationStt, EndOfTurn } from "../../turns/conversation-parts.ts";
import type { SpeechTimes } from "../../turns/person-speech.ts";
import type { SpeechWindow } from "../../turns/turn-listener.ts";
import { CUT_IN_MS, TurnTaker } from "../../turns/turn-taker.ts";
import { AudioReader } from "../audio-formats.ts";
import type { AudioPart } from "../items/conversation-items.ts";
import type { ItemList } from "../items/item-list.ts";
import { RealtimeError } from "../realtime-error.ts";
import { newId, type RealtimeOutput } from "../realtime-output.ts";
import type { AheadText, SessionMode } from "../session-mode.ts";
import type { SessionSettings } from "../session-settings.ts";
import { Dictation } from "./dictation.ts";
import { InputAudio, type WindowSource } from "./input-audio.ts";
import { PersonEvents } from "./person-events.ts";
import { atUsualThreshold, detectedSpeech } from "./turn-detection.ts";

/** Less speech than this is no word, ms. */
const LEAST_SPEECH_MS = 96;
/** Less audio than this is not committed, ms. */
const LEAST_COMMIT_MS = 100;

export interface SpokenInputOptions {
  stt: ConversationStt;
  endOfTurn: EndOfTurn;
  openDetector(onWindow: (window: SpeechWindow) => void): WindowSource;
  items: ItemList;
  output: RealtimeOutput;
  /** The present ones. */
  settings(): SessionSettings;
  /** What gets the turns. */
  mode(): SessionMode;
  /** Ends what is being written down. */
  signal: AbortSignal;
  onFault?(part: "stt", error: unknown): void;
}

export class SpokenInput {
  readonly #options: SpokenInputOptions;
  readonly #audio: InputAudio;
  readonly #taker: TurnTaker<AheadText>;
  readonly #person: PersonEvents;
  readonly #dictation: Dictation;
  #reader: AudioReader;

  constructor(options: SpokenInputOptions) {
    this.#options = options;
    const { endOfTurn, openDetector, items, output, settings, mode, signal } = options;
    const stt: ConversationStt = {
      transcribe: (samples, task) =>
        options.stt.transcribe(samples, { language: settings().expectedLanguage, signal: task.signal }),
    };
    this.#reader = new AudioReader(settings().inputFormat);
    this.#person = new PersonEvents(
      output,
      items,
      () => settings().type === "transcription" || settings().transcription !== null,
    );
    this.#dictation = new Dictation(stt, signal);
    this.#taker = new TurnTaker({
      speech: detectedSpeech({ stt, endOfTurn }, settings),
      // A hum that was long enough to end the answer is a turn.
      isAnswering: () => mode().isAnswering && !this.#person.isSpeaking,
      writeAhead: (text) => mode().writeAhead(text),
      events: {
        onSpeech: (speechMs) => this.#onSpeech(speechMs),
        onWaiting: () => undefined,
        onWords: () => undefined,
        onNoise: () => {
          if (this.#person.isSpeaking) this.#endSpeech();
        },
        onTurn: (text, times) => this.#onTurn(text, times),
        onFailed: (error) => this.#onNotUnderstood(error),
      },
    });
    this.#audio = new InputAudio(
      (onWindow) => openDetector(onWindow),
      (window) => this.#taker.push(atUsualThreshold(window, settings())),
    );
  }

  /** The settings were others until now. */
  onSettings({ inputFormat, turnDetection }: SessionSettings): void {
    const settings = this.#options.settings();
    if (settings.inputFormat !== inputFormat) this.#reader = new AudioReader(settings.inputFormat);
    if ((settings.turnDetection === null) !== (turnDetection === null)) this.drop();
  }

  /** Throws RealtimeError if too much waits. */
  append(audio: string): void {
    const samples = this.#reader.read(audio);
    if (this.#options.settings().turnDetection) this.#audio.push(samples);
    else this.#audio.buffer(samples);
  }

  /** The client ends the turn, or commits what was kept. Throws RealtimeError if nothing is buffered, or too much
   *  waits. */
  commit(): void {
    if (this.#options.settings().turnDetection) {
      if (!this.#taker.endTurn()) throw emptyBuffer(0);
      return;
    }
    const { bufferedSamples } = this.#audio;
    const bufferedMs = bufferedSamples / LIP_SYNC_SAMPLES_PER_MS;
    if (bufferedMs < LEAST_COMMIT_MS) throw emptyBuffer(bufferedMs);
    // What cannot be taken now stays in the buffer.
    this.#dictation.assertFits(bufferedSamples);
    const itemId = newId("item");
    this.#person.commit(itemId, this.#writeDown(this.#audio.takeBuffer(), itemId));
  }

  /** Forgets what no turn has taken. */
  drop(): void {
    this.#audio.clear();
    this.#taker.drop();
    this.#person.forget();
  }

  /** Cancels the answer that was written ahead. */
  dropAnswer(): void {
    this.#taker.dropAnswer();
  }

  /** Writes down the audio of an item that the client has created, base64. Throws RealtimeError. */
  transcribeItem(audio: string, itemId: string): AudioPart {
    return this.#writeDown(new AudioReader(this.#options.settings().inputFormat).read(audio), itemId);
  }

  /** Idempotent. */
  close(): void {
    this.#taker.drop();
    this.#audio.close();
  }

  /** Sounds shorter than `LEAST_SPEECH_MS` are ignored; beside an answer, those shorter than `CUT_IN_MS`. */
  #onSpeech(speechMs: number): void {
    const leastMs = this.#options.mode().isAnswering ? CUT_IN_MS : LEAST_SPEECH_MS;
    if (!this.#person.isSpeaking && speechMs >= leastMs) this.#beginSpeech(speechMs);
  }

  #beginSpeech(speechMs: number): void {
    this.#person.started(this.#audio.receivedMs - speechMs);
    this.#options.mode().onSpeech();
  }

  #endSpeech(): string {
    if (!this.#person.isSpeaking) this.#beginSpeech(0);
    return this.#person.stopped(this.#audio.receivedMs);
  }

  #onTurn(text: string, times: SpeechTimes): void {
    const itemId = this.#endSpeech();
    // Before the item changes the conversation that it was written for.
    const written = this.#taker.takeAnswer(text);
    this.#person.commit(itemId, { kind: "audio", transcript: text, known: Promise.resolve() });
    this.#person.understood(itemId, text);
    this.#options.mode().onTurn(times, written);
  }

  #onNotUnderstood(error: unknown): void {
    this.#options.onFault?.("stt", error);
    const itemId = this.#endSpeech();
    this.#person.commit(itemId, { kind: "audio", transcript: undefined, known: Promise.resolve() });
    this.#person.notUnderstood(itemId);
    this.#options.mode().onNotUnderstood();
  }

  /** Writes committed audio down. Throws RealtimeError if too much waits. */
  #writeDown(samples: Int16Array, itemId: string): AudioPart {
    const { items, settings, onFault } = this.#options;
    return this.#dictation.add(samples, {
      language: settings().language,
      onText: (text) => {
        items.touch();
        this.#person.understood(itemId, text, samples.length / SPEECH_SAMPLE_RATE_HZ);
      },
      onFailed: (error) => {
        onFault?.("stt", error);
        this.#person.notUnderstood(itemId);
      },
    });
  }
}

function emptyBuffer(bufferedMs: number): RealtimeError {
  return new RealtimeError(
    `Error committing input audio buffer: buffer too small. Expected at least ${LEAST_COMMIT_MS}ms of audio, but buffer only has ${bufferedMs.toFixed(2)}ms of audio.`,
    { code: "input_audio_buffer_commit_empty" },
  );
}
