// A session of OpenAI's realtime events with our speech recognition, language model and voice: events come in as
// objects and go out through a callback. It knows no socket and no room. What is said is kept in memory, as the text of
// items, until it is closed. It recognises speech (`SpokenInput`), and answers (`Responses`) or only writes down
// (`Transcription`).

import type { Voice } from "../../speech/voice/voice.ts";
import type { TurnTimes } from "../turns/conversation-listener.ts";
import type { ConversationLlm, ConversationStt, EndOfTurn } from "../turns/conversation-parts.ts";
import type { SpeechWindow } from "../turns/turn-listener.ts";
import { type ClientEvent, eventIdOf, parseClientEvent, type SessionUpdate } from "./client-events.ts";
import type { WindowSource } from "./input/input-audio.ts";
import { SpokenInput } from "./input/spoken-input.ts";
import { Transcription } from "./input/transcription.ts";
import type { MessageItem } from "./items/conversation-items.ts";
import { ItemList } from "./items/item-list.ts";
import { RealtimeError } from "./realtime-error.ts";
import { newId, RealtimeOutput, type ServerEvent } from "./realtime-output.ts";
import { Responses } from "./responses/responses.ts";
import type { SessionMode } from "./session-mode.ts";
import {
  type Dialect,
  initialSettings,
  type SessionSettings,
  sessionObject,
  updatedSettings,
} from "./session-settings.ts";

export interface RealtimeParts {
  stt: ConversationStt;
  endOfTurn: EndOfTurn;
  /** Null without a language model. */
  llm: ConversationLlm | null;
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
  onFault?(part: "stt" | "llm" | "voice", error: unknown): void;
}

export class RealtimeSession {
  readonly #options: RealtimeSessionOptions;
  readonly #output: RealtimeOutput;
  readonly #id = newId("sess");
  readonly #conversationId = newId("conv");
  readonly #items = new ItemList();
  readonly #input: SpokenInput;
  #mode: SessionMode;
  #settings: SessionSettings;
  readonly #closing = new AbortController();

  constructor(options: RealtimeSessionOptions) {
    this.#options = options;
    const { dialect, send, instructions, voiceName, language, expectedLanguage, greeting = "" } = options;
    this.#output = new RealtimeOutput(dialect, (event) => {
      if (!this.#isClosed) send(event);
    });
    const type = options.isTranscription ? "transcription" : "realtime";
    this.#settings = initialSettings({ type, instructions, voice: voiceName, language, expectedLanguage });
    const { stt, endOfTurn, openDetector, onFault } = options;
    const common = { items: this.#items, output: this.#output, settings: () => this.#settings, onFault };
    this.#input = new SpokenInput({
      ...common,
      stt,
      endOfTurn,
      openDetector,
      mode: () => this.#mode,
      signal: this.#closing.signal,
    });
    const { llm, voice, user, headers, onTurn } = options;
    this.#mode = options.isTranscription
      ? new Transcription()
      : new Responses({
          ...common,
          llm,
          voice,
          user,
          headers,
          onTurn,
          conversationId: this.#conversationId,
          transcribe: (audio, itemId) => this.#input.transcribeItem(audio, itemId),
          onCreated: () => this.#input.dropAnswer(),
        });
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
    this.#mode.close();
    this.#input.close();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  get #isTranscription(): boolean {
    return this.#settings.type === "transcription";
  }

  #refuse(error: unknown, eventId: string | null): void {
    const isKnown = error instanceof RealtimeError;
    if (!isKnown) this.#options.onFault?.("llm", error);
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
    if (event.type === "session.update") this.#updateAs(event.session);
    else if (event.type === "transcription_session.update") this.#updateAs({ ...event.session, type: "transcription" });
    else if (event.type === "input_audio_buffer.append") this.#input.append(event.audio);
    else if (event.type === "input_audio_buffer.commit") this.#input.commit();
    else if (event.type === "input_audio_buffer.clear") {
      this.#input.drop();
      this.#output.emit("input_audio_buffer.cleared");
    } else this.#mode.take(event);
  }

  /** Clients name their default model beside instructions and tools, which must not be lost with it. */
  #updateAs(update: SessionUpdate): void {
    this.#update(updatedSettings(this.#settings, update));
    if (update.model == null || update.model === this.#options.model) return;
    const message = `The model of a call is fixed when it connects: "${this.#options.model}". Everything else was applied.`;
    throw new RealtimeError(message, { code: "MODEL_LOCKED", param: "session.model" });
  }

  #update(settings: SessionSettings): void {
    const earlier = this.#settings;
    this.#settings = settings;
    this.#input.onSettings(earlier);
    if (settings.type !== earlier.type) this.#onlyTranscribe();
    this.#tellSession("updated");
    if (settings.wantsAudio && !this.#isTranscription) this.#options.voice.warmUp?.(settings.language);
  }

  /** No answer comes any more. */
  #onlyTranscribe(): void {
    this.#input.dropAnswer();
    this.#mode.close();
    this.#mode = new Transcription();
  }

  #tellSession(change: "created" | "updated"): void {
    const { model, dialect } = this.#options;
    const isOfBeta = this.#isTranscription && dialect === "beta";
    this.#output.emit(`${isOfBeta ? "transcription_session" : "session"}.${change}`, {
      session: sessionObject(this.#settings, { id: this.#id, model, dialect }),
    });
  }
}
