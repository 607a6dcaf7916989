// What the page shows: what the tool returned that it was opened for.
import { HostError, type ToolResult } from "./host-link.ts";

export interface SpeakingOrder {
  agentId: string;
  name: string;
  text: string;
  model: string;
  voice: string;
  language: string;
  /** Credits that a film of this text costs; null if no film can be made. */
  filmCredits: number | null;
  /** Whether the face was made on the person's computer: its film is a part like others. */
  isLocal: boolean;
  /** `data:` address of the face at rest; undefined without one. */
  poster?: string;
}

/** Throws HostError for the result of a call that failed, and for that of another tool. */
export function toSpeakingOrder({ isError, content, structuredContent = {} }: ToolResult): SpeakingOrder {
  const texts = ["agent_id", "name", "text", "model", "voice", "language"].map((key) => structuredContent[key]);
  if (isError || !texts.every((text) => typeof text === "string")) {
    const told = content.find(({ type }) => type === "text")?.text ?? "";
    const said = messageIn(told);
    throw new HostError(said === undefined ? "NO_FACE" : { said });
  }
  const [agentId, name, text, model, voice, language] = texts as string[];
  const { film_credits: filmCredits, is_local: isLocal } = structuredContent;
  const image = content.find(({ type }) => type === "image");
  return {
    agentId,
    name,
    text,
    model,
    voice,
    language,
    isLocal: isLocal === true,
    filmCredits: typeof filmCredits === "number" ? filmCredits : null,
    ...(image?.data &&
      /^image\/(jpeg|png|webp)$/.test(image.mimeType ?? "") && {
        poster: `data:${image.mimeType};base64,${image.data}`,
      }),
  };
}

function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text).error;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
