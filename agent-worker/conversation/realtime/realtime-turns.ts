// Turns of a conversation that a realtime server leads: it recognises speech, answers and speaks, and the avatar shows
// it. Its first fault ends it; the session with it has a table of its own, in `RemoteSession`.
//
//   free       no answer                                     → answering (the server begins one)
//   answering  an answer arrives, or is heard                → answering (the server begins another), free (its end)
import { defineMoves, StateMachine } from "../../../program/state-machine.ts";
import type { Expression } from "../../../shared/expressions.ts";
import { SPEECH_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import type { LlmMessage } from "../../../src/conversation/llm/llm-turn.ts";
import type { ConversationSnapshot } from "../../../src/conversation/turns/conversation.ts";
import { ConversationHistory } from "../../../src/conversation/turns/conversation-history.ts";
import type { ConversationListener } from "../../../src/conversation/turns/conversation-listener.ts";
import { ConversationReporter } from "../../../src/conversation/turns/conversation-reporter.ts";
import { turnTimes } from "../../../src/conversation/turns/turn-times.ts";
import { WaitingLines } from "../../../src/conversation/turns/waiting-lines.ts";
import { Resampler } from "../../../src/signal/audio/resampler.ts";
import { toFloatSamples, toInt16Samples } from "../../../src/signal/audio/samples.ts";
import { takeExpressionTags } from "../../../src/speech/text/expression-tags.ts";
import type { ConnectRealtime, ServerEvent } from "../../providers/realtime-link.ts";
import type { PlayedUtterance } from "../../room/audio-utterance.ts";
import type { TurnLeader } from "../turn-leader.ts";
import { RemoteAnswer } from "./remote-answer.ts";
import { RemoteFunctions } from "./remote-functions.ts";
import { RemoteRequests } from "./remote-requests.ts";
import { RemoteSession, SETUP_MS } from "./remote-session.ts";
import { messageItem, REMOTE_RATE_HZ, type RemoteSetupOptions, verbatim } from "./remote-setup.ts";
import { RemoteWords } from "./remote-words.ts";
import { SpokenOrder } from "./spoken-order.ts";

/** A response that is not begun within this time is a fault, ms. */
const RESPONSE_MS = 10_000;
/** Answers that wait to be heard, each with ten minutes of audio at most. Further ones are refused. */
const MOST_ANSWERS = 3;

const MOVES = defineMoves<"free" | "answering">({ free: ["answering"], answering: ["answering", "free"] });

export interface RealtimeTurnsOptions extends RemoteSetupOptions {
  connect: ConnectRealtime;
  /** Begins an utterance of the avatar. */
  play(sampleRateHz: number): PlayedUtterance;
  /** What was said before, oldest first. */
  history: readonly LlmMessage[];
  listener: ConversationListener;
  /** The server has failed, `openMs` after the session was set up; 0 if it never was. Called once, last. */
  onFailed(openMs: number): void;
}

export class RealtimeTurns implements TurnLeader {
  readonly #options: RealtimeTurnsOptions;
  readonly #history: ConversationHistory;
  readonly #reporter: ConversationReporter;
  readonly #lines: WaitingLines;
  readonly #order: SpokenOrder;
  readonly #words: RemoteWords;
  readonly #requests: RemoteRequests;
  readonly #functions: RemoteFunctions;
  readonly #upsampler = new Resampler(SPEECH_SAMPLE_RATE_HZ, REMOTE_RATE_HZ);
  readonly #session: RemoteSession;
  readonly #floor = new StateMachine(MOVES, "free");
  /** The newest one, also when it is over. */
  #answer: RemoteAnswer | undefined;
  #endOfSpeechMs: number | undefined;
  /** What the face shows with the next utterance. */
  #expression: Expression | undefined;
  /** Answers with utterances that are not over. */
  #unheardCount = 0;

  constructor(options: RealtimeTurnsOptions) {
    const { connect, listener } = options;
    this.#options = options;
    this.#history = new ConversationHistory(options.history);
    this.#reporter = new ConversationReporter(listener, this.#history);
    this.#order = new SpokenOrder((message) => this.#reporter.add(message));
    this.#words = new RemoteWords(this.#reporter, this.#order);
    this.#session = new RemoteSession({
      connect,
      setup: options,
      onOpened: () => this.#lines.look(),
      onEvent: (event) => this.#take(event),
      onRefused: (eventId) => this.#requests.refused(eventId),
      onFailed: (error, openMs) => this.#onFailed(error, openMs),
    });
    this.#requests = new RemoteRequests({
      lateMs: RESPONSE_MS + SETUP_MS,
      onLate: () => this.#session.fail(new Error("the realtime server did not answer")),
      send: (command) => this.#session.send(command),
    });
    this.#functions = new RemoteFunctions({
      search: options.search,
      express: (expression) => this.#express(expression),
      send: (command) => this.#session.send(command),
      whenSettled: () => this.#settled,
      onAnswered: () => {
        if (!this.#reporter.isPersonSpeaking) void this.#requests.request({});
      },
    });
    this.#lines = new WaitingLines({
      mayBegin: () => this.#session.isOpen && this.#floor.is("free") && !this.#requests.isPending,
      isPersonSpeaking: () => this.#reporter.isPersonSpeaking,
      begin: (line) => this.#requests.request(verbatim(line)),
      onChange: () => listener.onChange(),
    });
  }

  /** Connects, and tells the server what was said before. Once. */
  start(): void {
    this.#session.start();
    for (const { role, text } of this.#history.messages) this.#addItem(role, text);
  }

  get heardText(): string {
    return this.#present?.heardText() ?? "";
  }

  get snapshot(): ConversationSnapshot {
    return { history: [...this.#history.messages], heard: this.heardText, lines: this.#lines.waiting };
  }

  pushAudio(samples: Int16Array): void {
    const audio = toInt16Samples(this.#upsampler.push(toFloatSamples(samples)));
    if (!this.#session.isOpen || audio.length === 0) return;
    const bytes = Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength);
    this.#session.send({ type: "input_audio_buffer.append", audio: bytes.toString("base64") });
  }

  microphoneLost(): void {
    // Without silence the server would wait for the end of a word for ever.
    if (this.#reporter.isPersonSpeaking) this.#session.send({ type: "input_audio_buffer.commit" });
    this.#showSpeaking(false);
  }

  greet(greeting: string): void {
    if (!this.#history.hasTurns) void this.speak(greeting).catch(() => false);
  }

  goOn({ heard, lines }: Pick<ConversationSnapshot, "heard" | "lines">): void {
    if (heard !== "") {
      this.#reporter.add({ role: "assistant", text: heard, at: new Date() });
      this.#addItem("assistant", heard);
    }
    if (this.#history.unanswered !== undefined) void this.#requests.request({});
    this.#lines.restore(lines);
  }

  type(text: string): void {
    if (this.#session.isOver || text.trim() === "") return;
    this.#cutIn();
    this.#order.begin("user")(text);
    this.#addItem("user", text);
    this.#endOfSpeechMs = performance.now();
    void this.#requests.request({});
  }

  speak(line: string): Promise<boolean> {
    // The server would say the tags of expressions.
    return this.#lines.add(takeExpressionTags(line).text);
  }

  addContext(text: string): void {
    this.#reporter.addContext(text);
    this.#addItem("context", text);
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
    this.#requests.drop();
    this.#present?.drop();
  }

  /** The server is given up. */
  #onFailed(error: unknown, openMs: number): void {
    this.#stop();
    this.#showSpeaking(false);
    // What the avatar was saying is settled first, so that its words are known.
    void this.#settled.then(() => {
      this.#order.close();
      this.#options.listener.onFault("llm", error);
      this.#options.onFailed(openMs);
      this.#lines.close();
    });
  }

  #take(event: ServerEvent): void {
    if (event.type.startsWith("response.")) this.#takeResponse(event);
    else if (event.type === "input_audio_buffer.speech_started") {
      this.#showSpeaking(true);
      this.#cutIn();
    } else if (event.type === "input_audio_buffer.speech_stopped") {
      this.#showSpeaking(false);
      this.#endOfSpeechMs = performance.now();
    } else this.#words.take(event);
  }

  /** Events about what the server answers. */
  #takeResponse(event: ServerEvent): void {
    if (event.type === "response.created") this.#beginAnswer(event.response?.id);
    const answer = this.#present;
    const id = event.response_id ?? event.response?.id;
    if (!answer || answer.isDropped || (id !== undefined && id !== answer.id)) return;
    if (event.type === "response.output_item.added" && event.item?.type === "message") answer.itemId = event.item.id;
    else if (event.type === "response.output_audio_transcript.delta") answer.addWords(event.delta ?? "");
    else if (event.type === "response.output_audio.delta") answer.addAudio(event.delta ?? "");
    else if (event.type === "response.output_item.done" && event.item?.type === "function_call") {
      if (this.#session.hasFunction(event.item.name)) return;
      if (this.#functions.run(event.item)) answer.hasCalled = true;
    } else if (event.type === "response.done") this.#endAnswer(answer, event.response?.status);
  }

  #beginAnswer(id: string | undefined): void {
    // A server that answers twice at a time; the first answer counts until it is heard.
    if (this.#present?.isArriving) this.#cutIn();
    const tellStarted = this.#requests.begun();
    const endOfSpeechMs = this.#endOfSpeechMs;
    this.#endOfSpeechMs = undefined;
    const answer = new RemoteAnswer({
      id,
      endOfSpeechMs,
      play: () => this.#play(),
      onStarted: (isHeard) => {
        tellStarted(isHeard);
        if (isHeard) this.#onHeard(answer);
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
    this.#floor.enter("answering");
    this.#reporter.show("thinking");
    if (this.#unheardCount >= MOST_ANSWERS) this.#cutIn();
  }

  #play(): PlayedUtterance {
    const utterance = this.#options.play(REMOTE_RATE_HZ);
    if (this.#expression) utterance.express(this.#expression);
    this.#expression = undefined;
    return utterance;
  }

  #express(expression: Expression): void {
    if (this.#present?.hasUtterance) this.#present.express(expression);
    else this.#expression = expression;
  }

  #onHeard({ firstTextAtMs, endOfSpeechMs }: RemoteAnswer): void {
    this.#reporter.show("speaking");
    if (endOfSpeechMs === undefined) return;
    // The server tells no moments between.
    const moments = { endOfSpeechMs, textMs: endOfSpeechMs, decidedMs: endOfSpeechMs, firstPieceAtMs: firstTextAtMs };
    const times = turnTimes({ ...moments, isTyped: false, firstSoundAtMs: performance.now() });
    this.#options.listener.onTurn(times, { text: "", confidence: undefined });
  }

  #endAnswer(answer: RemoteAnswer, status = "completed"): void {
    answer.end();
    if (answer.hasUtterance) return;
    const isWaitedFor = this.#functions.isRunning || this.#requests.isPending || this.#reporter.isPersonSpeaking;
    if (answer.hasCalled && status === "completed" && !isWaitedFor) {
      this.#endOfSpeechMs ??= answer.endOfSpeechMs;
      void this.#requests.request({});
    }
    this.#release(answer);
    if (status === "failed") this.#session.fail(new Error("the realtime server could not answer"));
  }

  /** The answer that is not over. */
  get #present(): RemoteAnswer | undefined {
    return this.#floor.is("answering") ? this.#answer : undefined;
  }

  /** The floor is free. */
  #release(answer: RemoteAnswer): void {
    if (this.#present !== answer) return;
    this.#floor.enter("free");
    this.#reporter.show("listening");
    this.#lines.look();
  }

  /** The person speaks or types: the avatar is silent, and the server learns what was heard. */
  #cutIn(): void {
    this.#expression = undefined;
    const answer = this.#present;
    if (!answer) return;
    if (answer.isArriving)
      this.#session.send({ type: "response.cancel", ...(answer.id !== undefined && { response_id: answer.id }) });
    answer.drop();
    if (!answer.hasUtterance) this.#release(answer);
  }

  #truncate({ itemId }: RemoteAnswer, heardMs: number): void {
    if (itemId === undefined) return;
    const place = { item_id: itemId, content_index: 0, audio_end_ms: Math.floor(heardMs) };
    this.#session.send({ type: "conversation.item.truncate", ...place });
  }

  /** What the avatar says is over. */
  get #settled(): Promise<void> {
    return this.#answer?.settled ?? Promise.resolve();
  }

  #addItem(role: LlmMessage["role"], text: string): void {
    this.#session.send({ type: "conversation.item.create", item: messageItem(role, text) });
  }

  #showSpeaking(isSpeaking: boolean): void {
    const wasSpeaking = this.#reporter.isPersonSpeaking;
    this.#reporter.showSpeaking(isSpeaking);
    if (wasSpeaking && !isSpeaking) this.#lines.look();
  }
}
