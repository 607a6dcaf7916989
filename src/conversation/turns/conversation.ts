// A conversation: recognises what the person says, decides when to answer, lets the person cut in, and knows what was
// said. It knows no room: the microphone's windows come in, and what the avatar says goes out through a `SpeechOutput`.
//
// The avatar has the floor while an act is performed: the greeting, an answer, or a line that it was told to say.
//
//   free      no act                                          → acting (a turn, a line, the greeting)
//   acting    an act is written or heard                      → held (160 ms of speech), free (its end)
//   held      the person speaks, the avatar is silent         → acting (it was no word), free (words end the act)
//
// What listeners are told is apart from it: `ConversationReporter`.
import { defineMoves, StateMachine } from "../../../program/state-machine.ts";
import type { LlmMessage } from "../llm/llm-turn.ts";
import { Act } from "./act.ts";
import { AnswerWriter, type AnswerWriterOptions } from "./answer-writer.ts";
import { ConversationHistory } from "./conversation-history.ts";
import type { ConversationListener, ConversationState } from "./conversation-listener.ts";
import type { ConversationStt, EndOfTurn } from "./conversation-parts.ts";
import { ConversationReporter } from "./conversation-reporter.ts";
import { fixedSentence } from "./fixed-sentences.ts";
import type { SpeechTimes } from "./person-speech.ts";
import { PreparedAnswer } from "./prepared-answer.ts";
import type { SpeechOutput } from "./speech-output.ts";
import type { SpeechWindow } from "./turn-listener.ts";
import { CUT_IN_MS, TurnTaker, type WrittenAnswer } from "./turn-taker.ts";
import { turnTimes } from "./turn-times.ts";
import { WaitingLines } from "./waiting-lines.ts";

/** The avatar goes on if no words are known this long after a sound, ms. */
const FALSE_CUT_IN_MS = 700;

type Floor = "free" | "acting" | "held";
const MOVES = defineMoves<Floor>({ free: ["acting"], acting: ["held", "free"], held: ["acting", "free"] });

export interface ConversationOptions extends AnswerWriterOptions {
  stt: ConversationStt;
  endOfTurn: EndOfTurn;
  output: SpeechOutput;
  listener: ConversationListener;
  /** Speech of this length pauses the avatar, ms. Default 160. */
  cutInMs?(): number;
  /** What was said before, oldest first. Default: nothing. */
  history?: readonly LlmMessage[];
}

/** What another process needs to go on. */
export interface ConversationSnapshot {
  history: LlmMessage[];
  /** What was heard of the present act; empty if there is none. */
  heard: string;
  /** Lines of which nothing was heard. */
  lines: string[];
}

export class Conversation {
  readonly #options: ConversationOptions;
  readonly #history: ConversationHistory;
  readonly #reporter: ConversationReporter;
  readonly #writer: AnswerWriter;
  readonly #taker: TurnTaker<WrittenAnswer>;
  readonly #lines: WaitingLines;
  readonly #floor = new StateMachine(MOVES, "free");
  #act: Act | undefined;
  /** What is still to be said first. */
  #greeting: string | undefined;
  #turns: Promise<void> = Promise.resolve();
  #turnsWaiting = 0;
  #isClosed = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#history = new ConversationHistory(options.history);
    this.#reporter = new ConversationReporter(options.listener, this.#history);
    this.#writer = new AnswerWriter(options);
    const { stt, endOfTurn, language, listener } = options;
    this.#lines = new WaitingLines({
      mayBegin: () => !this.#isClosed && this.#isIdle,
      isPersonSpeaking: () => this.#taker.isOpen,
      begin: (line) => this.#say(line),
      onChange: () => listener.onChange(),
    });
    this.#taker = new TurnTaker({
      speech: { stt, endOfTurn, language },
      isAnswering: () => this.#act !== undefined,
      writeAhead: (text) => this.#write(text),
      events: {
        onSpeech: (speechMs) => this.#onSpeech(speechMs),
        onWaiting: (silenceMs) => {
          this.#reporter.showSpeaking(false);
          if (silenceMs >= FALSE_CUT_IN_MS) this.#release();
        },
        onWords: (text) => {
          this.#reporter.showSpeaking(false);
          this.#act?.stop();
          this.#reporter.showWords(text, false);
        },
        onNoise: () => this.#onNothing(),
        onTurn: (text, times) => {
          this.#reporter.showSpeaking(false);
          this.#reporter.showWords(text, true);
          this.#turn(text, times, false);
        },
        onFailed: (error) => this.#onNotUnderstood(error),
      },
    });
  }

  /** What the listener was told last. */
  get state(): ConversationState {
    return this.#reporter.shown;
  }

  /** What was heard of the present act; empty if there is none. */
  get heardText(): string {
    return this.#act?.utterance.heardText ?? "";
  }

  get snapshot(): ConversationSnapshot {
    return { history: [...this.#history.messages], heard: this.heardText, lines: this.#lines.waiting };
  }

  /** Takes the next window of the person's microphone. */
  push(window: SpeechWindow): void {
    if (!this.#isClosed) this.#taker.push(window);
  }

  /** The person's microphone is off or gone. */
  microphoneLost(): void {
    this.#taker.microphoneLost();
    this.#reporter.showSpeaking(false);
  }

  /** Says the greeting, unless something was said before. A person who makes a sound is listened to first. */
  greet(greeting: string): void {
    this.#greeting = greeting;
    this.#greetNow();
  }

  /** Goes on where another process was interrupted: with the answer to what the user said last, if nothing of it was
   *  heard, then with the lines that wait. */
  goOn({ heard, lines }: Pick<ConversationSnapshot, "heard" | "lines">): void {
    if (heard !== "") this.#reporter.add({ role: "assistant", text: heard, at: new Date() });
    const { unanswered } = this.#history;
    if (unanswered !== undefined) {
      const { earlier } = this.#lastTurn;
      void this.#perform(new PreparedAnswer((signal) => this.#writer.write(unanswered, earlier, signal)));
    }
    this.#lines.restore(lines);
  }

  /** The person has typed something: a turn, which ends what the avatar says. */
  type(text: string): void {
    if (this.#isClosed || text.trim() === "") return;
    const nowMs = performance.now();
    this.#turn(text, { endOfSpeechMs: nowMs, textMs: nowMs, decidedMs: nowMs }, true);
  }

  /** Says a line word for word, after the person's sentence and after the present act. Resolves with true when it
   *  begins to be heard, with false if it is not. Throws EngineError unavailable if too many lines wait. */
  speak(line: string): Promise<boolean> {
    return this.#lines.add(line);
  }

  /** Tells the language model something, silently. */
  addContext(text: string): void {
    this.#reporter.addContext(text);
  }

  /** Ends what is said. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#taker.drop();
    this.#lines.close();
    this.#act?.stop();
    await this.#act?.settled;
  }

  /** What the person said last, and what was said before. */
  get #lastTurn(): { asked: string | undefined; earlier: readonly LlmMessage[] } {
    const { messages } = this.#history;
    const index = messages.findLastIndex(({ role }) => role === "user");
    return { asked: messages.at(index)?.text, earlier: messages.slice(0, index) };
  }

  /** Whether nothing is said, and nothing waits to be answered. */
  get #isIdle(): boolean {
    return this.#floor.is("free") && this.#turnsWaiting === 0;
  }

  #greetNow(): void {
    const greeting = this.#greeting;
    if (greeting === undefined || this.#isClosed || this.#taker.isOpen) return;
    this.#greeting = undefined;
    if (!this.#history.hasTurns && this.#isIdle) void this.#say(greeting);
  }

  #onSpeech(speechMs: number): void {
    this.#reporter.showSpeaking(true);
    const { cutInMs = () => CUT_IN_MS } = this.#options;
    if (!this.#act || this.#act.isOverSpeech || !this.#floor.is("acting") || speechMs < cutInMs()) return;
    this.#floor.enter("held");
    this.#act.utterance.pause();
    this.#reporter.show("listening");
  }

  /** What was heard was no word. */
  #onNothing(): void {
    this.#reporter.showSpeaking(false);
    this.#release();
    if (this.#act) this.#act.isOverSpeech = false;
    this.#greetNow();
    this.#lines.look();
  }

  #onNotUnderstood(error: unknown): void {
    const { listener, language } = this.#options;
    listener.onFault("stt", error);
    this.#onNothing();
    if (this.#isIdle) void this.#say(fixedSentence("not-understood", language));
  }

  /** The avatar goes on where it was held. */
  #release(): void {
    if (!this.#act || !this.#floor.is("held")) return;
    this.#floor.enter("acting");
    this.#act.utterance.resume();
    this.#reporter.show(this.#act.isHeard ? "speaking" : "thinking");
  }

  /** Starts an answer. It waits until the act before it is settled, because its words belong to the history. */
  #write(text: string): WrittenAnswer {
    const settled = this.#act?.settled;
    let version: number | undefined;
    const read = () => {
      version = this.#history.version;
      return [...this.#history.messages];
    };
    const history = settled ? settled.then(read) : read();
    const answer = new PreparedAnswer((signal) => this.#writer.write(text, history, signal));
    return { answer, isCurrent: () => version === this.#history.version };
  }

  /** Turns are taken one after the other. */
  #turn(text: string, times: SpeechTimes, isTyped: boolean): void {
    this.#act?.stop();
    this.#turnsWaiting += 1;
    const at = new Date();
    this.#turns = this.#turns.then(async () => {
      await this.#act?.settled;
      this.#turnsWaiting -= 1;
      if (this.#isClosed) return;
      const { answer } = this.#taker.takeAnswer(text) ?? this.#write(text);
      this.#reporter.add({ role: "user", text, at });
      // Another turn has come meanwhile: its answer is an answer to both.
      if (this.#turnsWaiting > 0) answer.cancel();
      else void this.#perform(answer, { ...times, isTyped });
    });
  }

  #say(line: string): Promise<boolean> {
    const act = this.#begin(undefined);
    act.utterance.add(line);
    act.utterance.end();
    return act.utterance.started;
  }

  async #perform(answer: PreparedAnswer, times?: SpeechTimes & { isTyped: boolean }): Promise<void> {
    const { listener } = this.#options;
    const act = this.#begin(answer, times);
    this.#reporter.show("thinking");
    const { asked = "", earlier } = this.#lastTurn;
    const onFault = (error: unknown): void => listener.onFault("llm", error);
    await act.sayAnswer(onFault, () => this.#writer.standIn(asked, earlier));
    if (!times) return;
    const isHeard = await act.utterance.started;
    const firstSoundAtMs = isHeard ? performance.now() : undefined;
    const moments = { ...times, firstPieceAtMs: answer.firstPieceAtMs, firstSoundAtMs };
    listener.onTurn(turnTimes(moments), { text: asked, confidence: times.confidence });
  }

  #begin(answer: PreparedAnswer | undefined, times?: SpeechTimes & { isTyped: boolean }): Act {
    let firstSoundAtMs: number | undefined;
    const act = new Act({
      utterance: this.#options.output.speak(),
      answer,
      isOverSpeech: this.#taker.isOpen,
      onStarted: () => {
        firstSoundAtMs = performance.now();
        if (this.#act === act && this.#floor.is("acting")) this.#reporter.show("speaking");
      },
      onEnded: ({ heardText, error }, startedAt = new Date()) => {
        if (error !== undefined) this.#options.listener.onFault("voice", error);
        if (heardText !== "") {
          const moments = times && { ...times, firstPieceAtMs: answer?.firstPieceAtMs, firstSoundAtMs };
          const message = { role: "assistant", text: heardText, at: startedAt } as const;
          this.#reporter.add(moments ? { ...message, times: turnTimes(moments) } : message);
        }
        this.#act = undefined;
        this.#floor.enter("free");
        this.#reporter.show("listening");
        this.#lines.look();
      },
    });
    this.#act = act;
    this.#floor.enter("acting");
    return act;
  }
}
