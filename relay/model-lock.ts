// Keeps the model of a call as it was at connect: finds the events of a client that would change it, in every spelling
// that some JSON parser reads so. All other events pass without being parsed: audio makes them large.
import { bytesOutsideStrings } from "../program/http/bytes-outside-strings.ts";
import { MAX_EVENT_BYTES, MAX_STRUCTURE_BYTES } from "../shared/realtime-events.ts";

/** What happens to an event. `replacement` is the same event with the upstream's own name of the same model.
 *  `too_large`: telling would take too long. */
export type Verdict =
  | { kind: "pass" }
  | { kind: "too_large" }
  | { kind: "locked"; eventId: string | null }
  | { kind: "replaced"; replacement: string };

export interface ModelNames {
  /** As the caller names it. */
  name: string;
  /** As the upstream names it. */
  upstreamName: string;
}

const UPDATE = "session.update";
const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const PASS: Verdict = { kind: "pass" };
/** A string that is longer cannot be a key or a value that matters, however it is escaped. */
const MAX_WORD_CHARACTERS = 2_000;

/** Whether an event has to be judged: its type may be written out, or with escapes. */
export function mayChangeModel(data: Buffer): boolean {
  return looksWide(data) || data.includes(UPDATE) || data.includes(BACKSLASH);
}

/** Judges one event of the client, within 20 ms. Never throws. */
export function judgeEvent(data: Buffer, { name, upstreamName }: ModelNames): Verdict {
  if (!mayChangeModel(data)) return PASS;
  const isWide = looksWide(data);
  if (isTooLarge(data, isWide)) return { kind: "too_large" };
  const text = data.toString("utf8");
  const { types, models, eventId } = scanEvent(isWide ? text.replaceAll(/[\0\ufeff\ufffd]/g, "") : text);
  if (!types.includes(UPDATE) || models.length === 0) return PASS;
  if (models.every((model) => model === upstreamName)) return PASS;
  const isSame = models.every((model) => model === name || model === upstreamName);
  const replacement = isSame ? renameModel(text, upstreamName) : null;
  return replacement === null ? { kind: "locked", eventId } : { kind: "replaced", replacement };
}

/** Why an event that would change the model is kept back. */
export const MODEL_LOCKED = {
  code: "MODEL_LOCKED",
  message: "The model of a call is fixed when it connects. Open another call for another model.",
  param: "session.model",
} as const;

/** Strings cost little, so that images and audio fit. Where strings end, wide text does not tell. */
function isTooLarge(data: Buffer, isWide: boolean): boolean {
  if (isWide) return data.length > MAX_STRUCTURE_BYTES;
  return data.length > MAX_EVENT_BYTES || bytesOutsideStrings(data, MAX_STRUCTURE_BYTES) > MAX_STRUCTURE_BYTES;
}

/** Whether the bytes may be UTF-16 or UTF-32, which some parsers detect: their ASCII letters have zero bytes beside
 *  them. */
function looksWide(data: Buffer): boolean {
  const isMark = (data[0] === 0xfe && data[1] === 0xff) || (data[0] === 0xff && data[1] === 0xfe);
  return isMark || data.subarray(0, 4).includes(0);
}

/** The event with the upstream's name of the model, or null if it is not JSON. */
function renameModel(text: string, model: string): string | null {
  try {
    const event = JSON.parse(text);
    if (event.model !== undefined) event.model = model;
    if (event.session?.model !== undefined) event.session.model = model;
    return JSON.stringify(event);
  } catch {
    return null;
  }
}

interface ScannedEvent {
  /** All values of `type`. Of keys that are given twice, parsers take the first or the last. */
  types: string[];
  /** All values of `model` and `session.model`; null for one that is no string. */
  models: (string | null)[];
  /** The last `event_id`. */
  eventId: string | null;
}

interface Container {
  isObject: boolean;
  /** The key of the present value, in one case: some parsers ignore the case of keys. */
  key: string;
  /** Whether a key follows. */
  isAtKey: boolean;
}

/** Deeper than this nothing matters; deeper containers are only counted. */
const WATCHED_DEPTH = 2;
const WORD_END = /[\s"{}[\],:]/g;

/** Reads the keys that matter, without judging the rest: what is not JSON for one parser may be for another. Takes time
 *  in proportion to the text, and memory in proportion to its longest watched string. */
function scanEvent(text: string): ScannedEvent {
  const found: ScannedEvent = { types: [], models: [], eventId: null };
  const stack: Container[] = [];
  let depth = 0;
  const note = (value: string | null): void => {
    const [event, session] = stack;
    if (depth === 1 && event.key === "type" && value !== null) found.types.push(value);
    if (depth === 1 && event.key === "event_id" && value !== null) found.eventId = value;
    const isModel =
      (depth === 1 && event.key === "model") ||
      (depth === 2 && event.key === "session" && session.isObject && session.key === "model");
    if (isModel) found.models.push(value);
  };
  let index = 0;
  while (index < text.length) {
    const sign = text[index];
    const top = depth <= WATCHED_DEPTH ? stack[depth - 1] : undefined;
    let end = index + 1;
    if (sign === "{" || sign === "[") {
      note(null);
      depth += 1;
      if (depth <= WATCHED_DEPTH) stack.push({ isObject: sign === "{", key: "", isAtKey: sign === "{" });
    } else if (sign === "}" || sign === "]") {
      if (depth > 0 && depth <= WATCHED_DEPTH) stack.pop();
      depth = Math.max(0, depth - 1);
    } else if (sign === ",") {
      if (top?.isObject) Object.assign(top, { key: "", isAtKey: true });
    } else if (sign === ":") {
      if (top) top.isAtKey = false;
    } else if (sign === '"') {
      end = endOfString(text, index);
      if (top?.isObject && top.isAtKey) top.key = foldCase(stringOf(text.slice(index, end)));
      else if (top) note(stringOf(text.slice(index, end)));
    } else if (!/\s/.test(sign)) {
      WORD_END.lastIndex = end;
      end = WORD_END.exec(text)?.index ?? text.length;
      note(null);
    }
    index = end;
  }
  return found;
}

/** Index behind the string that begins at `start`; the end of the text if it does not end. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index + 1;
    if (code === BACKSLASH) index += 1;
  }
  return text.length;
}

/** The value of a string with its quotes. Unknown escapes stand for themselves. */
function stringOf(word: string): string {
  const inner = word.endsWith('"') && word.length > 1 ? word.slice(1, -1) : word.slice(1);
  if (inner.length > MAX_WORD_CHARACTERS || !inner.includes("\\")) return inner;
  return inner.replaceAll(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, hex: string | undefined, sign: string) =>
    hex === undefined ? (SIGNS[sign] ?? sign) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const SIGNS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** Upper case first: it has no second form of s and k, as lower case has. */
function foldCase(key: string): string {
  return key.toUpperCase().toLowerCase();
}
