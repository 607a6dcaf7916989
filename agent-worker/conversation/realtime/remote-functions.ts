// Functions that a realtime server calls: the search of the agent's documents.
import type { SearchKnowledge } from "../../../src/conversation/turns/conversation-parts.ts";
import { searchTool } from "../../../src/conversation/turns/search-tool.ts";
import type { ServerEvent } from "../../providers/realtime-link.ts";

/** Functions that run at a time. Further ones fail. */
const MOST_RUNNING = 4;
const SEARCH_MS = 5_000;

export interface RemoteFunctionsOptions {
  /** Null: there are no documents. */
  search: SearchKnowledge | null;
  send(command: object): void;
  /** Resolves when the avatar has said what it says. */
  whenSettled(): Promise<void>;
  /** The server has the output of a function, and may answer. */
  onAnswered(): void;
}

export class RemoteFunctions {
  readonly #options: RemoteFunctionsOptions;
  #running = 0;

  constructor(options: RemoteFunctionsOptions) {
    this.#options = options;
  }

  /** Runs the function that an item calls, and sends its output. */
  async run(item: NonNullable<ServerEvent["item"]>): Promise<void> {
    const { send, whenSettled, onAnswered } = this.#options;
    const answer = (output: string) => {
      const result = { type: "function_call_output", call_id: item.call_id, output };
      send({ type: "conversation.item.create", item: result });
    };
    if (item.call_id === undefined) return;
    if (this.#running >= MOST_RUNNING) {
      answer("Too many functions run at once.");
      return;
    }
    this.#running += 1;
    answer(await this.#outputOf(item));
    await whenSettled();
    this.#running -= 1;
    onAnswered();
  }

  /** Never rejects. */
  async #outputOf({ name, arguments: args }: NonNullable<ServerEvent["item"]>): Promise<string> {
    const { search } = this.#options;
    const tool = search && searchTool(search);
    if (!tool || name !== tool.name) return "There is no such function.";
    try {
      return await tool.run(JSON.parse(args || "{}"), AbortSignal.timeout(SEARCH_MS));
    } catch {
      return "The search failed.";
    }
  }
}
