// A session in text mode: the client sends what the person has typed or said, and gets the answer as it is written.
// A turn that comes during an answer ends it.
import { z } from "zod";
import type { LlmMessage } from "../llm/llm-turn.ts";
import { ConversationHistory } from "../turns/conversation-history.ts";
import type { ConversationLlm } from "../turns/conversation-parts.ts";
import { fixedSentence } from "../turns/fixed-sentences.ts";
import { spokenInstructions } from "../turns/instructions.ts";
import { PreparedAnswer } from "../turns/prepared-answer.ts";
import { eventIdOf } from "./client-events.ts";
import { RealtimeError } from "./realtime-error.ts";
import { newId } from "./realtime-output.ts";

const MAX_CHARACTERS = 20_000;
/** Older turns cannot be replaced, and are told to the language model as far as its history goes. */
const MAX_TURNS = 1_000;
/** Of all turns and their answers: two megabytes. */
const MAX_CHARACTERS_KEPT = 1_000_000;

const turnName = z.union([z.string().min(1).max(200), z.number()]);
const event = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("user.turn"),
    turn: turnName,
    text: z.string().min(1).max(MAX_CHARACTERS),
    replaces: turnName.nullish(),
  }),
  z.object({
    type: z.literal("response.cancel"),
    turn: turnName.nullish(),
    heard_chars: z.int().min(0).nullish(),
  }),
  z.object({ type: z.literal("session.end") }),
]);
type TextEvent = z.output<typeof event>;

/** The client's name of a turn. */
type TurnName = z.output<typeof turnName>;

export interface TextSessionOptions {
  /** The agent's prompt. */
  instructions: string;
  /** A BCP 47 tag. */
  language: string;
  /** What the person has read first; empty if nothing. */
  greeting?: string;
  /** Null without a language model. */
  llm: ConversationLlm | null;
  /** Id of the person, for the model's server. */
  user?: string;
  /** Must not throw. */
  send(event: Record<string, unknown>): void;
  /** The client has ended the session. */
  onEnd(): void;
  onFault?(part: "llm", error: unknown): void;
}

interface Turn {
  name: TurnName;
  text: string;
  answer: string;
}

/** An answer on its way. */
interface OpenAnswer {
  id: string;
  turn: Turn;
  writing: PreparedAnswer;
}

export class TextSession {
  readonly #options: TextSessionOptions;
  #turns: Turn[] = [];
  #open: OpenAnswer | undefined;
  #isClosed = false;

  constructor(options: TextSessionOptions) {
    this.#options = options;
  }

  /** Nothing is told at the start: the first word is the client's. */
  start(): void {}

  /** Takes a client's event. What is wrong with it is told in an `error` event. Never throws. */
  receive(value: unknown): void {
    if (this.#isClosed) return;
    const parsed = event.safeParse(value);
    try {
      if (!parsed.success) throw invalid(parsed.error);
      this.#take(parsed.data);
    } catch (error) {
      this.#refuse(error, eventIdOf(value));
    }
  }

  /** A frame was no event. */
  refuse(message: string, code = "invalid_json"): void {
    this.#refuse(new RealtimeError(message, { code }), null);
  }

  /** Ends the answer. No event goes out any more. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#open?.writing.cancel();
    this.#open = undefined;
  }

  #take(input: TextEvent): void {
    if (input.type === "session.end") this.#options.onEnd();
    else if (input.type === "user.turn") this.#begin(input);
    else this.#cancel(input);
  }

  #begin({ turn: name, text, replaces }: Extract<TextEvent, { type: "user.turn" }>): void {
    this.#finish("cancelled");
    // What was said from the replaced turn on was never said.
    const from = replaces == null ? -1 : this.#turns.findIndex((turn) => turn.name === replaces);
    if (from >= 0) this.#turns.length = from;
    const turn = { name, text, answer: "" };
    this.#turns.push(turn);
    while (this.#turns.length > MAX_TURNS || this.#characters > MAX_CHARACTERS_KEPT) this.#turns.shift();
    const open = { id: newId("resp"), turn, writing: new PreparedAnswer((signal) => this.#write(signal)) };
    this.#open = open;
    this.#emit("response.created", open);
    void this.#run(open);
  }

  get #characters(): number {
    return this.#turns.reduce(
      (sum, { name, text, answer }) => sum + String(name).length + text.length + answer.length,
      0,
    );
  }

  #cancel({ turn: name, heard_chars: heard }: Extract<TextEvent, { type: "response.cancel" }>): void {
    const turn = name == null ? this.#turns.at(-1) : this.#turns.findLast((known) => known.name === name);
    if (!turn) throw new RealtimeError("There is no turn of this name.", { code: "invalid_value", param: "turn" });
    if (this.#open?.turn === turn) this.#finish("cancelled");
    if (heard != null) turn.answer = turn.answer.slice(0, heard);
  }

  async #run(open: OpenAnswer): Promise<void> {
    try {
      for await (const delta of open.writing.pieces()) {
        if (this.#open !== open) return;
        open.turn.answer += delta;
        this.#emit("response.text.delta", open, { delta });
      }
      if (this.#open === open) this.#finish("completed");
    } catch (error) {
      if (this.#open !== open) return;
      if (error instanceof RealtimeError) this.#refuse(error, null);
      else this.#options.onFault?.("llm", error);
      this.#finish("failed");
    }
  }

  #finish(status: "completed" | "cancelled" | "failed"): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    open.writing.cancel();
    this.#emit("response.done", open, { status });
  }

  async *#write(signal: AbortSignal): AsyncGenerator<string> {
    const { llm, instructions: systemPrompt, language, user, greeting = "" } = this.#options;
    if (!llm) {
      yield fixedSentence("no-llm", language);
      return;
    }
    const said = this.#turns.flatMap(({ text, answer }): LlmMessage[] => [
      { role: "user", text },
      { role: "assistant", text: answer },
    ]);
    const messages = [{ role: "assistant" as const, text: greeting }, ...said.slice(0, -1)];
    const { messages: history } = new ConversationHistory(messages.filter(({ text }) => text.trim() !== ""));
    yield* llm.answer({ instructions: spokenInstructions({ systemPrompt, language }), history, user, signal });
  }

  #emit(type: string, { id, turn }: OpenAnswer, fields: Record<string, unknown> = {}): void {
    if (!this.#isClosed) this.#options.send({ type, response_id: id, turn: turn.name, ...fields });
  }

  #refuse(error: unknown, eventId: string | null): void {
    if (this.#isClosed) return;
    const { code, message, param } = error instanceof RealtimeError ? error : unexpected();
    this.#options.send({
      type: "error",
      error: { type: "invalid_request_error", code, message, param: param ?? null, event_id: eventId },
    });
  }
}

function invalid({ issues: [issue] }: z.ZodError): RealtimeError {
  const param = issue.path.join(".");
  return new RealtimeError(`${param || "The event"}: ${issue.message}`, { code: "invalid_value", param });
}

function unexpected(): RealtimeError {
  return new RealtimeError("The event could not be processed.", { code: "server_error" });
}
