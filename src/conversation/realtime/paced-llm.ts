// A language model for callers who are not trusted: its answers begin one at a time, and no faster than the budgets of
// the call and of its account allow. An answer that is cancelled while it waits costs nothing.
import { setTimeout as delay } from "node:timers/promises";
import type { TokenBucket } from "../../../program/token-bucket.ts";
import type { AnswerReport, LlmTurn } from "../llm/llm-turn.ts";
import type { ConversationLlm } from "../turns/conversation-parts.ts";
import { RealtimeError } from "./realtime-error.ts";
import { costOf } from "./responses/answer-rates.ts";

/** An answer that would begin later than this is refused: the person has gone on by then. */
const MOST_WAIT_MS = 10_000;
/** An image counts as this many characters. */
const IMAGE_CHARACTERS = 10_000;

export class PacedLlm implements ConversationLlm {
  readonly #llm: ConversationLlm;
  readonly #budgets: readonly TokenBucket[];
  /** Resolves when the request before is gone. Never rejects. */
  #last: Promise<void> = Promise.resolve();

  /** `budgets`: of the call, and of whatever else it belongs to. */
  constructor(llm: ConversationLlm, budgets: readonly TokenBucket[]) {
    this.#llm = llm;
    this.#budgets = budgets;
  }

  get takesImages(): boolean {
    return this.#llm.takesImages;
  }

  /** As `LanguageModel.answer`. Throws RealtimeError rate_limit_exceeded if the answer could not begin within ten
   *  seconds. */
  async *answer(turn: LlmTurn): AsyncGenerator<string, AnswerReport> {
    const leave = await this.#enter(turn);
    try {
      return yield* this.#llm.answer(turn);
    } finally {
      leave();
    }
  }

  /** Waits for the request before and for the budgets. Resolves with what ends the turn. Throws the signal's reason. */
  async #enter(turn: LlmTurn): Promise<() => void> {
    const before = this.#last;
    let leave = (): void => undefined;
    const gone = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last = before.then(() => gone);
    const signal = AbortSignal.any([AbortSignal.timeout(MOST_WAIT_MS), ...(turn.signal ? [turn.signal] : [])]);
    try {
      await abortable(before, signal);
      await this.#waitForBudgets(costOf(charactersOf(turn)), signal);
      return leave;
    } catch (error) {
      leave();
      turn.signal?.throwIfAborted();
      throw signal.aborted ? tooFast() : error;
    }
  }

  async #waitForBudgets(cost: number, signal: AbortSignal): Promise<void> {
    const waitMs = Math.max(...this.#budgets.map((budget) => budget.waitMs));
    if (waitMs > MOST_WAIT_MS) throw tooFast();
    for (const budget of this.#budgets) budget.take(cost);
    if (waitMs === 0) return;
    try {
      await delay(waitMs, undefined, { signal });
    } catch (error) {
      for (const budget of this.#budgets) budget.giveBack(cost);
      throw error;
    }
  }
}

function charactersOf({ instructions, history, rounds = [], tools = [], image }: LlmTurn): number {
  const texts = [
    instructions,
    ...history.map(({ text }) => text),
    ...rounds.flatMap(({ text, calls, results }) => [text, ...calls.map(({ args }) => args), ...results]),
    ...tools.flatMap(({ description, parameters }) => [description, JSON.stringify(parameters)]),
  ];
  return texts.reduce((sum, { length }) => sum + length, image ? IMAGE_CHARACTERS : 0);
}

function tooFast(): RealtimeError {
  const message = "Answers are requested faster than the language model may be used. Wait a few seconds.";
  return new RealtimeError(message, { code: "rate_limit_exceeded" });
}

/** Resolves with the promise, which never rejects, or throws the signal's reason. */
function abortable(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    void promise.then(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    });
  });
}
