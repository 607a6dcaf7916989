// The items of a realtime conversation: what was said, calls of functions, and what they returned.

import type { SpokenText } from "../../../speech/voice/spoken-text.ts";
import type { LlmImage } from "../../llm/llm-turn.ts";
import type { ItemInput } from "../client-events.ts";
import { readShownImage } from "../input/read-shown-image.ts";
import { RealtimeError } from "../realtime-error.ts";
import type { Dialect } from "../session-settings.ts";

type ItemStatus = "in_progress" | "completed" | "incomplete";

interface ItemBase {
  id: string;
  status: ItemStatus;
}

/** What the person said: its text, or, until it is written down, undefined. */
export interface AudioPart {
  kind: "audio";
  transcript: string | undefined;
  /** Resolves when the transcript is known, or will never be. Never rejects. */
  known: Promise<void>;
}

/** What was answered aloud. */
export interface SpokenPart {
  kind: "spoken";
  /** All of it, until it is cut to what was heard. */
  transcript: string;
  /** Where each word is; undefined if the client wrote it. */
  spoken?: SpokenText;
}

/** What the person shows. */
export interface ImagePart {
  kind: "image";
  /** Undefined once a later one has come. */
  shown: LlmImage | undefined;
}

export type ItemPart = { kind: "text"; text: string } | ImagePart | AudioPart | SpokenPart;

export interface MessageItem extends ItemBase {
  type: "message";
  role: "user" | "assistant" | "system";
  parts: ItemPart[];
}

export interface CallItem extends ItemBase {
  type: "function_call";
  callId: string;
  name: string;
  /** JSON, as the model wrote it. */
  args: string;
}

export interface CallOutputItem extends ItemBase {
  type: "function_call_output";
  callId: string;
  output: string;
}

export type ConversationItem = MessageItem | CallItem | CallOutputItem;

/** What an item takes besides its texts: its object, and that of each part. */
const ITEM_CHARACTERS = 500;
const PART_CHARACTERS = 100;

/** Characters that an item keeps in memory; images aside. */
export function charactersOf(item: ConversationItem): number {
  const base = ITEM_CHARACTERS + item.id.length;
  if (item.type === "function_call") return base + item.callId.length + item.name.length + item.args.length;
  if (item.type === "function_call_output") return base + item.callId.length + item.output.length;
  return item.parts.reduce((sum, part) => sum + PART_CHARACTERS + textOfPart(part).length, base);
}

function textOfPart(part: ItemPart): string {
  if (part.kind === "image") return "";
  return part.kind === "text" ? part.text : (part.transcript ?? "");
}

/** The text of a message, as far as it is known. */
export function textOf({ parts }: MessageItem): string {
  return parts
    .map(textOfPart)
    .filter((text) => text.trim() !== "")
    .join("\n");
}

/** An item as events show it. Audio and images are not kept, so they are not shown. */
export function itemObject(item: ConversationItem, dialect: Dialect): Record<string, unknown> {
  const { id, type, status } = item;
  const base = { id, object: "realtime.item", type, status };
  if (item.type === "function_call") return { ...base, call_id: item.callId, name: item.name, arguments: item.args };
  if (item.type === "function_call_output") return { ...base, call_id: item.callId, output: item.output };
  return { ...base, role: item.role, content: item.parts.map((part) => partObject(part, item.role, dialect)) };
}

/** A part of an assistant's message as events show it. */
export function partObject(part: ItemPart, role: MessageItem["role"], dialect: Dialect): Record<string, unknown> {
  if (part.kind === "audio") return { type: "input_audio", transcript: part.transcript ?? null };
  if (part.kind === "image") return { type: "input_image" };
  const isBeta = dialect === "beta";
  if (part.kind === "spoken") return { type: isBeta ? "audio" : "output_audio", transcript: part.transcript };
  if (role !== "assistant") return { type: "input_text", text: part.text };
  return { type: isBeta ? "text" : "output_text", text: part.text };
}

/** An item that a client creates. `transcribe` writes down its audio, base64. Throws RealtimeError. */
export function itemOf(input: ItemInput, id: string, transcribe: (audio: string) => AudioPart): ConversationItem {
  const base = { id, status: "completed" as const };
  if (input.type === "function_call") {
    return { ...base, type: input.type, callId: input.call_id ?? id, name: input.name, args: input.arguments };
  }
  if (input.type === "function_call_output") {
    return { ...base, type: input.type, callId: input.call_id, output: input.output };
  }
  const { role } = input;
  const parts = input.content.map((part): ItemPart => {
    if ("text" in part) return { kind: "text", text: part.text };
    if (part.type === "input_image") return { kind: "image", shown: readShownImage(part.image_url) };
    if (part.type !== "input_audio") return { kind: "spoken", transcript: part.transcript ?? "" };
    if (role === "user" && part.audio !== undefined) return transcribe(part.audio);
    return { kind: "text", text: part.transcript ?? "" };
  });
  const isForeign = parts.some(({ kind }) =>
    role === "user" ? kind === "spoken" : kind === "audio" || kind === "image",
  );
  if (isForeign) {
    throw new RealtimeError(`A message with the role ${role} cannot have content of this type.`, {
      code: "invalid_value",
      param: "item.content",
    });
  }
  return { ...base, type: "message", role, parts };
}
