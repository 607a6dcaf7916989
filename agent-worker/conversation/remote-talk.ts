// A conversation that a realtime server leads: it hears, thinks and speaks, and the avatar shows it. Its first fault
// ends it.
import { HEARING_SAMPLE_RATE_HZ } from "../../shared/units.ts";
import { Resampler } from "../../src/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../src/audio/samples.ts";
import type { ConversationSnapshot } from "../../src/conversation/conversation.ts";
import { ConversationHistory } from "../../src/conversation/conversation-history.ts";
import type {
  ConversationListener,
  ConversationState,
  SpokenMessage,
} from "../../src/conversation/conversation-listener.ts";
import { WaitingLines } from "../../src/conversation/waiting-lines.ts";
import type { MindMessage } from "../../src/mind/mind-turn.ts";
import type { ConnectRealtime, ServerEvent } from "../providers/realtime-link.ts";
import type { PlayedUtterance } from "../room/audio-utterance.ts";
import { RemoteAnswer } from "./remote-answer.ts";
import { RemoteSession, SETUP_MS } from "./remote-session.ts";
import { REMOTE_RATE_HZ, type RemoteSetupOptions, runFunction, verbatim } from "./remote-setup.ts";
import { SpokenOrder } from "./spoken-order.ts";
import type { Talk } from "./talk.ts";

/** A response that is not begun within this time is a fault, ms. */
const RESPONSE_MS = 10_000;
/** Of a text that is not final. */
const MOST_SHOWN_CHARACTERS = 5_000;
/** Of what the person has said. */
const MOST_SAID_CHARACTERS = 20_000;
/** Of what the person has said and is not written down. The oldest are given up. */
const MOST_UNWRITTEN = 50;
/** Answers that wait to be heard, each with ten minutes of audio at most. Further ones are refused. */
const MOST_ANSWERS = 3;
/** Functions that run at a time. Further ones fail. */
const MOST_FUNCTIONS = 4;
const REQUEST_PREFIX = "request-";

export interface RemoteTalkOptions extends RemoteSetupOptions {
  connect: ConnectRealtime;
  /** Begins an utterance of the avatar. */
  play(sampleRateHz: number): PlayedUtterance;
  /** What was said before, oldest first. */
  history: readonly MindMessage[];
  listener: ConversationListener;
  /** The server has failed, `openMs` after the session was set up; 0 if it never was. Called once, last. */
  onFailed(openMs: number): void;
}

/** A response that was requested and has not begun. */
interface RequestedAnswer {
  timer: NodeJS.Timeout;
  resolve(isHeard: boolean): void;
}

export class RemoteTalk implements Talk {
  readonly #options: RemoteTalkOptions;
  readonly #history: ConversationHistory;
  readonly #lines: WaitingLines;
  readonly #order: SpokenOrder;
  readonly #upsampler = new Resampler(HEARING_SAMPLE_RATE_HZ, REMOTE_RATE_HZ);
  readonly #session: RemoteSession;
  #shown: ConversationState = "listening";
  #answer: RemoteAnswer | undefined;
  /** The same, also when it is over. */
  #lastAnswer: RemoteAnswer | undefined;
  #requested: RequestedAnswer | undefined;
  #isPersonSpeaking = false;
  #endOfSpeechMs: number | undefined;
  /** Functions that tell what the person said, by item. */
  readonly #unwritten = new Map<string, (text: string) => void>();
  /** What is known of the words that are being written down. */
  #interim = { itemId: "", text: "" };
  /** Answers whose utterances are not over. */
  #unheardCount = 0;
  #functionCount = 0;
  #turnCount = 0;
  #commandCount = 0;

  /** Connects at once. */
  constructor(options: RemoteTalkOptions) {
    this.#options = options;
    this.#history = new ConversationHistory(options.history);
    this.#order = new SpokenOrder((message) => this.#keep(message));
    this.#lines = new WaitingLines({
      mayBegin: () => this.#session.isOpen && !this.#answer && !this.#requested,
      isPersonSpeaking: () => this.#isPersonSpeaking,
      begin: (line) => this.#request({ instructions: verbatim(line) }),
      onChange: () => options.listener.onChange(),
    });
    this.#session = new RemoteSession({
      connect: options.connect,
      setup: options,
      onOpened: () => this.#lines.look(),
      onEvent: (event) => this.#take(event),
      onRefused: (eventId) => {
        if (eventId.startsWith(REQUEST_PREFIX)) this.#requested?.resolve(false);
      },
      onFailed: (error, openMs) => this.#onFailed(error, openMs),
    });
    for (const { role, text } of this.#history.messages) this.#addItem(role, text);
  }

  get heardText(): string {
    return this.#answer?.heardText() ?? "";
  }

  get snapshot(): ConversationSnapshot {
    return { history: [...this.#history.messages], heard: this.heardText, lines: this.#lines.waiting };
  }

  hear(samples: Int16Array): void {
    const audio = toInt16Samples(this.#upsampler.push(toFloatSamples(samples)));
    if (!this.#session.isOpen || audio.length === 0) return;
    const bytes = Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength);
    this.#session.send({ type: "input_audio_buffer.append", audio: bytes.toString("base64") });
  }

  microphoneLost(): void {
    // Without silence the server would wait for the end of a word for ever.
    if (this.#isPersonSpeaking) this.#session.send({ type: "input_audio_buffer.commit" });
    this.#tellSpeaking(false);
  }

  greet(greeting: string): void {
    if (!this.#history.hasTalk) void this.#lines.add(greeting).catch(() => false);
  }

  goOn({ heard, lines }: Pick<ConversationSnapshot, "heard" | "lines">): void {
    if (heard !== "") {
      this.#keep({ role: "assistant", text: heard, at: new Date() });
      this.#addItem("assistant", heard);
    }
    if (this.#history.unanswered !== undefined) void this.#request({});
    this.#lines.restore(lines);
  }

  type(text: string): void {
    if (this.#session.isOver || text.trim() === "") return;
    this.#cutIn();
    this.#order.begin("user")(text);
    this.#addItem("user", text);
    this.#endOfSpeechMs = performance.now();
    void this.#request({});
  }

  speak(line: string): Promise<boolean> {
    return this.#lines.add(line);
  }

  addContext(text: string): void {
    this.#history.add({ role: "context", text });
    this.#addItem("context", text);
    this.#options.listener.onChange();
  }

  async close(): Promise<void> {
    this.#session.close();
    this.#stop();
    this.#lines.close();
    this.#order.close();
    await this.#settled;
  }

  /** Nothing is said any more. */
  #stop(): void {
    this.#requested?.resolve(false);
    this.#answer?.drop();
  }

  /** The server is given up. */
  #onFailed(error: unknown, openMs: number): void {
    this.#stop();
    this.#tellSpeaking(false);
    // What the avatar was saying is settled first, so that its words are known.
    void this.#settled.then(() => {
      this.#order.close();
      this.#options.listener.onFault("mind", error);
      this.#options.onFailed(openMs);
      this.#lines.close();
    });
  }

  #take(event: ServerEvent): void {
    if (event.type.startsWith("response.")) this.#takeResponse(event);
    else this.#takePerson(event);
  }

  /** Events about what the person says. */
  #takePerson({ type, item_id: itemId = "", transcript, delta }: ServerEvent): void {
    const transcription = "conversation.item.input_audio_transcription";
    if (type === "input_audio_buffer.speech_started") {
      this.#tellSpeaking(true);
      this.#cutIn();
    } else if (type === "input_audio_buffer.speech_stopped") {
      this.#tellSpeaking(false);
      this.#endOfSpeechMs = performance.now();
    } else if (type === "input_audio_buffer.committed") {
      this.#unwritten.set(itemId, this.#order.begin("user"));
      const [oldest] = this.#unwritten.keys();
      if (this.#unwritten.size > MOST_UNWRITTEN) this.#settleItem(oldest, "");
    } else if (type === `${transcription}.completed`) {
      const text = (transcript ?? "").slice(0, MOST_SAID_CHARACTERS);
      this.#turnCount += 1;
      if (text.trim() !== "") this.#showPerson(text, true);
      this.#settleItem(itemId, text);
    } else if (type === `${transcription}.failed`) this.#settleItem(itemId, "");
    else if (type === `${transcription}.delta` && delta) this.#addInterim(itemId, delta);
  }

  /** A further piece of what the person said. */
  #addInterim(itemId: string, delta: string): void {
    if (itemId !== this.#interim.itemId) this.#interim = { itemId, text: "" };
    this.#interim.text = (this.#interim.text + delta).slice(0, MOST_SHOWN_CHARACTERS);
    this.#showPerson(this.#interim.text, false);
  }

  #showPerson(text: string, isFinal: boolean): void {
    const id = `person-${isFinal ? this.#turnCount : this.#turnCount + 1}`;
    this.#options.listener.onPersonText({ id, text, isFinal });
  }

  #settleItem(itemId: string, text: string): void {
    const settle = this.#unwritten.get(itemId);
    this.#unwritten.delete(itemId);
    settle?.(text);
  }

  /** Events about what the server answers. */
  #takeResponse(event: ServerEvent): void {
    if (event.type === "response.created") this.#beginAnswer(event.response?.id);
    const answer = this.#answer;
    const id = event.response_id ?? event.response?.id;
    if (!answer || answer.isDropped || (id !== undefined && id !== answer.id)) {
      if (answer?.isDropped && event.type === "response.done") answer.isDone = true;
      return;
    }
    if (event.type === "response.output_item.added" && event.item?.type === "message") answer.itemId = event.item.id;
    else if (event.type === "response.output_audio_transcript.delta") answer.addWords(event.delta ?? "");
    else if (event.type === "response.output_audio.delta") answer.addAudio(event.delta ?? "");
    else if (event.type === "response.output_item.done" && event.item?.type === "function_call")
      this.#runFunction(event);
    else if (event.type === "response.done") this.#endAnswer(answer, event.response?.status);
  }

  #beginAnswer(id: string | undefined): void {
    // A server that answers twice at a time; the first answer counts until it is heard.
    if (this.#answer && !this.#answer.isDone) this.#cutIn();
    const requested = this.#requested;
    this.#requested = undefined;
    clearTimeout(requested?.timer);
    const answer = new RemoteAnswer({
      id,
      endOfSpeechMs: this.#endOfSpeechMs,
      play: () => this.#options.play(REMOTE_RATE_HZ),
      onStarted: (isHeard) => {
        requested?.resolve(isHeard);
        if (!isHeard) return;
        this.#enter("speaking");
        this.#noteTimes(answer);
      },
      onUtterance: () => {
        this.#unheardCount += 1;
        tell = this.#order.begin("assistant");
      },
      onEnded: ({ heardMs, interrupted }) => {
        this.#unheardCount -= 1;
        tell?.(answer.heardText(interrupted ? heardMs : Number.POSITIVE_INFINITY));
        if (interrupted) this.#truncate(answer, heardMs);
        this.#release(answer);
      },
    });
    let tell: ((text: string) => void) | undefined;
    this.#answer = answer;
    this.#lastAnswer = answer;
    this.#endOfSpeechMs = undefined;
    this.#enter("thinking");
    if (this.#unheardCount >= MOST_ANSWERS) this.#cutIn();
  }

  #noteTimes({ endOfSpeechMs, firstTextAtMs }: RemoteAnswer): void {
    if (endOfSpeechMs === undefined) return;
    const since = (atMs: number) => Math.max(0, Math.round(atMs - endOfSpeechMs));
    this.#options.listener.onTurn({
      isTyped: false,
      textMs: 0,
      decidedMs: 0,
      firstPieceMs: firstTextAtMs === undefined ? undefined : since(firstTextAtMs),
      firstSoundMs: since(performance.now()),
    });
  }

  #endAnswer(answer: RemoteAnswer, status = "completed"): void {
    answer.end();
    if (answer.hasUtterance) return;
    this.#release(answer);
    if (status === "failed") this.#session.fail(new Error("the realtime server could not answer"));
  }

  /** The floor is free. */
  #release(answer: RemoteAnswer): void {
    if (this.#answer !== answer) return;
    this.#answer = undefined;
    this.#enter("listening");
    this.#lines.look();
  }

  /** The person speaks or types: the avatar is silent, and the server learns what was heard. */
  #cutIn(): void {
    const answer = this.#answer;
    if (!answer) return;
    if (!answer.isDone)
      this.#session.send({ type: "response.cancel", ...(answer.id !== undefined && { response_id: answer.id }) });
    answer.drop();
    if (!answer.hasUtterance) this.#release(answer);
  }

  #truncate({ itemId }: RemoteAnswer, heardMs: number): void {
    if (itemId === undefined) return;
    const place = { item_id: itemId, content_index: 0, audio_end_ms: Math.floor(heardMs) };
    this.#session.send({ type: "conversation.item.truncate", ...place });
  }

  #runFunction({ item }: ServerEvent): void {
    const callId = item?.call_id;
    if (!item || callId === undefined) return;
    const answer = (output: string) => {
      const result = { type: "function_call_output", call_id: callId, output };
      this.#session.send({ type: "conversation.item.create", item: result });
    };
    if (this.#functionCount >= MOST_FUNCTIONS) {
      answer("Too many functions run at once.");
      return;
    }
    this.#functionCount += 1;
    void runFunction(item, this.#options.search).then(async (output) => {
      answer(output);
      await this.#settled;
      this.#functionCount -= 1;
      if (!this.#isPersonSpeaking) void this.#request({});
    });
  }

  /** What the avatar says is over. */
  get #settled(): Promise<void> {
    return this.#lastAnswer?.settled ?? Promise.resolve();
  }

  /** Asks for a response. Resolves with true when it begins to be heard, with false if it is not. */
  #request(response: object): Promise<boolean> {
    this.#requested?.resolve(false);
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => this.#session.fail(new Error("the realtime server did not answer")),
        RESPONSE_MS + SETUP_MS,
      );
      const requested: RequestedAnswer = {
        timer,
        resolve: (isHeard) => {
          clearTimeout(timer);
          if (this.#requested === requested) this.#requested = undefined;
          resolve(isHeard);
        },
      };
      this.#requested = requested;
      this.#commandCount += 1;
      this.#session.send({ type: "response.create", event_id: `${REQUEST_PREFIX}${this.#commandCount}`, response });
    });
  }

  #addItem(role: MindMessage["role"], text: string): void {
    const type = role === "assistant" ? "output_text" : "input_text";
    const item = { type: "message", role: role === "context" ? "system" : role, content: [{ type, text }] };
    this.#session.send({ type: "conversation.item.create", item });
  }

  #keep(message: SpokenMessage): void {
    this.#history.add({ role: message.role, text: message.text });
    this.#options.listener.onMessage(message);
    this.#options.listener.onChange();
  }

  #enter(state: ConversationState): void {
    if (state === this.#shown) return;
    this.#shown = state;
    this.#options.listener.onState(state);
  }

  #tellSpeaking(isSpeaking: boolean): void {
    if (isSpeaking === this.#isPersonSpeaking) return;
    this.#isPersonSpeaking = isSpeaking;
    this.#options.listener.onPersonSpeaking(isSpeaking);
    if (!isSpeaking) this.#lines.look();
  }
}
