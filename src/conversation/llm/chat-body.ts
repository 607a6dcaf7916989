// The JSON of one request: the conversation, the tools, and what the model's tools have found so far.
import type { FoldedHistory, SpokenMessage } from "./fold-history.ts";
import type { LlmImage, LlmTurn } from "./llm-turn.ts";
import type { Feature } from "./server-support.ts";
import type { ToolRound } from "./tool-calls.ts";

/** Tells the model what the picture is. It stands beside it, because instructions go out without a picture too. */
const PICTURE_NOTE = "(My camera shows this while I speak. Mention it only if it matters for what I said.)";

/** After this many rounds of calls in one answer the model must answer with what it has. */
const MAX_TOOL_ROUNDS = 3;

/** A message of text and a picture. */
interface PictureMessage {
  role: "user";
  content: ({ type: "text"; text: string } | { type: "image_url"; image_url: { url: string } })[];
}

type ChatMessage =
  | SpokenMessage
  | PictureMessage
  | { role: "system"; content: string }
  | { role: "assistant"; content: string; tool_calls: object[] }
  | { role: "tool"; tool_call_id: string; content: string };

/** The features that the next request of a turn would use. */
export function wantedFeatures(turn: LlmTurn, { system }: FoldedHistory, rounds: readonly ToolRound[]): Feature[] {
  const wanted: Feature[] = ["stream_options"];
  if (system !== "") wanted.push("system");
  if (turn.user !== undefined) wanted.push("user");
  if (turn.picture) wanted.push("picture");
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
    messages: withPicture(messagesOf(history, rounds, has), has("picture") ? turn.picture : undefined),
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

/** The picture goes with what the user said last. */
function withPicture(messages: ChatMessage[], picture: LlmImage | undefined): ChatMessage[] {
  const index = messages.findLastIndex(({ role }) => role === "user");
  const { content } = messages[index];
  if (!picture || typeof content !== "string") return messages;
  const url = `data:${picture.type};base64,${Buffer.from(picture.bytes).toString("base64")}`;
  const shown: PictureMessage = {
    role: "user",
    content: [
      { type: "text", text: `${content}\n\n${PICTURE_NOTE}` },
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
