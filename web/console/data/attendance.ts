// Whether a person is at the page. What it asks by itself must not keep their session alive for ever.
import { HEADER_UNATTENDED } from "../../../shared/wire-names.ts";

/** So long after a key, a click or scrolling, the page asks by itself. */
const ATTENDED_MS = 300_000;
const SIGNS = ["keydown", "pointerdown", "wheel", "touchstart", "focus"] as const;

/** When the person last did something. Opening the page counts. */
let lastSignMs = performance.now();
const note = () => {
  lastSignMs = performance.now();
};
for (const sign of SIGNS) addEventListener(sign, note, { capture: true, passive: true });

/** For each request with the session's cookie. */
export function attendanceHeaders(): Record<string, string> {
  return performance.now() - lastSignMs < ATTENDED_MS ? {} : { [HEADER_UNATTENDED]: "1" };
}
