// A session of OpenAI's realtime events with our ears, mind and voice: events come in as objects and go out through a
// callback. It knows no socket and no room. What is said is kept in memory, as the text of items, until it is closed.
//
// The person's turn:
//   quiet    nothing is said                                        → talking (speech), quiet (a commit)
//   talking  `speech_started` has gone out                          → quiet (a turn, or it was no speech)
// The answer: at most one response at a time; see `realtime-response.ts`.
import { CUT_IN_MS } from "../conversation/conversation.ts";
import type { TurnTimes } from "../conversation/conversation-listener.ts";
import type { ConversationEars, ConversationMind, EndOfTurn } from "../conversation/conversation-parts.ts";
import { fixedSentence } from "../conversation/fixed-sentences.ts";
import { spokenInstructions } from "../conversation/instructions.ts";
import type { SpeechTimes } from "../conversation/person-speech.ts";
import { PreparedAnswer } from "../conversation/prepared-answer.ts";
import type { SpeechWindow } from "../conversation/turn-listener.ts";
import type { AnswerReport, MindTurn } from "../mind/mind-turn.ts";
import { speakablePieces } from "../mind/speakable-pieces.ts";
import { FASTEST_SPEED, SLOWEST_SPEED } from "../voice/speech-options.ts";
import type { Voice } from "../voice/voice.ts";
import { AudioReader } from "./audio-formats.ts";
import { type ClientEvent, eventIdOf, parseClientEvent, type ResponseOverrides } from "./client-events.ts";
import { type ConversationItem, type HeardPart, itemObject, itemOf, type MessageItem } from "./conversation-items.ts";
import { InputAudio, type WindowSource } from "./input-audio.ts";
import { ItemList } from "./item-list.ts";
import { mindHistory } from "./mind-history.ts";
import { PersonTurns } from "./person-turns.ts";
import { RealtimeError } from "./realtime-error.ts";
import { newId, RealtimeOutput, type ServerEvent } from "./realtime-output.ts";
import { RealtimeResponse, type WrittenText } from "./realtime-response.ts";
import { realtimeVoice } from "./realtime-voices.ts";
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
/** Committed audio that is not written down yet: parts that may wait. */
const MOST_WAITING_PARTS = 8;

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

/** What `speech_started` has announced. */
interface OpenSpeech {
  itemId: string;
}

export class RealtimeSession {
  readonly #options: RealtimeSessionOptions;
  readonly #output: RealtimeOutput;
  readonly #id = newId("sess");
  readonly #conversationId = newId("conv");
  readonly #items = new ItemList();
  readonly #input: InputAudio;
  readonly #turns: PersonTurns;
  #reader: AudioReader;
  #settings: SessionSettings;
  #settingsVersion = 0;
  #speech: OpenSpeech | undefined;
  #response: RealtimeResponse | undefined;
  #prepared: PreparedText | undefined;
  /** A turn has come during a response that it does not interrupt. */
  #isAnswerDue = false;
  #writingDown: Promise<void> = Promise.resolve();
  #waitingParts = 0;
  readonly #closing = new AbortController();

  constructor(options: RealtimeSessionOptions) {
    this.#options = options;
    const { dialect, send, instructions, voiceName, language, greeting = "" } = options;
    this.#output = new RealtimeOutput(dialect, (event) => {
      if (!this.#isClosed) send(event);
    });
    this.#settings = initialSettings({ instructions, voice: voiceName, language });
    this.#reader = new AudioReader(this.#settings.inputFormat);
    this.#turns = new PersonTurns({
      ears: options.ears,
      endOfTurn: options.endOfTurn,
      settings: () => this.#settings,
      events: {
        onSpeech: (speechMs) => this.#onSpeech(speechMs),
        onWaiting: () => undefined,
        onPause: (text) => this.#prepare(text),
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
    this.#output.emit("session.created", { session: this.#sessionObject() });
    if (this.#output.dialect === "beta") {
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
  refuse(message: string): void {
    this.#refuse(new RealtimeError(message, { code: "invalid_json" }), null);
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
    if (event.type === "session.update") this.#update(updatedSettings(this.#settings, event.session));
    else if (event.type === "input_audio_buffer.append") this.#append(event.audio);
    else if (event.type === "input_audio_buffer.commit") this.#commit();
    else if (event.type === "input_audio_buffer.clear") this.#clear();
    else if (event.type === "response.create") this.#createResponse(event.response ?? {});
    else if (event.type === "response.cancel") this.#cancel(event.response_id);
    else if (event.type !== "output_audio_buffer.clear") this.#takeItemEvent(event);
  }

  #takeItemEvent(event: Extract<ClientEvent, { type: `conversation.item.${string}` }>): void {
    if (event.type === "conversation.item.create") this.#create(event);
    else if (event.type === "conversation.item.truncate") this.#truncate(event.item_id, event.audio_end_ms);
    else if (event.type === "conversation.item.retrieve") {
      this.#output.emit("conversation.item.retrieved", { item: this.#object(this.#items.get(event.item_id)) });
    } else {
      this.#items.remove(event.item_id);
      this.#output.emit("conversation.item.deleted", { item_id: event.item_id });
    }
  }

  #update(settings: SessionSettings): void {
    const { inputFormat, turnDetection } = this.#settings;
    this.#settings = settings;
    this.#settingsVersion += 1;
    if (settings.inputFormat !== inputFormat) this.#reader = new AudioReader(settings.inputFormat);
    if ((settings.turnDetection === null) !== (turnDetection === null)) this.#dropInput();
    this.#output.emit("session.updated", { session: this.#sessionObject() });
    if (settings.wantsAudio) this.#options.voice.warmUp?.(settings.language);
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
    this.#speech = undefined;
  }

  #commit(): void {
    if (this.#settings.turnDetection) {
      if (!this.#turns.endTurn()) throw emptyBuffer(0);
      return;
    }
    const { bufferedMs } = this.#input;
    if (bufferedMs < LEAST_COMMIT_MS) throw emptyBuffer(bufferedMs);
    const itemId = newId("item");
    this.#addSpoken(itemId, this.#writeDown(this.#input.takeBuffer(), itemId));
  }

  #create({
    item: input,
    previous_item_id: behindId,
  }: Extract<ClientEvent, { type: "conversation.item.create" }>): void {
    const id = input.id ?? newId("item");
    const reader = new AudioReader(this.#settings.inputFormat);
    const item = itemOf(input, id, (audio) => this.#writeDown(reader.read(audio), id));
    const previous = this.#items.add(item, behindId);
    this.#announce(item, previous);
  }

  #announce(item: ConversationItem, previous: string | null): void {
    this.#output.emit("conversation.item.added", { previous_item_id: previous, item: this.#object(item) });
    this.#output.emit("conversation.item.done", { previous_item_id: previous, item: this.#object(item) });
  }

  #truncate(itemId: string, audioEndMs: number): void {
    const item = this.#items.get(itemId);
    const part = item.type === "message" ? item.parts.find(({ kind }) => kind === "spoken") : undefined;
    if (part?.kind !== "spoken" || !part.spoken) {
      const message = "Only audio that this session has answered with can be truncated.";
      throw new RealtimeError(message, { code: "invalid_value", param: "item_id" });
    }
    part.transcript = part.spoken.heardUntil(audioEndMs);
    this.#items.touch();
    const place = { item_id: itemId, content_index: 0, audio_end_ms: audioEndMs };
    this.#output.emit("conversation.item.truncated", place);
  }

  #cancel(responseId: string | undefined): void {
    const response = this.#activeResponse;
    if (!response || (responseId !== undefined && responseId !== response.id)) {
      const message = "Cancellation failed: no active response found";
      throw new RealtimeError(message, { code: "response_cancel_not_active" });
    }
    response.cancel("client_cancelled");
  }

  /** The person speaks for `speechMs`. A shorter sound than a word is none; beside an answer it takes a little more. */
  #onSpeech(speechMs: number): void {
    const isAnswering = this.#activeResponse !== undefined || this.#lastResponse?.isHeard === true;
    if (!this.#speech && speechMs >= (isAnswering ? CUT_IN_MS : LEAST_SPEECH_MS)) this.#beginSpeech(speechMs);
  }

  #beginSpeech(speechMs: number): OpenSpeech {
    this.#speech = { itemId: newId("item") };
    this.#output.emit("input_audio_buffer.speech_started", {
      audio_start_ms: Math.max(0, Math.round(this.#input.receivedMs - speechMs)),
      item_id: this.#speech.itemId,
    });
    if (this.#settings.turnDetection?.interruptsResponse) {
      this.#lastResponse?.cutIn();
      this.#response?.cancel("turn_detected");
    }
    return this.#speech;
  }

  #endSpeech(): string {
    const { itemId } = this.#speech ?? this.#beginSpeech(0);
    this.#speech = undefined;
    this.#output.emit("input_audio_buffer.speech_stopped", {
      audio_end_ms: Math.round(this.#input.receivedMs),
      item_id: itemId,
    });
    return itemId;
  }

  #onNoise(): void {
    this.#dropPrepared();
    if (this.#speech) this.#endSpeech();
  }

  #onTurn(text: string, times: SpeechTimes): void {
    const itemId = this.#endSpeech();
    const prepared = this.#takePrepared(text);
    this.#addSpoken(itemId, { kind: "heard", transcript: text, known: Promise.resolve() });
    this.#tellTranscript(itemId, text);
    if (this.#settings.turnDetection?.createsResponse) this.#answer({ times, written: prepared });
    else prepared?.answer.cancel();
  }

  #onUnheard(error: unknown): void {
    this.#options.onFault?.("ears", error);
    const itemId = this.#endSpeech();
    this.#addSpoken(itemId, { kind: "heard", transcript: undefined, known: Promise.resolve() });
    this.#tellUnheard(itemId);
    if (!this.#settings.turnDetection?.createsResponse) return;
    this.#answer({ written: this.#fixed("not-heard") });
  }

  /** The client learns of an item of the person's audio. */
  #addSpoken(itemId: string, part: HeardPart): void {
    const item: MessageItem = { id: itemId, type: "message", role: "user", status: "completed", parts: [part] };
    const previous = this.#items.add(item);
    this.#output.emit("input_audio_buffer.committed", { previous_item_id: previous, item_id: itemId });
    this.#announce(item, previous);
  }

  /** Writes committed audio down, one part after the other. */
  #writeDown(samples: Int16Array, itemId: string): HeardPart {
    if (this.#waitingParts >= MOST_WAITING_PARTS) {
      throw new RealtimeError("Too much audio waits to be written down.", { code: "input_audio_buffer_full" });
    }
    this.#waitingParts += 1;
    const { ears, onFault } = this.#options;
    const { language } = this.#settings;
    const { signal } = this.#closing;
    const part: HeardPart = { kind: "heard", transcript: undefined, known: Promise.resolve() };
    part.known = this.#writingDown.then(async () => {
      try {
        part.transcript = (await ears.transcribe(samples, { language, signal })).text;
        this.#items.touch();
        this.#tellTranscript(itemId, part.transcript);
      } catch (error) {
        if (this.#isClosed) return;
        onFault?.("ears", error);
        this.#tellUnheard(itemId);
      } finally {
        this.#waitingParts -= 1;
      }
    });
    this.#writingDown = part.known;
    return part;
  }

  #tellTranscript(itemId: string, transcript: string): void {
    if (!this.#settings.transcription) return;
    const place = { item_id: itemId, content_index: 0 };
    const event = "conversation.item.input_audio_transcription";
    this.#output.emit(`${event}.delta`, { ...place, delta: transcript });
    const usage = { type: "duration", seconds: 0 };
    this.#output.emit(`${event}.completed`, { ...place, transcript, usage });
  }

  #tellUnheard(itemId: string): void {
    if (!this.#settings.transcription) return;
    const error = {
      type: "transcription_error",
      code: "audio_unintelligible",
      message: "The audio was not understood.",
    };
    const place = { item_id: itemId, content_index: 0 };
    this.#output.emit("conversation.item.input_audio_transcription.failed", {
      ...place,
      error: { ...error, param: null },
    });
  }

  /** The words may be a turn: the mind begins to answer. */
  #prepare(text: string): void {
    if (!this.#settings.turnDetection?.createsResponse || this.#isBusy) return;
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
      const reader = new AudioReader(this.#settings.inputFormat);
      return itemOf(entry, id, (audio) => this.#writeDown(reader.read(audio), id));
    });
  }

  #lastResponse: RealtimeResponse | undefined;

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
      onItem: (item) => this.#items.add(item),
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
    if (!this.#isAnswerDue || this.#isClosed) return;
    this.#isAnswerDue = false;
    this.#answer({});
  }

  /** Begins to write an answer. */
  #write(settings: ResponseSettings, items: () => readonly ConversationItem[]): WrittenText {
    const { mind } = this.#options;
    if (!mind) return this.#fixed("no-mind");
    let report: AnswerReport | undefined;
    const answer = new PreparedAnswer((signal) =>
      this.#pieces(mind, settings, items, signal, (end) => {
        report = end;
      }),
    );
    return { answer, report: () => report };
  }

  async *#pieces(
    mind: ConversationMind,
    settings: ResponseSettings,
    items: () => readonly ConversationItem[],
    signal: AbortSignal,
    onReport: (report: AnswerReport) => void,
  ): AsyncGenerator<string> {
    const used = items();
    await Promise.all(used.flatMap((item) => (item.type === "message" ? item.parts.map(knownOf) : [])));
    signal.throwIfAborted();
    const { language } = this.#settings;
    const { user, headers } = this.#options;
    const { instructions: systemPrompt, wantsAudio } = settings;
    const turn: MindTurn = {
      instructions: wantsAudio ? spokenInstructions({ systemPrompt, language }) : systemPrompt,
      ...mindHistory(used),
      ...toolsOf(settings),
      user,
      headers,
      signal,
    };
    const words = mind.answer(turn);
    onReport(yield* wantsAudio ? speakablePieces(words, language) : words);
  }

  #fixed(sentence: "no-mind" | "not-heard"): WrittenText {
    const { language } = this.#settings;
    const answer = new PreparedAnswer(async function* () {
      yield fixedSentence(sentence, language);
    });
    return { answer, report: () => undefined };
  }

  #object(item: ConversationItem): Record<string, unknown> {
    return itemObject(item, this.#output.dialect);
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

function knownOf(part: MessageItem["parts"][number]): Promise<void> | undefined {
  return part.kind === "heard" ? part.known : undefined;
}

function toolsOf({ tools, toolChoice }: ResponseSettings): Pick<MindTurn, "tools" | "toolChoice"> {
  if (tools.length === 0 || toolChoice === "none") return {};
  if (toolChoice === "auto") return { tools };
  return { tools, toolChoice: toolChoice === "required" ? toolChoice : { name: toolChoice } };
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
