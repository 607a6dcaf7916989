// What both sides said, as the page shows it: complete lines, and what the visitor is saying now.

export type Speaker = "visitor" | "avatar";

/** A complete line. Sentences of the avatar that follow each other are one line. */
export interface TranscriptLine {
  /** Counts up from 1, in the order in which the lines began; a line that stayed empty leaves a gap. */
  number: number;
  speaker: Speaker;
  text: string;
}

export interface Transcript {
  readonly lines: readonly TranscriptLine[];
  /** What the visitor says now, as understood so far; empty if that is complete. */
  readonly interim: string;
  /** What the avatar says now, and the line to which it belongs: the visitor may speak before it is complete. */
  readonly begun?: { readonly segmentId: string; readonly line: number };
  /** Segments that are in a line. */
  readonly seen: readonly string[];
}

export interface SpokenWords {
  speaker: Speaker;
  segmentId: string;
  /** The whole text of the segment so far. */
  text: string;
  isFinal: boolean;
}

export const EMPTY_TRANSCRIPT: Transcript = Object.freeze({ lines: [], interim: "", seen: [] });

/** Older lines leave the page. */
const MAX_LINES = 100;

/** The transcript after words have arrived. A segment that comes again, or is empty, changes nothing. */
export function withWords(transcript: Transcript, { speaker, segmentId, text, isFinal }: SpokenWords): Transcript {
  const words = text.trim();
  const { lines, begun } = transcript;
  if (transcript.seen.includes(segmentId)) return transcript;
  const isBegun = begun?.segmentId === segmentId;
  if (!isFinal) {
    if (speaker === "visitor") return { ...transcript, interim: words };
    return isBegun ? transcript : { ...transcript, begun: { segmentId, line: nextLine(transcript, speaker) } };
  }
  const seen = [...transcript.seen, segmentId].slice(-MAX_LINES);
  const interim = speaker === "visitor" ? "" : transcript.interim;
  const number = isBegun ? begun.line : nextLine(transcript, speaker);
  return {
    ...transcript,
    lines: words === "" ? lines : withLine(lines, { number, speaker, text: words }),
    interim,
    seen,
  };
}

/** The transcript without what the visitor was saying: no more words of it will come. */
export function withoutInterim(transcript: Transcript): Transcript {
  return transcript.interim === "" ? transcript : { ...transcript, interim: "" };
}

/** Number of the line that words belong to if they begin now. */
function nextLine({ lines, begun }: Transcript, speaker: Speaker): number {
  const last = lines.at(-1);
  if (last && speaker === "avatar" && last.speaker === "avatar") return last.number;
  return Math.max(last?.number ?? 0, begun?.line ?? 0) + 1;
}

/** Words go to the end of their line, which may have others behind it. */
function withLine(lines: readonly TranscriptLine[], added: TranscriptLine): readonly TranscriptLine[] {
  const there = lines.find(({ number }) => number === added.number);
  const line = there ? { ...there, text: `${there.text} ${added.text}` } : added;
  const before = lines.filter(({ number }) => number < line.number);
  const after = lines.filter(({ number }) => number > line.number);
  return [...before, line, ...after].slice(-MAX_LINES);
}
