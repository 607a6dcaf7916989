// What a process remembers of the last turns of its conversation, for the session's owner: what was understood, how
// long the answer took, and what the language model was told. It stays in this process's memory, and ends with it.
import { TURNS_MAX_BYTES, type TurnRecord } from "../../../shared/runtime-api.ts";
import type { AnswerSources } from "../../../src/conversation/turns/answer-writer.ts";
import type { TurnTimes, TurnWords } from "../../../src/conversation/turns/conversation-listener.ts";

/** Older turns are forgotten. */
const MOST_TURNS = 20;
/** Answers that are being written: one, and one that is written ahead. */
const MOST_SOURCES = 4;
/** What one record has of each part at most, in characters and entries. */
const MOST = { text: 600, instructions: 3_000, entry: 300, entries: 10, passage: 700, passages: 4, name: 200 };
/** A record with long texts is cut to these shares of that until it fits. */
const SHARES = [1, 0.5, 0.25, 0.1];

export class TurnRecords {
  #sources: AnswerSources[] = [];
  #records: TurnRecord[] = [];
  #count = 0;

  /** An answer is about to be written, which may be dropped. */
  asked(sources: AnswerSources): void {
    this.#sources = [...this.#sources, sources].slice(-MOST_SOURCES);
  }

  /** A turn was answered. */
  answered(times: TurnTimes, words: TurnWords): void {
    // One that was written ahead and dropped has other words, or is older.
    const sources = this.#sources.findLast(({ text }) => text === words.text);
    this.#sources = [];
    this.#count += 1;
    const record = recordOf(this.#count, times, words, sources);
    this.#records = [...this.#records, record].slice(-MOST_TURNS);
  }

  /** The turns after that number, oldest first, as many as `TURNS_MAX_BYTES` holds. */
  after(number: number): readonly TurnRecord[] {
    const fitting: TurnRecord[] = [];
    let bytes = 2;
    for (const record of this.#records.filter((one) => one.number > number)) {
      bytes += bytesOf(record) + 1;
      if (bytes > TURNS_MAX_BYTES) break;
      fitting.push(record);
    }
    return fitting;
  }
}

function recordOf(
  number: number,
  times: TurnTimes,
  { text, confidence }: TurnWords,
  sources: AnswerSources | undefined,
): TurnRecord {
  const record: TurnRecord = {
    number,
    answered_at: new Date().toISOString(),
    text: text.slice(0, MOST.text),
    is_typed: times.isTyped,
    confidence: confidence ?? null,
    text_ms: times.textMs,
    decided_ms: times.decidedMs,
    words_ms: times.firstPieceMs ?? null,
    sound_ms: times.firstSoundMs ?? null,
    told: null,
  };
  if (!sources) return record;
  const candidates = SHARES.map((share) => ({ ...record, told: told(sources, share) }));
  return candidates.find((one) => bytesOf(one) < TURNS_MAX_BYTES - 3) ?? record;
}

function told(sources: AnswerSources, share: number): NonNullable<TurnRecord["told"]> {
  let isCut = false;
  const cut = (text: string, characters: number) => {
    const kept = text.slice(0, characters * share);
    isCut ||= kept.length < text.length;
    return kept;
  };
  const { instructions, hasImage } = sources;
  const history = sources.history.slice(-MOST.entries);
  const passages = sources.passages.slice(0, MOST.passages);
  isCut = history.length < sources.history.length;
  return {
    instructions: instructions === undefined ? null : cut(instructions, MOST.instructions),
    history: history.map(({ role, text }) => ({ role, text: cut(text, MOST.entry) })),
    passages: passages.map(({ file_name, heading, text }) => ({
      file_name: cut(file_name, MOST.name),
      heading: cut(heading, MOST.name),
      text: cut(text, MOST.passage),
    })),
    has_image: hasImage,
    is_cut: isCut,
  };
}

function bytesOf(record: TurnRecord): number {
  return Buffer.byteLength(JSON.stringify(record));
}
