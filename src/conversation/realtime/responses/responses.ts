// The mode of a session that answers: its responses, one at a time, and the items that a client makes itself.

import { FASTEST_SPEED, SLOWEST_SPEED } from "../../../speech/voice/speech-options.ts";
import type { Voice } from "../../../speech/voice/voice.ts";
import type { TurnTimes } from "../../turns/conversation-listener.ts";
import type { SpeechTimes } from "../../turns/person-speech.ts";
import { turnTimes } from "../../turns/turn-times.ts";
import type { ResponseOverrides } from "../client-events.ts";
import { type AudioPart, type ConversationItem, itemOf, type MessageItem } from "../items/conversation-items.ts";
import { addSpoken, ItemEvents } from "../items/item-events.ts";
import type { ItemList } from "../items/item-list.ts";
import { RealtimeError } from "../realtime-error.ts";
import { newId, type RealtimeOutput } from "../realtime-output.ts";
import { realtimeVoice } from "../realtime-voices.ts";
import type { AheadText, ModeEvent, SessionMode } from "../session-mode.ts";
import { overriddenSettings, type ResponseSettings, type SessionSettings } from "../session-settings.ts";
import { RealtimeResponse, type WrittenText } from "./realtime-response.ts";
import { ResponseWriter, type ResponseWriterOptions } from "./response-writer.ts";

export interface ResponsesOptions extends ResponseWriterOptions {
  conversationId: string;
  items: ItemList;
  output: RealtimeOutput;
  voice: Voice;
  /** The present ones; another object once they have changed. */
  settings(): SessionSettings;
  /** Writes down the audio of an item, base64. Throws RealtimeError. */
  transcribe(audio: string, itemId: string): AudioPart;
  /** A response that the client has created begins: what was written ahead is no answer any more. */
  onCreated(): void;
  /** The person got an answer. */
  onTurn?(times: TurnTimes): void;
  onFault?(part: "llm" | "voice", error: unknown): void;
}

interface NewResponse {
  settings: ResponseSettings;
  metadata?: Readonly<Record<string, string>> | null;
  isInConversation?: boolean;
  /** They stand for the conversation. */
  items?: readonly ConversationItem[];
  written?: WrittenText;
  times?: SpeechTimes;
}

export class Responses implements SessionMode {
  readonly #options: ResponsesOptions;
  readonly #itemEvents: ItemEvents;
  readonly #writer: ResponseWriter;
  /** The newest one, also when it is over. */
  #response: RealtimeResponse | undefined;
  /** A turn has come during a response that it does not interrupt. */
  #isAnswerDue = false;
  #isClosed = false;

  constructor(options: ResponsesOptions) {
    this.#options = options;
    this.#itemEvents = new ItemEvents(options);
    this.#writer = new ResponseWriter(options);
  }

  get isAnswering(): boolean {
    return this.#active !== undefined || this.#response?.isHeard === true;
  }

  take(event: ModeEvent): void {
    if (event.type === "response.create") this.#create(event.response ?? {});
    else if (event.type === "response.cancel") this.#cancel(event.response_id);
    else if (event.type !== "output_audio_buffer.clear") this.#itemEvents.take(event);
  }

  writeAhead(text: string): AheadText | undefined {
    const isBusy = this.#active !== undefined && !this.#isInterruptible;
    if (!this.#answersTurns || isBusy) return undefined;
    const said: MessageItem = {
      id: "ahead",
      type: "message",
      role: "user",
      status: "in_progress",
      parts: [{ kind: "text", text }],
    };
    return this.#write(this.#settings, () => [...this.#options.items.items, said]);
  }

  onSpeech(): void {
    if (!this.#isInterruptible) return;
    this.#response?.cutIn();
    this.#active?.cancel("turn_detected");
  }

  onTurn(times: SpeechTimes, written: WrittenText | undefined): void {
    if (this.#answersTurns) this.#answer({ times, written });
    else written?.answer.cancel();
  }

  onNotUnderstood(): void {
    if (this.#answersTurns) this.#answer({ written: this.#writer.fixed("not-understood", this.#settings.language) });
  }

  close(): void {
    this.#isClosed = true;
    this.#active?.cancel("client_cancelled");
  }

  get #settings(): SessionSettings {
    return this.#options.settings();
  }

  /** The response that is not over. */
  get #active(): RealtimeResponse | undefined {
    return this.#response?.isOver === false ? this.#response : undefined;
  }

  get #answersTurns(): boolean {
    return this.#settings.turnDetection?.createsResponse === true;
  }

  /** Whether the person's speech ends a response. */
  get #isInterruptible(): boolean {
    return this.#settings.turnDetection?.interruptsResponse === true;
  }

  #cancel(responseId: string | undefined): void {
    const response = this.#active;
    if (!response || (responseId !== undefined && responseId !== response.id)) {
      const message = "Cancellation failed: no active response found";
      throw new RealtimeError(message, { code: "response_cancel_not_active" });
    }
    response.cancel("client_cancelled");
  }

  /** Answers a turn of the person. */
  #answer({ times, written }: Pick<NewResponse, "times" | "written">): void {
    if (this.#active && !this.#isInterruptible) {
      written?.answer.cancel();
      this.#isAnswerDue = true;
      return;
    }
    this.#active?.cancel("turn_detected");
    this.#respond({ settings: this.#settings, written, times });
  }

  #create(overrides: ResponseOverrides): void {
    if (this.#active) {
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
    this.#options.onCreated();
    this.#respond({
      settings,
      metadata: metadata ?? null,
      isInConversation: conversation !== "none",
      items: input && this.#inputItems(input),
    });
  }

  /** Items that stand for the conversation in one response. */
  #inputItems(input: NonNullable<ResponseOverrides["input"]>): ConversationItem[] {
    const { items, transcribe } = this.#options;
    return input.map((entry) => {
      if (entry.type === "item_reference") return items.get(entry.id);
      const id = entry.id ?? newId("item");
      return itemOf(entry, id, (audio) => transcribe(audio, id));
    });
  }

  #respond({ settings, metadata = null, isInConversation = true, items: own, written, times }: NewResponse): void {
    const { items, output, voice, conversationId, onFault, onTurn } = this.#options;
    const text = written ?? this.#write(settings, () => own ?? items.items);
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
      output,
      conversationId,
      onItem: (item) => addSpoken(items, output, item),
      onChange: () => items.touch(),
      onFault: (part, error) => onFault?.(part, error),
      onFirst: () => {
        const { firstPieceAtMs } = text.answer;
        if (times) onTurn?.(turnTimes({ ...times, isTyped: false, firstPieceAtMs, firstSoundAtMs: performance.now() }));
      },
    });
    this.#response = response;
    void response.ended.then(() => this.#answerDue());
  }

  /** Answers the turn that has come during a response. */
  #answerDue(): void {
    if (this.#active || !this.#isAnswerDue || this.#isClosed) return;
    this.#isAnswerDue = false;
    this.#answer({});
  }

  /** Begins to write an answer. */
  #write(settings: ResponseSettings, conversation: () => readonly ConversationItem[]): AheadText {
    const { items } = this.#options;
    const { version } = items;
    const session = this.#settings;
    const { language } = session;
    const written = this.#writer.write({ settings, items: conversation, language });
    return { ...written, isCurrent: () => version === items.version && session === this.#settings };
  }
}
