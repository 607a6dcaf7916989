// What a realtime server is told at the beginning of a session, in the spelling that it knows.
import type { LlmMessage, LlmTool } from "../../../src/conversation/llm/llm-turn.ts";
import type { SearchKnowledge } from "../../../src/conversation/turns/conversation-parts.ts";
import { searchTool } from "../../../src/conversation/turns/search-tool.ts";
import type { ServerEvent } from "../../providers/realtime-link.ts";
import { EXPRESSION_FUNCTION } from "./expression-function.ts";

/** Rate of the audio both ways. */
export const REMOTE_RATE_HZ = 24_000;

export interface RemoteSetupOptions {
  /** For the server; see `spokenInstructions`. */
  instructions: string;
  /** A BCP 47 tag. */
  language: string;
  /** The server's name of its voice; undefined: its default. */
  voice: string | undefined;
  /** Null: there are no documents. */
  search: SearchKnowledge | null;
}

/** Settings to try, best first: not every server knows `semantic_vad`, or functions. `session`: the server's, which
 *  shows whether it knows the present spelling or the beta's. Its own functions stay. */
export function sessionSetups(session: ServerEvent["session"], options: RemoteSetupOptions): object[] {
  const { instructions, language, voice, search } = options;
  const own = session?.tools ?? [];
  const isNew = ({ name }: { name: string }) => own.every((tool) => tool.name !== name);
  const found = search ? [searchTool(search)].filter(isNew).map(functionOf) : [];
  const shown = [EXPRESSION_FUNCTION].filter(isNew).map(functionOf);
  const transcription = { model: "whisper-1", language: language.split("-")[0] };
  const named = voice !== undefined && { voice };
  const isBeta = session?.type === undefined && session?.audio === undefined && session?.modalities !== undefined;
  const format = { type: "audio/pcm", rate: REMOTE_RATE_HZ };
  const ways = [
    { type: "semantic_vad", tools: [...own, ...found, ...shown] },
    { type: "server_vad", tools: [...own, ...found, ...shown] },
    { type: "server_vad", tools: [...own, ...found] },
  ];
  return ways.map(({ type, tools }) => {
    const turn_detection = { type, create_response: true, interrupt_response: true };
    if (!isBeta) {
      const audio = { input: { format, transcription, turn_detection }, output: { format, ...named } };
      return { type: "realtime", instructions, output_modalities: ["audio"], audio, tools };
    }
    return {
      modalities: ["text", "audio"],
      instructions,
      ...named,
      input_audio_format: "pcm16",
      output_audio_format: "pcm16",
      input_audio_transcription: transcription,
      turn_detection,
      tools,
    };
  });
}

function functionOf({ name, description, parameters }: Omit<LlmTool, "run">): object {
  return { type: "function", name, description, parameters };
}

/** A message as an item of the server's conversation. */
export function messageItem(role: LlmMessage["role"], text: string): object {
  const type = role === "assistant" ? "output_text" : "input_text";
  return { type: "message", role: role === "context" ? "system" : role, content: [{ type, text }] };
}

/** A response that says a line word for word. */
export function verbatim(line: string): object {
  const instructions = `Say exactly the following words, in their language, and nothing else:\n${line}`;
  return { instructions, tool_choice: "none" };
}
