// Reads the reply to one request: its words as they arrive, then its calls of tools and how it ended.
import type { AnswerLength } from "./answer-length.ts";
import type { AnswerWatch } from "./answer-watch.ts";
import type { AnswerEnd, TokenUsage } from "./llm-turn.ts";
import { readChunks } from "./read-chunks.ts";
import { RefusedRequest, refusalOf } from "./refused-request.ts";
import type { ChatAnswer } from "./request-chat.ts";
import { ThoughtFilter } from "./thought-filter.ts";
import { type ToolCall, ToolCallCollector } from "./tool-calls.ts";

export interface Reply {
  /** All words, which were yielded. */
  text: string;
  /** None if the reply did not come to its end. */
  calls: ToolCall[];
  end: AnswerEnd;
  usage: TokenUsage | undefined;
}

/** Reads the answer of a request that `send` starts. `onAccepted` is called when the model begins to answer. After the
 *  first word nothing is thrown but the caller's abort: the reply ends with what came. Before that it throws
 *  RefusedRequest, EngineError (timeout, upstream-unavailable, program-failed), or the abort's reason. */
export async function* readReply(
  send: (signal: AbortSignal) => Promise<ChatAnswer>,
  { watch, length, onAccepted }: { watch: AnswerWatch; length: AnswerLength; onAccepted(): void },
): AsyncGenerator<string, Reply> {
  const thoughts = new ThoughtFilter();
  const calls = new ToolCallCollector();
  const reply: Reply = { text: "", calls: [], end: "complete", usage: undefined };
  let isComplete = false;
  try {
    const answer = await watch.wait(send(watch.signal));
    if (answer.status !== 200) throw await watch.wait(refusalOf(answer));
    const events = readChunks(answer.body);
    for (let event = await watch.wait(events.next()); !event.done; event = await watch.wait(events.next())) {
      if (event.value === "done") {
        isComplete = true;
        watch.startTail();
        continue;
      }
      const { text, isThought, calls: pieces, finish, usage, error } = event.value;
      if (error) throw new RefusedRequest(error.status, error.text);
      reply.usage = usage ?? reply.usage;
      const said = length.take(thoughts.push(text));
      if (text !== "" || isThought || pieces.length > 0 || finish !== undefined) onAccepted();
      if (said.text !== "" || pieces.length > 0) watch.restart();
      else if (isThought || (text !== "" && thoughts.isThinking)) watch.restartForThought();
      for (const piece of pieces) calls.add(piece);
      if (said.text !== "") {
        reply.text += said.text;
        yield said.text;
      }
      if (said.isFull) return { ...reply, end: "cut" };
      if (finish === "length") reply.end = "cut";
      if (finish !== undefined) {
        isComplete = true;
        // The count of tokens may follow.
        watch.startTail();
      }
    }
  } catch (cause) {
    const error = watch.errorOf(cause);
    if (!isComplete) {
      if (reply.text === "" || watch.isGivenUp) throw error;
      return { ...reply, end: watch.isLate ? "stalled" : "broken" };
    }
    if (watch.isGivenUp) throw error;
  } finally {
    watch.end();
  }
  const rest = length.take(thoughts.end()).text;
  if (rest !== "") yield rest;
  return { ...reply, text: reply.text + rest, calls: calls.take() };
}
