// The one audio context of the page for all faces: browsers allow few, and a media element can be bound to one only.

let context: AudioContext | undefined;

/** What counts as a tap of the visitor. */
const TAPS = ["pointerup", "touchend", "keydown"] as const;

/** Runs as soon as the browser lets it: at once, or from the visitor's first tap on. At the rate of the output device,
 *  because some browsers connect no stream to a context of another rate. */
export function pageAudio(): AudioContext {
  if (context) return context;
  const created = new AudioContext({ latencyHint: "interactive" });
  context = created;
  for (const tap of TAPS) window.addEventListener(tap, wakePageAudio, { capture: true, passive: true });
  document.addEventListener("visibilitychange", wakePageAudio);
  created.addEventListener("statechange", wakePageAudio);
  return created;
}

/** Inside a tap it always succeeds. iOS suspends contexts after calls and in the background; while they are
 *  `interrupted`, asking would break them. */
export function wakePageAudio(): void {
  // Refused without a tap; the next tap asks again.
  if (context?.state === "suspended" && !document.hidden) context.resume().catch(() => undefined);
}
