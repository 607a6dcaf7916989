// The agent's documents as a tool of the model.
import type { LlmTool } from "../llm/llm-turn.ts";
import type { SearchKnowledge } from "./conversation-parts.ts";
import { passagesMessage } from "./passages.ts";

/** A tool that the conversation runs itself. */
export function searchTool(search: SearchKnowledge): LlmTool & Required<Pick<LlmTool, "run">> {
  return {
    name: "search_documents",
    description: "Searches the agent's documents. Use it when the passages you were given do not answer a question.",
    parameters: {
      type: "object",
      properties: { query: { type: "string", description: "What to look for, in a few words." } },
      required: ["query"],
    },
    run: async ({ query }, signal) => {
      if (typeof query !== "string" || query.trim() === "") return "The query is missing.";
      return passagesMessage(await search(query, signal)) ?? "Nothing was found.";
    },
  };
}
