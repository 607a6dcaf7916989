// Offers of the stream, where the tab's own face is slow or missing. Messages for visitors.

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

const OFFERS: Readonly<Record<Exclude<OfferReason, "slow">, StreamOffer>> = {
  refused: {
    title: "This face comes as video only",
    text: "Its owner or the service does not let browsers draw it.",
    take: "Show the video",
    keep: undefined,
  },
  browser: {
    title: "This browser cannot draw the face",
    text: "It is too old, or its settings or this page's policy forbid WebAssembly or workers.",
    take: "Show the video",
    keep: undefined,
  },
  bundle: {
    title: "The face could not be loaded",
    text: "Its file did not arrive, is incomplete, or belongs to another avatar.",
    take: "Show the video",
    keep: undefined,
  },
  stopped: {
    title: "The face has stopped",
    text: "This browser could not go on drawing it.",
    take: "Show the video",
    keep: undefined,
  },
  busy: {
    title: "No video is free right now",
    text: "The service has no room for it at the moment. Everything else goes on.",
    take: "Try again",
    keep: "Go on without",
  },
};

/** `fps`: frames a second that a slow device draws. */
export function streamOffer(reason: OfferReason, fps = 0): StreamOffer {
  if (reason !== "slow") return OFFERS[reason];
  return {
    title: "This device is slow",
    text: `It draws ${Math.round(fps)} of 25 frames a second. The service can send the face as video instead.`,
    take: "Show the video",
    keep: "Keep it",
  };
}
