// Calls of tools, put together from the pieces in which servers send them.
import { EngineError } from "../../../shared/engine-error.ts";

/** A part of a call. Any field may be missing or hold any part of its text. */
export interface ToolCallPiece {
  index?: number;
  id?: string;
  name?: string;
  /** JSON, or a part of it. */
  args?: string;
}

/** A call as the next request repeats it to the server. */
export interface ToolCall {
  id: string;
  name: string;
  /** JSON as the model wrote it. */
  args: string;
}

/** What the model said before it called tools, its calls, and their results in the same order. */
export interface ToolRound {
  text: string;
  calls: readonly ToolCall[];
  results: readonly string[];
}

/** A model that writes more than this does not come to an end. */
const MAX_CALLS = 8;
const MAX_ARGS_CHARACTERS = 32_000;

/** The calls of one answer. */
export class ToolCallCollector {
  readonly #calls: (ToolCall & { index: number | undefined })[] = [];

  /** Throws EngineError program-failed if the calls are too many or too long. */
  add(piece: ToolCallPiece): void {
    const call = this.#callOf(piece) ?? this.#begin(piece);
    if (call.id === "") call.id = piece.id ?? "";
    // Some servers repeat the whole name with every piece.
    if (piece.name !== undefined && piece.name !== call.name) call.name += piece.name;
    call.args += piece.args ?? "";
    if (call.args.length > MAX_ARGS_CHARACTERS || call.name.length > MAX_ARGS_CHARACTERS) throw endless();
  }

  /** The calls that name a tool, in the order in which they began. */
  take(): ToolCall[] {
    return this.#calls
      .filter(({ name }) => name !== "")
      .map(({ id, name, args }, index) => ({ id: id || idOf(index), name, args }));
  }

  /** The call that a piece goes on with. A new id begins a new call, because some servers send index 0 with all of
   *  them; so does a name behind arguments, where there are neither ids nor indices. */
  #callOf({ index, id, name }: ToolCallPiece): ToolCall | undefined {
    const call = index === undefined ? this.#calls.at(-1) : this.#calls.findLast((known) => known.index === index);
    if (!call) return undefined;
    const isOther = id !== undefined && call.id !== "" && id !== call.id;
    const isNext = id === undefined && index === undefined && name !== undefined && call.args !== "";
    return isOther || isNext ? undefined : call;
  }

  #begin({ index }: ToolCallPiece): ToolCall {
    if (this.#calls.length === MAX_CALLS) throw endless();
    const call = { index, id: "", name: "", args: "" };
    this.#calls.push(call);
    return call;
  }
}

/** Nine letters and digits: templates of Mistral take nothing else. */
function idOf(index: number): string {
  return `call0000${index}`;
}

function endless(): EngineError {
  return new EngineError("program-failed", "The model writes calls of tools without an end.");
}
