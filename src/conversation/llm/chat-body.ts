// The JSON of one request: the conversation, the tools, and what the model's tools have found so far.
import type { FoldedHistory, SpokenMessage } from "./fold-history.ts";
import type { LlmImage, LlmTurn } from "./llm-turn.ts";
import type { Feature } from "./server-support.ts";
import type { ToolRound } from "./tool-calls.ts";

/** Tells the model what the image is. It stands beside it, because instructions go out without an image too. */
const IMAGE_NOTE = "(My camera shows this while I speak. Mention it only if it matters for what I said.)";

/** After this many rounds of calls in one answer the model must answer with what it has. */
const MAX_TOOL_ROUNDS = 3;

/** A message of text and an image. */
interface ImageMessage {
  role: "user";
  content: ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[];
}

type ChatMessage =
  | SpokenMessage
  | ImageMessage
  | { role: "system"; content: string }
  | { role: "assistant"; content: string; tool_calls: object[] }
  | { role: "tool"; tool_call_id: string; content: string };

/** The features that the next request of a turn would use. */
export function wantedFeatures(turn: LlmTurn, { system }: FoldedHistory, rounds: readonly ToolRound[]): Feature[] {
  const wanted: Feature[] = ["stream_options"];
  if (system !== "") wanted.push("system");
  if (turn.user !== undefined) wanted.push("user");
  if (turn.image) wanted.push("image");
  const ownRounds = rounds.length - (turn.rounds?.length ?? 0);
  if (turn.tools && turn.tools.length > 0 && ownRounds < MAX_TOOL_ROUNDS) wanted.push("tools");
  return wanted;
}

/** The request as JSON, with the features that `has` allows. */
export function chatBody(
  model: string,
  turn: LlmTurn,
  history: FoldedHistory,
  rounds: readonly ToolRound[],
  has: (feature: Feature) => boolean,
): string {
  return JSON.stringify({
    model,
    messages: withImage(messagesOf(history, rounds, has), has("image") ? turn.image : undefined),
    stream: true,
    ...(has("stream_options") && { stream_options: { include_usage: true } }),
    ...(has("user") && { user: turn.user }),
    ...(has("tools") && {
      tools: turn.tools?.map(({ name, description, parameters }) => ({
        type: "function",
        function: { name, description, parameters },
      })),
      ...(turn.toolChoice !== undefined && { tool_choice: toolChoiceOf(turn.toolChoice) }),
    }),
  });
}

function toolChoiceOf(choice: NonNullable<LlmTurn["toolChoice"]>): unknown {
  return choice === "required" ? choice : { type: "function", function: choice };
}

/** What tools have found stays in the request without tools too: as a part of the system message. */
function messagesOf(
  { system: folded, messages: spoken }: FoldedHistory,
  rounds: readonly ToolRound[],
  has: (feature: Feature) => boolean,
): ChatMessage[] {
  const system = [folded, ...(has("tools") ? [] : rounds.map(describeRound))].filter(Boolean).join("\n\n");
  const further = has("tools") ? rounds.flatMap(messagesOfRound) : [];
  if (system === "") return [...spoken, ...further];
  if (has("system")) return [{ role: "system", content: system }, ...spoken, ...further];
  const [first, ...others] = spoken;
  return [{ role: "user", content: `${system}\n\n${first.content}` }, ...others, ...further];
}

/** The image goes with what the user said last. */
function withImage(messages: ChatMessage[], image: LlmImage | undefined): ChatMessage[] {
  const index = messages.findLastIndex(({ role }) => role === "user");
  const { content } = messages[index];
  if (!image || typeof content !== "string") return messages;
  const url = `data:${image.type};base64,${Buffer.from(image.bytes).toString("base64")}`;
  const shown: ImageMessage = {
    role: "user",
    content: [
      { type: "text", text: `${content}\n\n${IMAGE_NOTE}` },
      { type: "image_url", image_url: { url } },
    ],
  };
  return messages.with(index, shown);
}

function messagesOfRound({ text, calls, results }: ToolRound): ChatMessage[] {
  return [
    {
      role: "assistant",
      content: text,
      tool_calls: calls.map(({ id, name, args }) => ({ id, type: "function", function: { name, arguments: args } })),
    },
    ...calls.map(({ id }, index) => ({ role: "tool" as const, tool_call_id: id, content: results[index] })),
  ];
}

function describeRound({ text, calls, results }: ToolRound): string {
  const found = calls.map(({ name, args }, index) => `Result of ${name} with ${args}:\n${results[index]}`);
  return [text && `You have just said: ${text}`, ...found].filter(Boolean).join("\n\n");
}
