// The probability from which a pause counts as the end of a turn.
import { inference } from "@livekit/agents";

const thresholds = new inference.ThresholdOptions("turn-detector-v1-mini");

/** The framework's threshold for its local model, 0 to 1. `language`: a BCP 47 tag; languages that the framework does
 *  not list get that of English. */
export function endOfTurnThreshold(language: string): number {
  const threshold = thresholds.lookup(language.replace("_", "-"));
  if (threshold === undefined) throw new Error("the framework has no default threshold");
  return threshold;
}
