// Visemes of a sentence of eSpeak NG, from the phoneme times that it reports.
//
// Its times are synthesis times, not mouth movements. Measured on 130 P, B and M of seven sentences in four
// languages by where the audio between them falls: a voiceless stop is reported at its burst, after 50 ms of shut lips;
// so is a voiced one in a cluster, which then lasts less than 40 ms; other voiced stops and nasals are reported when
// the lips meet, and open 12 to 16 ms before the next phoneme.
import { visemesOfIpa } from "../visemes/ipa-visemes.ts";
import type { TimedViseme } from "../visemes/timed-viseme.ts";
import type { Viseme } from "../visemes/visemes.ts";
import type { ReportedPhoneme } from "./espeak-messages.ts";
import { splitVisemes } from "./split-visemes.ts";

const VOICELESS_STOP = /^(p|t|k|c|q|ʈ)/u;
const VOICED_STOP = /^(b|d|ɡ|g|ɟ|ɖ|ɓ|ɗ)/u;
const NASAL = /^(m|n|ŋ|ɲ)/u;
const BURST_ONLY_MS = 40;
const STOP_BEFORE_BURST_MS = 50;
const CLUSTER_BEFORE_BURST_MS = 40;
const AFTER_BURST_MS = 6;
const NASAL_EARLY_MS = 10;
const OPENS_EARLY_MS = 14;

interface Piece {
  symbol: string;
  visemes: Viseme[];
  reportedMs: number;
  nextMs: number;
}

/** Mouth shapes without gaps from the first phoneme to `durationMs`, in order of time; none if no phoneme is known.
 *  Never throws. */
export function espeakVisemes(phonemes: readonly ReportedPhoneme[], durationMs: number): TimedViseme[] {
  const pieces = phonemes
    .map(({ text, startMs }, index) => {
      const symbol = text.replace(/[ˈˌ]/gu, "");
      return {
        symbol,
        visemes: visemesOfIpa(symbol),
        reportedMs: startMs,
        nextMs: phonemes[index + 1]?.startMs ?? durationMs,
      };
    })
    // Phonemes without a viseme of their own extend their neighbours.
    .filter(({ visemes }) => visemes.length > 0);
  const starts = pieces.map((piece, index) => beginsMs(piece, pieces[index - 1]));
  const visemes: TimedViseme[] = [];
  for (const [index, piece] of pieces.entries()) {
    const startMs = Math.max(starts[index], visemes.at(-1)?.endMs ?? 0);
    const endMs = Math.max(startMs, starts[index + 1] ?? durationMs);
    visemes.push(...splitVisemes(piece.visemes, startMs, endMs));
  }
  return visemes;
}

/** When the mouth begins a piece. */
function beginsMs(piece: Piece, before: Piece | undefined): number {
  const { symbol, reportedMs, nextMs } = piece;
  const isShort = nextMs - reportedMs < BURST_ONLY_MS;
  if (VOICELESS_STOP.test(symbol)) return Math.max(0, reportedMs - STOP_BEFORE_BURST_MS);
  if (VOICED_STOP.test(symbol)) return Math.max(0, isShort ? reportedMs - CLUSTER_BEFORE_BURST_MS : reportedMs);
  if (NASAL.test(symbol)) return Math.max(0, reportedMs - NASAL_EARLY_MS);
  if (!before) return reportedMs;
  // A stop ends with its burst; after it, only breath is heard until the next phoneme.
  if (VOICELESS_STOP.test(before.symbol)) return before.reportedMs + AFTER_BURST_MS;
  return VOICED_STOP.test(before.symbol) || NASAL.test(before.symbol)
    ? Math.max(before.reportedMs, reportedMs - OPENS_EARLY_MS)
    : reportedMs;
}
