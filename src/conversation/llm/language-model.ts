// What answers in a conversation: a language model on any server with the OpenAI protocol, the operator's own or a
// cloud's. It knows no room and no framework: a conversation in a room and a relay of realtime sessions can both use
// it.
import { setTimeout as delay } from "node:timers/promises";
import { EngineError } from "../../../shared/engine-error.ts";
import { AnswerLength } from "./answer-length.ts";
import { AnswerWatch } from "./answer-watch.ts";
import { chatBody, wantedFeatures } from "./chat-body.ts";
import { type FoldedHistory, foldHistory } from "./fold-history.ts";
import { type AnswerReport, DEFAULT_LLM_LIMITS, type LlmLimits, type LlmTurn, type TokenUsage } from "./llm-turn.ts";
import { type Reply, readReply } from "./read-reply.ts";
import { RefusedRequest } from "./refused-request.ts";
import { fetchChat, type LlmSettings, type RequestChat } from "./request-chat.ts";
import { runToolCalls } from "./run-tool-calls.ts";
import { ServerSupport } from "./server-support.ts";
import type { ToolRound } from "./tool-calls.ts";

/** Between words before and behind a call of tools. It ends a piece of speech, so that what was said before the call
 *  is heard while the tool runs. */
const PARAGRAPH = "\n\n";

/** One answer on its way. */
interface AnswerRun {
  turn: LlmTurn;
  history: FoldedHistory;
  rounds: ToolRound[];
  length: AnswerLength;
  retriesLeft: number;
  requests: number;
}

export class LanguageModel {
  readonly #model: string;
  readonly #request: RequestChat;
  readonly #limits: LlmLimits;
  readonly #support = new ServerSupport();

  /** Connects with the first answer. `request`: default by `fetch`. */
  constructor(
    settings: LlmSettings,
    { request = fetchChat(settings), limits }: { request?: RequestChat; limits?: Partial<LlmLimits> } = {},
  ) {
    this.#model = settings.model;
    this.#request = request;
    this.#limits = { ...DEFAULT_LLM_LIMITS, ...limits };
  }

  /** False once the server has refused an image and answered without it. */
  get takesImages(): boolean {
    return this.#support.mayTake("image");
  }

  /** The model's words as they arrive, without its thoughts; tools are run on the way. Answers may overlap. Throws the
   *  reason of the turn's signal, and EngineError: invalid-input (the user has not spoken last), timeout,
   *  upstream-unavailable (not reached, busy, or it broke off), program-failed (it refused, or sent no answer).
   *  Without a single word one more attempt is made first. Messages never hold the key or words of the
   *  conversation. */
  async *answer(turn: LlmTurn): AsyncGenerator<string, AnswerReport> {
    const history = foldHistory(turn);
    const length = new AnswerLength(this.#limits.answerCharacters);
    const run: AnswerRun = { turn, history, rounds: [...(turn.rounds ?? [])], length, retriesLeft: 1, requests: 0 };
    let usage: TokenUsage | undefined;
    for (;;) {
      turn.signal?.throwIfAborted();
      const reply = yield* this.#reply(run);
      usage = sumOf(usage, reply.usage);
      const toolRounds = run.rounds.length - (turn.rounds?.length ?? 0);
      const mayCall = wantedFeatures(turn, history, run.rounds).includes("tools");
      const calls = mayCall ? reply.calls : [];
      if (calls.length === 0 || calls.some(({ name }) => isForCaller(name, turn))) {
        return { end: reply.end, calls, toolRounds, requests: run.requests, usage };
      }
      if (reply.text !== "") yield PARAGRAPH;
      const limits = { timeoutMs: this.#limits.toolMs, signal: turn.signal };
      const results = await runToolCalls(reply.calls, turn.tools ?? [], limits);
      run.rounds.push({ text: reply.text, calls: reply.calls, results });
    }
  }

  /** The reply to one request, which is repeated without what the server refuses, and once after a fault. */
  async *#reply(run: AnswerRun): AsyncGenerator<string, Reply> {
    const { turn, history, rounds, length } = run;
    const offer = this.#support.offer(wantedFeatures(turn, history, rounds));
    for (;;) {
      const json = chatBody(this.#model, turn, history, rounds, (feature) => offer.has(feature));
      const watch = new AnswerWatch(this.#limits, turn.signal);
      const send = (signal: AbortSignal) => this.#request(json, turn.headers ?? {}, signal);
      run.requests += 1;
      try {
        const reply = yield* readReply(send, { watch, length, onAccepted: () => offer.accepted() });
        if (reply.text !== "" || reply.calls.length > 0 || reply.end === "cut") return reply;
        throw new EngineError("upstream-unavailable", "The model server's answer is empty.");
      } catch (error) {
        turn.signal?.throwIfAborted();
        if (error instanceof RefusedRequest && offer.narrow(error)) continue;
        const known = error instanceof RefusedRequest ? error.toEngineError() : error;
        if (!mayPass(known) || watch.hasThought || run.retriesLeft === 0) throw known;
        run.retriesLeft -= 1;
        if (known.code !== "timeout") await this.#pause(turn.signal);
      }
    }
  }

  /** Servers that are busy or start again are not met by everyone at once. */
  async #pause(signal: AbortSignal | undefined): Promise<void> {
    await delay(this.#limits.retryMs * (1 + Math.random()), undefined, { signal }).catch(() =>
      signal?.throwIfAborted(),
    );
  }
}

/** Whether the caller runs the tool of this name. */
function isForCaller(name: string, { tools = [] }: LlmTurn): boolean {
  return tools.some((tool) => tool.name === name && !tool.run);
}

/** Whether the same request can succeed in a moment. */
function mayPass(error: unknown): error is EngineError {
  return error instanceof EngineError && (error.code === "timeout" || error.code === "upstream-unavailable");
}

function sumOf(one: TokenUsage | undefined, other: TokenUsage | undefined): TokenUsage | undefined {
  if (!one || !other) return one ?? other;
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
  };
}
