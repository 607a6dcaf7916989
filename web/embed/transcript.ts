// What both sides said, as the page shows it: complete lines, and what the visitor is saying now.

export type Speaker = "visitor" | "avatar";

/** A complete line. Sentences of the avatar that follow each other are one line. */
export interface TranscriptLine {
  /** Counts from 1. */
  number: number;
  speaker: Speaker;
  text: string;
}

export interface Transcript {
  readonly lines: readonly TranscriptLine[];
  /** What the visitor says now, as understood so far; empty if that is complete. */
  readonly interim: string;
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
  if (transcript.seen.includes(segmentId)) return transcript;
  if (!isFinal) return speaker === "visitor" ? { ...transcript, interim: words } : transcript;
  const seen = [...transcript.seen, segmentId].slice(-MAX_LINES);
  const interim = speaker === "visitor" ? "" : transcript.interim;
  return { lines: words === "" ? transcript.lines : addLine(transcript.lines, speaker, words), interim, seen };
}

/** The transcript without what the visitor was saying: no more words of it will come. */
export function withoutInterim(transcript: Transcript): Transcript {
  return transcript.interim === "" ? transcript : { ...transcript, interim: "" };
}

function addLine(lines: readonly TranscriptLine[], speaker: Speaker, text: string): readonly TranscriptLine[] {
  const last = lines.at(-1);
  if (last && speaker === "avatar" && last.speaker === "avatar") {
    return [...lines.slice(0, -1), { ...last, text: `${last.text} ${text}` }];
  }
  return [...lines, { number: (last?.number ?? 0) + 1, speaker, text }].slice(-MAX_LINES);
}
