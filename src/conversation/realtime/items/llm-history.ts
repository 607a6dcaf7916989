// A realtime conversation as a language model is given it.

import type { LlmMessage, LlmTurn } from "../../llm/llm-turn.ts";
import type { ToolRound } from "../../llm/tool-calls.ts";
import { ConversationHistory } from "../../turns/conversation-history.ts";
import { type CallItem, type ConversationItem, textOf } from "./conversation-items.ts";

/** Language models answer a user. Clients also want to hear something before the person has spoken, or once more. */
const NOTHING_SAID = "[I say nothing. Say what your instructions tell you to say now.]";
/** What a model is told of functions that were called since the person has spoken: the newest, and of each output its
 *  beginning. */
const MAX_CALLS_CHARACTERS = 40_000;
const MAX_OUTPUT_CHARACTERS = 20_000;
/** The same of what was said before this call. */
const MAX_WORDS_CHARACTERS = 4_000;
const NO_OUTPUT = "The function has not returned yet.";

/** Items up to now. Transcripts must be known. */
export function llmHistory(items: readonly ConversationItem[]): Pick<LlmTurn, "history" | "rounds" | "image"> {
  const lastUser = items.findLastIndex(
    (item) => item.type === "message" && item.role === "user" && textOf(item) !== "",
  );
  const before = items.slice(0, lastUser + 1);
  const behind = items.slice(lastUser + 1);
  const lastWords = behind.findLastIndex((item) => item.type === "message" && item.role === "assistant");
  const lastCall = behind.findLastIndex(({ type }) => type !== "message");
  if (lastUser < 0 || lastWords > lastCall) {
    const history = messagesOf(items, items);
    return { history: bounded([...history, { role: "user", text: NOTHING_SAID }]) };
  }
  const contexts = behind.filter((item) => item.type === "message" && item.role === "system");
  return {
    history: bounded(messagesOf([...contexts, ...before], items)),
    rounds: roundsOf(behind, items),
    image: imageIn(before.slice(before.findLastIndex(isAnswer) + 1)),
  };
}

function isAnswer(item: ConversationItem): boolean {
  return item.type === "message" && item.role === "assistant";
}

/** What the person has shown since the last answer. */
function imageIn(items: readonly ConversationItem[]): LlmTurn["image"] {
  const parts = items.flatMap((item) => (item.type === "message" ? item.parts : []));
  const image = parts.findLast((part) => part.kind === "image" && part.shown !== undefined);
  return image?.kind === "image" ? image.shown : undefined;
}

function bounded(messages: readonly LlmMessage[]): readonly LlmMessage[] {
  return new ConversationHistory(messages).messages;
}

/** Calls of functions that were answered long ago are told as facts. */
function messagesOf(items: readonly ConversationItem[], all: readonly ConversationItem[]): LlmMessage[] {
  return items.flatMap((item): LlmMessage[] => {
    if (item.type === "function_call_output") return [];
    if (item.type === "function_call") {
      return [{ role: "context", text: `Result of ${item.name} with ${item.args}:\n${outputOf(item, all)}` }];
    }
    return [{ role: item.role === "system" ? "context" : item.role, text: textOf(item) }];
  });
}

function roundsOf(behind: readonly ConversationItem[], all: readonly ConversationItem[]): ToolRound[] {
  const rounds: { text: string; calls: CallItem[] }[] = [];
  let isOpen = false;
  for (const item of behind) {
    if (item.type === "function_call_output") isOpen = false;
    else if (item.type === "function_call") {
      if (!isOpen) rounds.push({ text: "", calls: [] });
      rounds.at(-1)?.calls.push(item);
      isOpen = true;
    } else if (item.role === "assistant") {
      rounds.push({ text: textOf(item), calls: [] });
      isOpen = true;
    }
  }
  const results = newestResults(
    rounds.flatMap(({ calls }) => calls),
    all,
  );
  return rounds.flatMap(({ text, calls }) => {
    const told = calls.filter((call) => results.has(call));
    if (told.length === 0) return [];
    return {
      text: text.slice(0, MAX_WORDS_CHARACTERS),
      calls: told.map(({ callId: id, name, args }) => ({ id, name, args })),
      results: told.map((call) => results.get(call) ?? ""),
    };
  });
}

/** The outputs of the newest calls, as far as they fit. */
function newestResults(calls: readonly CallItem[], all: readonly ConversationItem[]): ReadonlyMap<CallItem, string> {
  const results = new Map<CallItem, string>();
  let left = MAX_CALLS_CHARACTERS;
  for (const call of calls.toReversed()) {
    const result = outputOf(call, all).slice(0, MAX_OUTPUT_CHARACTERS);
    left -= call.callId.length + call.name.length + call.args.length + result.length;
    if (left < 0) break;
    results.set(call, result);
  }
  return results;
}

function outputOf({ callId }: CallItem, items: readonly ConversationItem[]): string {
  const found = items.find((item) => item.type === "function_call_output" && item.callId === callId);
  return found?.type === "function_call_output" ? found.output || "(nothing)" : NO_OUTPUT;
}
