// Turns the logits of half a frame into probabilities, as the end of the graph does (`Exported` in
// lab/training/lip-sync/network.py).
import type { LipSyncOutput } from "../lip-sync-network.ts";
import { type AnswerTuning, VISEME_LOGITS } from "./lip-sync-graph.ts";

/** Places of PP and FF among the visemes, and of the first after them; sil is before them. */
const PP = 1;
const FF = 2;
const OTHERS = 3;
/** Shares are kept this far from 0 and 1, so that their log odds are finite. */
const SHARE_MARGIN = 1e-6;

/** Writes visemes and closure of half `half` (0 or 1) into `output`. `logits` from `offset` on: 15 visemes, closure,
 *  lip to teeth. Closure and lip to teeth are means, in log odds, of their own logit and of the share of PP and FF; the
 *  other visemes share the rest. */
export function answerOf(
  logits: Float32Array,
  offset: number,
  { closureLogOdds, biteExponent, sharedLogOdds }: AnswerTuning,
  half: number,
  { visemes, closures }: LipSyncOutput,
): void {
  let largest = logits[offset];
  for (let k = 1; k < VISEME_LOGITS; k++) largest = Math.max(largest, logits[offset + k]);
  let sum = 0;
  for (let k = 0; k < VISEME_LOGITS; k++) sum += Math.exp(logits[offset + k] - largest);
  const closureOwn = logits[offset + VISEME_LOGITS];
  const biteOwn = logits[offset + VISEME_LOGITS + 1];
  const closureShare = Math.exp(logits[offset + PP] - largest) / sum;
  const biteShare = Math.exp(logits[offset + FF] - largest) / sum;
  const closure = sigmoid((closureOwn + logOdds(closureShare)) / 2 + closureLogOdds);
  const bite = sigmoid((biteOwn + logOdds(biteShare)) / 2) ** biteExponent * (1 - closure);

  const first = half * VISEME_LOGITS;
  visemes[first] = logits[offset] + sharedLogOdds[0];
  for (let k = OTHERS; k < VISEME_LOGITS; k++) {
    visemes[first + k] = logits[offset + k] + sharedLogOdds[k - OTHERS + 1];
  }
  // PP and FF do not count here; their places get their own shares afterwards.
  visemes[first + PP] = Number.NEGATIVE_INFINITY;
  visemes[first + FF] = Number.NEGATIVE_INFINITY;
  shareOut(visemes, first, 1 - closure - bite);
  visemes[first + PP] = closure;
  visemes[first + FF] = bite;
  closures[half] = closure;
}

/** Replaces the logits of 15 visemes by shares of `total`, in proportion to their exponentials. */
function shareOut(visemes: Float32Array, first: number, total: number): void {
  const end = first + VISEME_LOGITS;
  let largest = visemes[first];
  for (let k = first; k < end; k++) largest = Math.max(largest, visemes[k]);
  let sum = 0;
  for (let k = first; k < end; k++) {
    visemes[k] = Math.exp(visemes[k] - largest);
    sum += visemes[k];
  }
  for (let k = first; k < end; k++) visemes[k] *= total / sum;
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

function logOdds(share: number): number {
  const kept = Math.min(1 - SHARE_MARGIN, Math.max(SHARE_MARGIN, share));
  return Math.log(kept / (1 - kept));
}
