// What stands in for sound that has not come: the voice goes on for a moment and fades, where silence would click.
import { findPeriod } from "./voice-period.ts";

/** How long the voice goes on, ms. Longer sounds like a buzz. */
const FADE_MS = 20;

/** Fills the start of `target` with the last period of `past` (at least 10 ms of sound), repeated and fading, and the
 *  rest with zeros. Source: the concealment of lost packets in ITU-T G.711 Appendix I. */
export function fadeAway(past: Int16Array, target: Int16Array, rateHz: number): void {
  target.fill(0);
  const { lag } = findPeriod(past, rateHz);
  if (lag === 0) return;
  const fadeSamples = Math.min(target.length, Math.round((FADE_MS * rateHz) / 1000));
  const from = past.length - lag;
  // Where a period is repeated its end rarely meets its start: the first ones come from what was really there before
  // it.
  const jump = past[past.length - 1] - past[from - 1];
  for (let i = 0; i < fadeSamples; i++) {
    const share = 1 - (i + 1) / fadeSamples;
    const bridge = jump * (1 - (i % lag) / lag);
    target[i] = Math.max(-32_768, Math.min(32_767, Math.round((past[from + (i % lag)] + bridge) * share)));
  }
}
