// The chunks of an answer, out of the bytes of its body: a stream of server-sent events, JSON in one piece, or JSON
// in lines.
import { EngineError } from "../../../shared/engine-error.ts";
import { type ChatChunk, parseChunk } from "./parse-chunk.ts";

/** Over 4,000 characters, each with a chunk of its own of 500 bytes. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_LINE_CHARACTERS = 1024 * 1024;
/** Earlier llama.cpp sends errors as `error: {…}`. */
const FIELD = /^(data|error):(.*)$/s;

/** A chunk; or `done`, when the stream says that it is complete. */
export type ChatEvent = ChatChunk | "done";

/** The events of a body, until it ends. Lines that are not understood are skipped: comments that keep connections
 *  alive, fields without meaning here, garbage. Throws what the body throws, and EngineError program-failed for a body
 *  over 8 MiB or a line over 1 MiB. */
export async function* readChunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<ChatEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  let bytes = 0;
  let isWhole: boolean | undefined;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw endless();
    const text = decoder.decode(part, { stream: true });
    rest += text;
    // Nothing but an answer in one piece begins with a brace.
    if (isWhole === undefined && rest.trim() !== "") isWhole = rest.trimStart().startsWith("{");
    if (isWhole) continue;
    if (rest.length > MAX_LINE_CHARACTERS) throw endless();
    if (!/[\r\n]/.test(text)) continue;
    // Either of `\r\n` ends a line, so that they may come apart: empty lines are skipped.
    const lines = rest.split(/[\r\n]/);
    rest = lines.pop() ?? "";
    for (const line of lines) yield* eventOf(line);
  }
  rest += decoder.decode();
  if (isWhole) yield* wholeAnswer(rest);
  else yield* eventOf(rest);
}

function* wholeAnswer(text: string): Generator<ChatEvent> {
  const whole = parseJson(text);
  if (whole === undefined) {
    for (const line of text.split(/[\r\n]/)) yield* eventOf(FIELD.test(line) ? line : `data:${line}`);
    return;
  }
  const chunk = parseChunk(whole);
  if (chunk) yield chunk;
}

/** Each line is taken by itself: no server divides a chunk, and some leave out the empty lines between events. */
function* eventOf(line: string): Generator<ChatEvent> {
  const [, field, value] = FIELD.exec(line) ?? [];
  if (value === undefined) return;
  if (value.trim() === "[DONE]") {
    yield "done";
    return;
  }
  const json = parseJson(value);
  const chunk = parseChunk(field === "error" ? { error: json ?? value } : json);
  if (chunk) yield chunk;
}

/** Undefined for what is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function endless(): EngineError {
  return new EngineError("program-failed", "The model server's answer is too large.");
}
