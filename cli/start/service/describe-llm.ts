// Which language model answers in conversations, as `npm start` prints it.
import type { Config } from "../../../program/config.ts";
import { isLoopbackHost } from "../../../program/outgoing/loopback.ts";

/** The model and where it is. */
export interface FoundLlm {
  model: string;
  baseUrl: string;
}

/** One line. Without a model it says how to get one. */
export function describeLlm(
  llm: FoundLlm | null,
  { languageModel, http }: Pick<Config, "languageModel" | "http">,
): string {
  if (llm) return `${llm.model} at ${withoutCredentials(llm.baseUrl)}`;
  if (languageModel.isSearched && isLoopbackHost(http.host)) {
    return "none, so avatars answer from documents: avatar doctor llm says how to start one";
  }
  return "none, so avatars answer from documents: set OPENAI_BASE_URL";
}

/** The address without what a URL may hold besides: it is shown. */
function withoutCredentials(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname}`;
}
