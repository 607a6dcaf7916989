// A session of OpenAI's realtime events with our ears, mind and voice: events come in as objects and go out through a
// callback. It knows no socket and no room. What is said is kept in memory, as the text of items, until it is closed.
//
// The person's turn:
//   quiet    nothing is said                                        → talking (speech), quiet (a commit)
//   talking  `speech_started` has gone out                          → quiet (a turn, or it was no speech)
// The answer: at most one response at a time; see `realtime-response.ts`.
import { HEARING_SAMPLE_RATE_HZ, HEARING_SAMPLES_PER_MS } from "../../shared/units.ts";
import { isBackchannel } from "../conversation/backchannels.ts";
import { CUT_IN_MS } from "../conversation/conversation.ts";
import type { TurnTimes } from "../conversation/conversation-listener.ts";
import type { ConversationEars, ConversationMind, EndOfTurn } from "../conversation/conversation-parts.ts";
import type { SpeechTimes } from "../conversation/person-speech.ts";
import type { SpeechWindow } from "../conversation/turn-listener.ts";
import { FASTEST_SPEED, SLOWEST_SPEED } from "../voice/speech-options.ts";
import type { Voice } from "../voice/voice.ts";
import { AudioReader } from "./audio-formats.ts";
import {
  type ClientEvent,
  eventIdOf,
  parseClientEvent,
  type ResponseOverrides,
  type SessionUpdate,
} from "./client-events.ts";
import { type ConversationItem, type HeardPart, itemOf, type MessageItem } from "./conversation-items.ts";
import { Dictation } from "./dictation.ts";
import { InputAudio, type WindowSource } from "./input-audio.ts";
import { addSpoken, ItemEvents } from "./item-events.ts";
import { ItemList } from "./item-list.ts";
import { PersonEvents } from "./person-events.ts";
import { PersonTurns } from "./person-turns.ts";
import { RealtimeError } from "./realtime-error.ts";
import { newId, RealtimeOutput, type ServerEvent } from "./realtime-output.ts";
import { RealtimeResponse, type WrittenText } from "./realtime-response.ts";
import { realtimeVoice } from "./realtime-voices.ts";
import { ResponseWriter } from "./response-writer.ts";
import {
  type Dialect,
  initialSettings,
  overriddenSettings,
  type ResponseSettings,
  type SessionSettings,
  sessionObject,
  updatedSettings,
} from "./session-settings.ts";

/** Less speech than this is no word, ms. */
const LEAST_SPEECH_MS = 96;
/** Less audio than this is not committed, ms. */
const LEAST_COMMIT_MS = 100;
/** What a transcription session takes. */
const TRANSCRIPTION_EVENTS: readonly ClientEvent["type"][] = [
  "session.update",
  "transcription_session.update",
  "input_audio_buffer.append",
  "input_audio_buffer.commit",
  "input_audio_buffer.clear",
];

export interface RealtimeParts {
  ears: ConversationEars;
  endOfTurn: EndOfTurn;
  /** Null without a language model. */
  mind: ConversationMind | null;
  voice: Voice;
  /** Opens a detector of speech, which is closed with the session. */
  openDetector(onWindow: (window: SpeechWindow) => void): WindowSource;
}

export interface RealtimeSessionOptions extends RealtimeParts {
  /** What is said is only written down, for good. Default false: the client may say so with its settings. */
  isTranscription?: boolean;
  /** What the recogniser is told; undefined: it finds out. */
  expectedLanguage: string | undefined;
  /** How the client spells events. */
  dialect: Dialect;
  /** Name of the model, which the client is told. */
  model: string;
  /** Until the client sets others. */
  instructions: string;
  /** A voice that `realtimeVoice` knows. */
  voiceName: string;
  /** A BCP 47 tag. */
  language: string;
  /** What was said to the person before; empty if nothing was. */
  greeting?: string;
  /** Id of the person, and headers, for the model's server. */
  user?: string;
  headers?: Readonly<Record<string, string>>;
  /** Must not throw. */
  send(event: ServerEvent): void;
  /** The person got an answer. */
  onTurn?(times: TurnTimes): void;
  onFault?(part: "ears" | "mind" | "voice", error: unknown): void;
}

/** An answer that is written ahead. */
interface PreparedText {
  text: string;
  written: WrittenText;
  /** Of items and settings. */
  version: string;
}

export class RealtimeSession {
  readonly #options: RealtimeSessionOptions;
  readonly #output: RealtimeOutput;
  readonly #id = newId("sess");
  readonly #conversationId = newId("conv");
  readonly #items = new ItemList();
  readonly #input: InputAudio;
  readonly #turns: PersonTurns;
  readonly #person: PersonEvents;
  readonly #itemEvents: ItemEvents;
  readonly #dictation: Dictation;
  readonly #writer: ResponseWriter;
  #reader: AudioReader;
  #settings: SessionSettings;
  #settingsVersion = 0;
  #response: RealtimeResponse | undefined;
  /** The same, also when it is over. */
  #lastResponse: RealtimeResponse | undefined;
  #prepared: PreparedText | undefined;
  /** A turn has come during a response that it does not interrupt. */
  #isAnswerDue = false;
  readonly #closing = new AbortController();

  constructor(options: RealtimeSessionOptions) {
    this.#options = options;
    const { dialect, send, instructions, voiceName, language, expectedLanguage, greeting = "" } = options;
    this.#output = new RealtimeOutput(dialect, (event) => {
      if (!this.#isClosed) send(event);
    });
    const type = options.isTranscription ? "transcription" : "realtime";
    this.#settings = initialSettings({ type, instructions, voice: voiceName, language, expectedLanguage });
    const ears: ConversationEars = {
      transcribe: (samples, { signal }) =>
        options.ears.transcribe(samples, { language: this.#settings.expectedLanguage, signal }),
    };
    this.#reader = new AudioReader(this.#settings.inputFormat);
    this.#person = new PersonEvents(
      this.#output,
      this.#items,
      () => this.#isTranscription || this.#settings.transcription !== null,
    );
    this.#itemEvents = new ItemEvents({
      items: this.#items,
      output: this.#output,
      hear: (audio, itemId) => this.#hearItem(audio, itemId),
    });
    this.#dictation = new Dictation(ears, this.#closing.signal);
    this.#writer = new ResponseWriter(options);
    this.#turns = new PersonTurns({
      ears,
      endOfTurn: options.endOfTurn,
      settings: () => this.#settings,
      events: {
        onSpeech: (speechMs) => this.#onSpeech(speechMs),
        onWaiting: () => undefined,
        onPause: (text, isDoubtful) => this.#onPause(text, isDoubtful),
        onContinued: () => this.#dropPrepared(),
        onNoise: () => this.#onNoise(),
        onTurn: (text, times) => this.#onTurn(text, times),
        onFailed: (error) => this.#onUnheard(error),
      },
    });
    this.#input = new InputAudio(
      (onWindow) => options.openDetector(onWindow),
      (window) => this.#turns.push(window),
    );
    if (greeting !== "") {
      const parts: MessageItem["parts"] = [{ kind: "text", text: greeting }];
      this.#items.add({ id: newId("item"), type: "message", role: "assistant", status: "completed", parts });
    }
  }

  /** Tells the client that the session is there. Once. */
  start(): void {
    this.#tellSession("created");
    if (this.#output.dialect === "beta" && !this.#isTranscription) {
      this.#output.emit("conversation.created", {
        conversation: { id: this.#conversationId, object: "realtime.conversation" },
      });
    }
  }

  /** Takes a client's event. What is wrong with it is told in an `error` event. Never throws. */
  receive(value: unknown): void {
    if (this.#isClosed) return;
    try {
      this.#take(parseClientEvent(value));
    } catch (error) {
      this.#refuse(error, eventIdOf(value));
    }
  }

  /** A frame was no event. */
  refuse(message: string, code = "invalid_json"): void {
    this.#refuse(new RealtimeError(message, { code }), null);
  }

  /** Ends what is said. No event goes out any more. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#closing.abort(new Error("the session is closed"));
    this.#turns.drop();
    this.#dropPrepared();
    this.#response?.cancel("client_cancelled");
    this.#input.close();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #refuse(error: unknown, eventId: string | null): void {
    const isKnown = error instanceof RealtimeError;
    if (!isKnown) this.#options.onFault?.("mind", error);
    this.#output.emit("error", {
      error: {
        type: isKnown ? "invalid_request_error" : "server_error",
        code: isKnown ? error.code : "server_error",
        message: isKnown ? error.message : "The event could not be processed.",
        param: (isKnown ? error.param : undefined) ?? null,
        event_id: eventId,
      },
    });
  }

  #take(event: ClientEvent): void {
    if (this.#isTranscription && !TRANSCRIPTION_EVENTS.includes(event.type)) {
      const message = "A transcription session has no responses and takes no items: send audio, or session.update.";
      throw new RealtimeError(message, { code: "invalid_value", param: "type" });
    }
    if (event.type === "session.update") this.#updateAs(event.session);
    else if (event.type === "transcription_session.update") this.#updateAs({ ...event.session, type: "transcription" });
    else if (event.type === "input_audio_buffer.append") this.#append(event.audio);
    else if (event.type === "input_audio_buffer.commit") this.#commit();
    else if (event.type === "input_audio_buffer.clear") this.#clear();
    else if (event.type === "response.create") this.#createResponse(event.response ?? {});
    else if (event.type === "response.cancel") this.#cancel(event.response_id);
    else if (event.type !== "output_audio_buffer.clear") this.#itemEvents.take(event);
  }

  /** Clients name their default model beside instructions and tools, which must not be lost with it. */
  #updateAs(update: SessionUpdate): void {
    this.#update(updatedSettings(this.#settings, update));
    if (update.model == null || update.model === this.#options.model) return;
    const message = `The model of a call is fixed when it connects: "${this.#options.model}". Everything else was applied.`;
    throw new RealtimeError(message, { code: "MODEL_LOCKED", param: "session.model" });
  }

  #update(settings: SessionSettings): void {
    const { inputFormat, turnDetection } = this.#settings;
    this.#settings = settings;
    this.#settingsVersion += 1;
    if (settings.inputFormat !== inputFormat) this.#reader = new AudioReader(settings.inputFormat);
    if ((settings.turnDetection === null) !== (turnDetection === null)) this.#dropInput();
    if (this.#isTranscription) {
      this.#dropPrepared();
      this.#response?.cancel("client_cancelled");
    }
    this.#tellSession("updated");
    if (settings.wantsAudio && !this.#isTranscription) this.#options.voice.warmUp?.(settings.language);
  }

  #append(audio: string): void {
    const samples = this.#reader.read(audio);
    if (this.#settings.turnDetection) this.#input.push(samples);
    else this.#input.buffer(samples);
  }

  #clear(): void {
    this.#dropInput();
    this.#output.emit("input_audio_buffer.cleared");
  }

  #dropInput(): void {
    this.#input.clear();
    this.#turns.drop();
    this.#dropPrepared();
    this.#person.forget();
  }

  #commit(): void {
    if (this.#settings.turnDetection) {
      if (!this.#turns.endTurn()) throw emptyBuffer(0);
      return;
    }
    const { bufferedSamples } = this.#input;
    const bufferedMs = bufferedSamples / HEARING_SAMPLES_PER_MS;
    if (bufferedMs < LEAST_COMMIT_MS) throw emptyBuffer(bufferedMs);
    // What cannot be taken now stays in the buffer.
    this.#dictation.assertRoomFor(bufferedSamples);
    const itemId = newId("item");
    this.#person.commit(itemId, this.#writeDown(this.#input.takeBuffer(), itemId));
  }

  #cancel(responseId: string | undefined): void {
    const response = this.#activeResponse;
    if (!response || (responseId !== undefined && responseId !== response.id)) {
      const message = "Cancellation failed: no active response found";
      throw new RealtimeError(message, { code: "response_cancel_not_active" });
    }
    response.cancel("client_cancelled");
  }

  get #isAnswering(): boolean {
    return this.#activeResponse !== undefined || this.#lastResponse?.isHeard === true;
  }

  /** The person has paused after these words. A hum beside an answer is no turn, if it was too short to end it. */
  #onPause(text: string, isDoubtful: boolean): void {
    const isHum = isDoubtful || isBackchannel(text, this.#settings.language);
    if (isHum && this.#isAnswering && !this.#person.isSpeaking) this.#turns.drop();
    else this.#prepare(text);
  }

  /** The person speaks for `speechMs`. A shorter sound than a word is none; beside an answer it takes a little more. */
  #onSpeech(speechMs: number): void {
    if (!this.#person.isSpeaking && speechMs >= (this.#isAnswering ? CUT_IN_MS : LEAST_SPEECH_MS))
      this.#beginSpeech(speechMs);
  }

  #beginSpeech(speechMs: number): void {
    this.#person.started(this.#input.receivedMs - speechMs);
    if (!this.#settings.turnDetection?.interruptsResponse) return;
    this.#lastResponse?.cutIn();
    this.#response?.cancel("turn_detected");
  }

  #endSpeech(): string {
    if (!this.#person.isSpeaking) this.#beginSpeech(0);
    return this.#person.stopped(this.#input.receivedMs);
  }

  #onNoise(): void {
    this.#dropPrepared();
    if (this.#person.isSpeaking) this.#endSpeech();
  }

  #onTurn(text: string, times: SpeechTimes): void {
    const itemId = this.#endSpeech();
    const prepared = this.#takePrepared(text);
    this.#person.commit(itemId, { kind: "heard", transcript: text, known: Promise.resolve() });
    this.#person.heard(itemId, text);
    if (this.#answersTurns) this.#answer({ times, written: prepared });
    else prepared?.answer.cancel();
  }

  #onUnheard(error: unknown): void {
    this.#options.onFault?.("ears", error);
    const itemId = this.#endSpeech();
    this.#person.commit(itemId, { kind: "heard", transcript: undefined, known: Promise.resolve() });
    this.#person.unheard(itemId);
    if (!this.#answersTurns) return;
    this.#answer({ written: this.#writer.fixed("not-heard", this.#settings.language) });
  }

  /** Writes committed audio down. Throws RealtimeError if too much waits. */
  #writeDown(samples: Int16Array, itemId: string): HeardPart {
    return this.#dictation.add(samples, {
      language: this.#settings.language,
      onText: (text) => {
        this.#items.touch();
        this.#person.heard(itemId, text, samples.length / HEARING_SAMPLE_RATE_HZ);
      },
      onFailed: (error) => {
        this.#options.onFault?.("ears", error);
        this.#person.unheard(itemId);
      },
    });
  }

  /** The words may be a turn: the mind begins to answer. */
  #prepare(text: string): void {
    if (!this.#answersTurns || this.#isBusy) return;
    if (this.#prepared?.text === text && this.#prepared.version === this.#version) return;
    this.#dropPrepared();
    const said: MessageItem = {
      id: "ahead",
      type: "message",
      role: "user",
      status: "in_progress",
      parts: [{ kind: "text", text }],
    };
    const written = this.#write(this.#settings, () => [...this.#items.items, said]);
    this.#prepared = { text, written, version: this.#version };
  }

  /** Whether a response is not over, which the person's words do not end. */
  get #isBusy(): boolean {
    return this.#activeResponse !== undefined && !this.#settings.turnDetection?.interruptsResponse;
  }

  /** The response that is not over. */
  get #activeResponse(): RealtimeResponse | undefined {
    return this.#response?.isOver === false ? this.#response : undefined;
  }

  get #version(): string {
    return `${this.#items.version}.${this.#settingsVersion}`;
  }

  #dropPrepared(): void {
    this.#prepared?.written.answer.cancel();
    this.#prepared = undefined;
  }

  #takePrepared(text: string): WrittenText | undefined {
    const prepared = this.#prepared;
    if (prepared?.text === text && prepared.version === this.#version) {
      this.#prepared = undefined;
      return prepared.written;
    }
    this.#dropPrepared();
    return undefined;
  }

  /** Answers a turn of the person. */
  #answer({ times, written }: { times?: SpeechTimes; written?: WrittenText }): void {
    const active = this.#activeResponse;
    if (active) {
      if (!this.#settings.turnDetection?.interruptsResponse) {
        written?.answer.cancel();
        this.#isAnswerDue = true;
        return;
      }
      active.cancel("turn_detected");
    }
    this.#respond({ settings: this.#settings, written, times });
  }

  #createResponse(overrides: ResponseOverrides): void {
    if (this.#activeResponse) {
      throw new RealtimeError("Conversation already has an active response. Wait until it is done, or cancel it.", {
        code: "conversation_already_has_active_response",
      });
    }
    const { audio, voice, output_audio_format: format, input, conversation, metadata } = overrides;
    const settings = overriddenSettings(this.#settings, {
      ...overrides,
      voice: audio?.output?.voice ?? voice,
      output_audio_format: audio?.output?.format ?? format,
    });
    this.#dropPrepared();
    this.#respond({
      settings,
      metadata: metadata ?? null,
      isInConversation: conversation !== "none",
      items: input && this.#inputItems(input),
    });
  }

  /** Items that stand for the conversation in one response. */
  #inputItems(input: NonNullable<ResponseOverrides["input"]>): ConversationItem[] {
    return input.map((entry) => {
      if (entry.type === "item_reference") return this.#items.get(entry.id);
      const id = entry.id ?? newId("item");
      return itemOf(entry, id, (audio) => this.#hearItem(audio, id));
    });
  }

  /** The audio of an item that the client has created. */
  #hearItem(audio: string, itemId: string): HeardPart {
    return this.#writeDown(new AudioReader(this.#settings.inputFormat).read(audio), itemId);
  }

  #respond({
    settings,
    metadata = null,
    isInConversation = true,
    items,
    written,
    times,
  }: {
    settings: ResponseSettings;
    metadata?: Readonly<Record<string, string>> | null;
    isInConversation?: boolean;
    items?: readonly ConversationItem[];
    written?: WrittenText;
    times?: SpeechTimes;
  }): void {
    const { voice, onFault, onTurn } = this.#options;
    const text = written ?? this.#write(settings, () => items ?? this.#items.items);
    const { language, speed } = this.#settings;
    const response = new RealtimeResponse({
      settings,
      speech: {
        voiceId: realtimeVoice(settings.voice),
        language,
        ...(speed !== undefined && { speed: Math.min(FASTEST_SPEED, Math.max(SLOWEST_SPEED, speed)) }),
      },
      metadata,
      isInConversation,
      text,
      voice,
      output: this.#output,
      conversationId: this.#conversationId,
      onItem: (item) => addSpoken(this.#items, this.#output, item),
      onChange: () => this.#items.touch(),
      onFault: (part, error) => onFault?.(part, error),
      onFirst: () => {
        if (times) onTurn?.(turnTimes(times, text.answer.firstPieceAtMs));
      },
    });
    this.#response = response;
    this.#lastResponse = response;
    void response.ended.then(() => this.#onResponseOver(response));
  }

  #onResponseOver(response: RealtimeResponse): void {
    if (this.#response !== response) return;
    this.#response = undefined;
    if (!this.#isAnswerDue || this.#isClosed || this.#isTranscription) return;
    this.#isAnswerDue = false;
    this.#answer({});
  }

  /** Begins to write an answer. */
  #write(settings: ResponseSettings, items: () => readonly ConversationItem[]): WrittenText {
    return this.#writer.write({ settings, items, language: this.#settings.language });
  }

  get #isTranscription(): boolean {
    return this.#settings.type === "transcription";
  }

  get #answersTurns(): boolean {
    return !this.#isTranscription && this.#settings.turnDetection?.createsResponse === true;
  }

  #tellSession(change: "created" | "updated"): void {
    const isOfBeta = this.#isTranscription && this.#output.dialect === "beta";
    this.#output.emit(`${isOfBeta ? "transcription_session" : "session"}.${change}`, {
      session: this.#sessionObject(),
    });
  }

  #sessionObject(): Record<string, unknown> {
    const { model, dialect } = this.#options;
    return sessionObject(this.#settings, { id: this.#id, model, dialect });
  }
}

function emptyBuffer(bufferedMs: number): RealtimeError {
  return new RealtimeError(
    `Error committing input audio buffer: buffer too small. Expected at least ${LEAST_COMMIT_MS}ms of audio, but buffer only has ${bufferedMs.toFixed(2)}ms of audio.`,
    { code: "input_audio_buffer_commit_empty" },
  );
}

function turnTimes({ endOfSpeechMs, textMs, decidedMs }: SpeechTimes, firstPieceAtMs: number | undefined): TurnTimes {
  const since = (atMs: number) => Math.max(0, Math.round(atMs - endOfSpeechMs));
  return {
    isTyped: false,
    textMs: since(textMs),
    decidedMs: since(decidedMs),
    firstPieceMs: firstPieceAtMs === undefined ? undefined : since(firstPieceAtMs),
    firstSoundMs: since(performance.now()),
  };
}
