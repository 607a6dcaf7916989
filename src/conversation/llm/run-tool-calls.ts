// Runs the tools that a model calls. Whatever goes wrong is told to the model, which answers without it.
import type { LlmTool } from "./llm-turn.ts";
import type { ToolCall } from "./tool-calls.ts";

/** Longer results are cut. */
const MAX_RESULT_CHARACTERS = 20_000;

/** Runs the calls at the same time and resolves with a text for each. Rejects only with the reason of `signal`. */
export async function runToolCalls(
  calls: readonly ToolCall[],
  tools: readonly LlmTool[],
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<string[]> {
  signal?.throwIfAborted();
  const results = await Promise.all(calls.map((call) => runToolCall(call, tools, timeoutMs, signal)));
  signal?.throwIfAborted();
  return results;
}

async function runToolCall(
  { name, args }: ToolCall,
  tools: readonly LlmTool[],
  timeoutMs: number,
  outer: AbortSignal | undefined,
): Promise<string> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool?.run) return "There is no tool of this name.";
  const parsed = parseArgs(args);
  if (!parsed) return "The arguments are not a JSON object.";
  const late = new AbortController();
  const signal = outer ? AbortSignal.any([late.signal, outer]) : late.signal;
  const timer = setTimeout(() => late.abort(), timeoutMs);
  try {
    const result = await Promise.race([abortOf(signal), tool.run(parsed, signal)]);
    return result.slice(0, MAX_RESULT_CHARACTERS) || "The tool found nothing.";
  } catch {
    // The tool's owner logs why; the message could hold what a visitor must not hear.
    return late.signal.aborted ? "The tool did not answer in time." : "The tool failed.";
  } finally {
    clearTimeout(timer);
  }
}

/** Models write nothing, or `""`, for a tool without parameters. */
function parseArgs(args: string): Readonly<Record<string, unknown>> | undefined {
  if (args.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(args);
    if (value === "") return {};
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    return isRecord ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** For a tool that does not listen to its signal. */
function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
