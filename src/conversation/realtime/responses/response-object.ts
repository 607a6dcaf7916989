// A response as `response.created` and `response.done` show it.
import type { AnswerReport } from "../../llm/llm-turn.ts";
import { type ConversationItem, itemObject } from "../items/conversation-items.ts";
import { type Dialect, formatObject, type ResponseSettings } from "../session-settings.ts";

export type ResponseStatus = "in_progress" | "completed" | "cancelled" | "failed" | "incomplete";

export interface ResponseState {
  id: string;
  status: ResponseStatus;
  details: object | null;
  items: readonly ConversationItem[];
  settings: ResponseSettings;
  metadata: Readonly<Record<string, string>> | null;
  /** Null outside of the conversation. */
  conversationId: string | null;
  dialect: Dialect;
  /** Of the language model, once it is complete. */
  report: AnswerReport | undefined;
}

export function responseObject(response: ResponseState): Record<string, unknown> {
  const { id, status, details, items, settings, metadata, conversationId, dialect, report } = response;
  const { wantsAudio, voice, outputFormat, maxTokens } = settings;
  const isBeta = dialect === "beta";
  return {
    id,
    object: "realtime.response",
    status,
    status_details: details,
    output: items.map((item) => itemObject(item, dialect)),
    conversation_id: conversationId,
    metadata,
    ...(isBeta
      ? { modalities: wantsAudio ? ["text", "audio"] : ["text"], voice, output_audio_format: outputFormat }
      : {
          output_modalities: [wantsAudio ? "audio" : "text"],
          audio: { output: { format: formatObject(outputFormat), voice } },
        }),
    max_output_tokens: maxTokens,
    usage: status === "in_progress" ? null : usageObject(report),
  };
}

/** Tokens of the language model; none of them is audio, which it never sees. */
function usageObject(report: AnswerReport | undefined): Record<string, unknown> {
  const { promptTokens = 0, completionTokens = 0 } = report?.usage ?? {};
  return {
    total_tokens: promptTokens + completionTokens,
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    input_token_details: { text_tokens: promptTokens, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
    output_token_details: { text_tokens: completionTokens, audio_tokens: 0 },
  };
}
