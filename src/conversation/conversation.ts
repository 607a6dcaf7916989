// A conversation: hears the person, decides when to answer, lets the person cut in, and knows what was said. It knows
// no room: the microphone's windows come in, and what the avatar says goes out through a `SpeechOutput`.
//
// The avatar has the floor while an act is performed: the greeting, an answer, or a line that it was told to say.
//
//   free      no act                                          → acting (a turn, a line, the greeting)
//   acting    an act is written or heard                      → held (160 ms of speech), free (its end)
//   held      the person speaks, the avatar is silent         → acting (it was no word), free (words end the act)
import type { MindMessage } from "../mind/mind-turn.ts";
import { AnswerWriter, type AnswerWriterOptions } from "./answer-writer.ts";
import { isBackchannel } from "./backchannels.ts";
import { ConversationHistory } from "./conversation-history.ts";
import type { ConversationListener, ConversationState, SpokenMessage } from "./conversation-listener.ts";
import type { ConversationEars, EndOfTurn } from "./conversation-parts.ts";
import { fixedSentence } from "./fixed-sentences.ts";
import { PersonSpeech, type SpeechTimes } from "./person-speech.ts";
import { PreparedAnswer } from "./prepared-answer.ts";
import type { SpeechOutput, SpokenUtterance } from "./speech-output.ts";
import type { SpeechWindow } from "./turn-listener.ts";
import { WaitingLines } from "./waiting-lines.ts";

/** Speech of this length pauses the avatar, ms. */
export const CUT_IN_MS = 160;
/** The avatar goes on if no words are known this long after a sound, ms. */
const FALSE_CUT_IN_MS = 700;

export interface ConversationOptions extends AnswerWriterOptions {
  ears: ConversationEars;
  endOfTurn: EndOfTurn;
  output: SpeechOutput;
  listener: ConversationListener;
  /** Speech of this length pauses the avatar, ms. Default 160. */
  cutInMs?(): number;
  /** What was said before, oldest first. Default: nothing. */
  history?: readonly MindMessage[];
}

/** What another process needs to go on. */
export interface ConversationSnapshot {
  history: MindMessage[];
  /** What was heard of the present act; empty if there is none. */
  heard: string;
  /** Lines of which nothing was heard. */
  lines: string[];
}

/** An answer that is being written. */
interface WrittenAnswer {
  text: string;
  answer: PreparedAnswer;
  /** Whether nothing was said since it was begun. */
  isCurrent(): boolean;
}

/** Something that the avatar says. */
interface Act {
  utterance: SpokenUtterance;
  answer: PreparedAnswer | undefined;
  isHeld: boolean;
  /** It began while the person spoke: that speech does not hold it. */
  isOverSpeech: boolean;
  startedAt: Date | undefined;
  settled: Promise<void>;
}

export class Conversation {
  readonly #options: ConversationOptions;
  readonly #history: ConversationHistory;
  readonly #writer: AnswerWriter;
  readonly #speech: PersonSpeech;
  readonly #lines: WaitingLines;
  #act: Act | undefined;
  /** Written ahead for a turn that is not decided yet. */
  #prepared: WrittenAnswer | undefined;
  /** Counts the changes of the history. */
  #historyVersion = 0;
  #state: ConversationState = "listening";
  #isPersonSpeaking = false;
  /** What is still to be said first. */
  #greeting: string | undefined;
  #turnCount = 1;
  #turns: Promise<void> = Promise.resolve();
  #turnsWaiting = 0;
  #isClosed = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#history = new ConversationHistory(options.history);
    this.#writer = new AnswerWriter(options);
    const { ears, endOfTurn, language } = options;
    this.#lines = new WaitingLines({
      mayBegin: () => !this.#isClosed && !this.#act && this.#turnsWaiting === 0,
      isPersonSpeaking: () => this.#speech.isOpen,
      begin: (line) => this.#say(line),
      onChange: () => options.listener.onChange(),
    });
    this.#speech = new PersonSpeech({
      ears,
      endOfTurn,
      language,
      events: {
        onSpeech: (speechMs) => this.#onSpeech(speechMs),
        onWaiting: (silenceMs) => {
          this.#tellSpeaking(false);
          if (silenceMs >= FALSE_CUT_IN_MS) this.#release();
        },
        onPause: (text, isDoubtful) => this.#onWords(text, isDoubtful),
        onContinued: () => this.#dropPrepared(),
        onNoise: () => this.#onNothing(),
        onTurn: (text, times) => this.#onTurn(text, times),
        onFailed: (error) => this.#onUnheard(error),
      },
    });
  }

  get state(): ConversationState {
    return this.#state;
  }

  /** What was heard of the present act; empty if there is none. */
  get heardText(): string {
    return this.#act?.utterance.heardText ?? "";
  }

  get snapshot(): ConversationSnapshot {
    return { history: [...this.#history.messages], heard: this.heardText, lines: this.#lines.waiting };
  }

  /** Takes the next window of the person's microphone. */
  hear(window: SpeechWindow): void {
    if (!this.#isClosed) this.#speech.push(window);
  }

  /** The person's microphone is off or gone. */
  microphoneLost(): void {
    this.#speech.microphoneLost();
    this.#tellSpeaking(false);
  }

  /** Says the greeting, unless something was said before. A person who makes a sound is heard first. */
  greet(greeting: string): void {
    this.#greeting = greeting;
    this.#greetNow();
  }

  /** Goes on where another process was interrupted: with the answer to what the user said last, if nothing of it was
   *  heard, then with the lines that wait. */
  goOn({ heard, lines }: Pick<ConversationSnapshot, "heard" | "lines">): void {
    if (heard !== "") this.#add({ role: "assistant", text: heard, at: new Date() });
    const { unanswered, messages } = this.#history;
    if (unanswered !== undefined) {
      const earlier = messages.slice(
        0,
        messages.findLastIndex(({ role }) => role === "user"),
      );
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

  /** Tells the mind something, silently. */
  addContext(text: string): void {
    this.#history.add({ role: "context", text });
    this.#historyVersion += 1;
    this.#options.listener.onChange();
  }

  /** Ends what is said. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#speech.drop();
    this.#dropPrepared();
    this.#lines.close();
    this.#stopAct();
    await this.#act?.settled;
  }

  #greetNow(): void {
    const greeting = this.#greeting;
    if (greeting === undefined || this.#isClosed || this.#speech.isOpen) return;
    this.#greeting = undefined;
    if (!this.#history.hasTalk && !this.#act && this.#turnsWaiting === 0) void this.#say(greeting);
  }

  #onSpeech(speechMs: number): void {
    this.#tellSpeaking(true);
    const act = this.#act;
    const { cutInMs = () => CUT_IN_MS } = this.#options;
    if (speechMs < cutInMs() || !act || act.isHeld || act.isOverSpeech) return;
    act.isHeld = true;
    act.utterance.pause();
    this.#enter("listening");
  }

  /** The person has paused after these words, which may go on. */
  #onWords(text: string, isDoubtful: boolean): void {
    this.#tellSpeaking(false);
    if (this.#act && (isDoubtful || isBackchannel(text, this.#options.language))) {
      this.#speech.drop();
      this.#onNothing();
    } else {
      this.#stopAct();
      this.#options.listener.onPersonText({ id: this.#turnId, text, isFinal: false });
      this.#prepare(text);
    }
  }

  /** What was heard was no word. */
  #onNothing(): void {
    this.#tellSpeaking(false);
    this.#release();
    if (this.#act) this.#act.isOverSpeech = false;
    this.#greetNow();
    this.#lines.look();
  }

  #onUnheard(error: unknown): void {
    const { listener, language } = this.#options;
    listener.onFault("ears", error);
    this.#onNothing();
    if (!this.#act && this.#turnsWaiting === 0) void this.#say(fixedSentence("not-heard", language));
  }

  #onTurn(text: string, times: SpeechTimes): void {
    this.#tellSpeaking(false);
    this.#options.listener.onPersonText({ id: this.#nextTurnId(), text, isFinal: true });
    this.#turn(text, times, false);
  }

  /** The avatar goes on where it was held. */
  #release(): void {
    const act = this.#act;
    if (!act?.isHeld) return;
    act.isHeld = false;
    act.utterance.resume();
    this.#enter(act.startedAt ? "speaking" : "thinking");
  }

  #stopAct(): void {
    this.#act?.answer?.cancel();
    this.#act?.utterance.stop();
  }

  #prepare(text: string): void {
    if (this.#prepared?.text === text) return;
    this.#dropPrepared();
    this.#prepared = this.#write(text);
  }

  #dropPrepared(): void {
    this.#prepared?.answer.cancel();
    this.#prepared = undefined;
  }

  /** Starts an answer. It waits until the act before it is settled, because its words belong to the history. */
  #write(text: string): WrittenAnswer {
    const settled = this.#act?.settled;
    let historyVersion: number | undefined;
    const read = () => {
      historyVersion = this.#historyVersion;
      return [...this.#history.messages];
    };
    const history = settled ? settled.then(read) : read();
    const answer = new PreparedAnswer((signal) => this.#writer.write(text, history, signal));
    return { text, answer, isCurrent: () => historyVersion === this.#historyVersion };
  }

  /** Turns are taken one after the other. */
  #turn(text: string, times: SpeechTimes, isTyped: boolean): void {
    this.#stopAct();
    this.#turnsWaiting += 1;
    const at = new Date();
    this.#turns = this.#turns.then(async () => {
      await this.#act?.settled;
      this.#turnsWaiting -= 1;
      if (this.#isClosed) return;
      const answer = this.#takePrepared(text) ?? this.#write(text).answer;
      this.#add({ role: "user", text, at });
      // Another turn has come meanwhile, whose answer is an answer to both.
      if (this.#turnsWaiting > 0) answer.cancel();
      else void this.#perform(answer, { ...times, isTyped });
    });
  }

  /** The answer that was written ahead, if it is one to this text and nothing was said since. */
  #takePrepared(text: string): PreparedAnswer | undefined {
    const prepared = this.#prepared;
    if (prepared?.text !== text) return undefined;
    if (!prepared.isCurrent()) {
      this.#dropPrepared();
      return undefined;
    }
    this.#prepared = undefined;
    return prepared.answer;
  }

  #say(line: string): Promise<boolean> {
    const act = this.#begin(undefined);
    act.utterance.add(line);
    act.utterance.end();
    return act.utterance.started;
  }

  async #perform(answer: PreparedAnswer, times?: SpeechTimes & { isTyped: boolean }): Promise<void> {
    const { language, listener } = this.#options;
    const { utterance } = this.#begin(answer);
    this.#enter("thinking");
    let hasWords = false;
    try {
      for await (const piece of answer.pieces()) {
        hasWords ||= piece.trim() !== "";
        utterance.add(piece);
      }
    } catch (error) {
      listener.onFault("mind", error);
      if (!hasWords) utterance.add(fixedSentence("failed", language));
    }
    utterance.end();
    if (!times) return;
    const isHeard = await utterance.started;
    const since = (atMs: number | undefined) =>
      atMs === undefined ? undefined : Math.max(0, Math.round(atMs - times.endOfSpeechMs));
    listener.onTurn({
      isTyped: times.isTyped,
      textMs: since(times.textMs) ?? 0,
      decidedMs: since(times.decidedMs) ?? 0,
      firstPieceMs: since(answer.firstPieceAtMs),
      firstSoundMs: isHeard ? since(performance.now()) : undefined,
    });
  }

  #begin(answer: PreparedAnswer | undefined): Act {
    const utterance = this.#options.output.speak();
    const act: Act = {
      utterance,
      answer,
      isHeld: false,
      isOverSpeech: this.#speech.isOpen,
      startedAt: undefined,
      settled: Promise.resolve(),
    };
    this.#act = act;
    void utterance.started.then((isHeard) => {
      if (!isHeard) return;
      act.startedAt = new Date();
      if (this.#act === act && !act.isHeld) this.#enter("speaking");
    });
    act.settled = utterance.ended.then(({ heardText, error }) => {
      if (error !== undefined) this.#options.listener.onFault("voice", error);
      if (heardText !== "") this.#add({ role: "assistant", text: heardText, at: act.startedAt ?? new Date() });
      if (this.#act === act) this.#act = undefined;
      this.#enter("listening");
      this.#lines.look();
    });
    return act;
  }

  #add(message: SpokenMessage): void {
    this.#history.add({ role: message.role, text: message.text });
    this.#historyVersion += 1;
    this.#options.listener.onMessage(message);
    this.#options.listener.onChange();
  }

  #enter(state: ConversationState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.listener.onState(state);
  }

  #tellSpeaking(isSpeaking: boolean): void {
    if (isSpeaking === this.#isPersonSpeaking) return;
    this.#isPersonSpeaking = isSpeaking;
    this.#options.listener.onPersonSpeaking(isSpeaking);
  }

  get #turnId(): string {
    return `person-${this.#turnCount}`;
  }

  /** The id of the present turn; the next one gets another. */
  #nextTurnId(): string {
    const id = this.#turnId;
    this.#turnCount += 1;
    return id;
  }
}
