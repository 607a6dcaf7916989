// Conceals missing audio: the voice continues for a moment and fades out, because a sudden silence would click.
import { findPeriod } from "./voice-period.ts";

/** Duration of the fade-out, ms. A longer one sounds like a buzz. */
const FADE_MS = 20;

/** Fills the start of `target` with the last period of `past` (at least 10 ms of audio), repeated and fading, and the
 *  rest with zeros. Source: packet loss concealment of ITU-T G.711 Appendix I. */
export function fadeAway(past: Int16Array, target: Int16Array, rateHz: number): void {
  target.fill(0);
  const { lag } = findPeriod(past, rateHz);
  if (lag === 0) return;
  const fadeSamples = Math.min(target.length, Math.round((FADE_MS * rateHz) / 1000));
  const from = past.length - lag;
  // The end of a period rarely matches its start. A linear ramp over each repetition removes the step.
  const jump = past[past.length - 1] - past[from - 1];
  for (let i = 0; i < fadeSamples; i++) {
    const share = 1 - (i + 1) / fadeSamples;
    const bridge = jump * (1 - (i % lag) / lag);
    target[i] = Math.max(-32_768, Math.min(32_767, Math.round((past[from + (i % lag)] + bridge) * share)));
  }
}
