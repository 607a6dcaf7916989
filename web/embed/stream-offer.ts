// Offers of the stream, where the tab's own face is slow or missing. Messages for visitors.
import type { EmbedTexts } from "./texts/load-embed-texts.ts";

/** `refused`: the avatar or the service does not let browsers render it. `browser`: this one cannot. `bundle`: the
 *  avatar's file did not come, or is another. `stopped`: rendering failed. `slow`: this device draws fewer frames.
 *  `busy`: the visitor wants the stream, which cannot be had now. */
export type OfferReason = "refused" | "browser" | "bundle" | "stopped" | "slow" | "busy";

export interface StreamOffer {
  title: string;
  text: string;
  /** On the button that shows the stream. */
  take: string;
  /** On the button that leaves everything as it is; undefined where there is nothing to keep. */
  keep: string | undefined;
}

/** `fps`: frames a second that a slow device draws. */
export function streamOffer({ offers, slow, offerButtons }: EmbedTexts, reason: OfferReason, fps = 0): StreamOffer {
  const { video, again, without, keep } = offerButtons;
  if (reason === "slow") return { title: slow.title, text: slow.text(Math.round(fps)), take: video, keep };
  if (reason === "busy") return { ...offers.busy, take: again, keep: without };
  return { ...offers[reason], take: video, keep: undefined };
}
