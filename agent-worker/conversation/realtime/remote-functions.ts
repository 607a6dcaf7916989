// Functions that a realtime server calls: the search of the agent's documents, and what the face shows.
import type { Expression } from "../../../shared/expressions.ts";
import type { SearchKnowledge } from "../../../src/conversation/turns/conversation-parts.ts";
import { searchTool } from "../../../src/conversation/turns/search-tool.ts";
import type { ServerEvent } from "../../providers/realtime-link.ts";
import { EXPRESSION_FUNCTION, readExpressionCall } from "./expression-function.ts";

/** Functions that run at a time. Further ones fail. */
const MOST_RUNNING = 4;
const SEARCH_MS = 5_000;

export interface RemoteFunctionsOptions {
  /** Null: there are no documents. */
  search: SearchKnowledge | null;
  /** The face is to show this with what is said next. */
  express(expression: Expression): void;
  send(command: object): void;
  /** Resolves when the avatar has said what it says. */
  whenSettled(): Promise<void>;
  /** The server has the output of a search, and may answer. */
  onAnswered(): void;
}

export class RemoteFunctions {
  readonly #options: RemoteFunctionsOptions;
  #running = 0;

  constructor(options: RemoteFunctionsOptions) {
    this.#options = options;
  }

  /** Whether a search runs: `onAnswered` follows. */
  get isRunning(): boolean {
    return this.#running > 0;
  }

  /** Runs the function that an item calls, and sends its output. Returns whether it was sent at once. */
  run(item: NonNullable<ServerEvent["item"]>): boolean {
    const { call_id: callId } = item;
    if (callId === undefined) return false;
    const output = this.#outputAtOnce(item);
    if (output === undefined) void this.#search(item, callId);
    else this.#answer(callId, output);
    return output !== undefined;
  }

  #answer(callId: string, output: string): void {
    const item = { type: "function_call_output", call_id: callId, output };
    this.#options.send({ type: "conversation.item.create", item });
  }

  /** Undefined for a search. */
  #outputAtOnce({ name, arguments: args }: NonNullable<ServerEvent["item"]>): string | undefined {
    if (name !== EXPRESSION_FUNCTION.name) {
      return this.#running >= MOST_RUNNING ? "Too many functions run at once." : undefined;
    }
    try {
      this.#options.express(readExpressionCall(args));
      return "Your face shows it while you speak. Answer now.";
    } catch (error) {
      return (error as RangeError).message;
    }
  }

  async #search(item: NonNullable<ServerEvent["item"]>, callId: string): Promise<void> {
    const { whenSettled, onAnswered } = this.#options;
    this.#running += 1;
    this.#answer(callId, await this.#outputOf(item));
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
