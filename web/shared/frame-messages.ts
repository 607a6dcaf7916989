// What the embed page tells the start page, which shows it in a frame. Both are of one origin, and hear no other.

import type { TalkMeasure } from "./talk-measures.ts";

/** From the embed page. `picture`: where its face is shown, in px of the frame. `live`: frames of the avatar arrive.
 *  `spoke`: the avatar has said something. */
export type FromEmbed =
  | { avatar: "picture"; leftPx: number; topPx: number; widthPx: number; heightPx: number }
  | { avatar: "live" }
  | { avatar: "spoke" };

/** A message of the embed page in `frame`; undefined for others. */
export function readFrameMessage(
  { data, origin, source }: Pick<MessageEvent, "data" | "origin" | "source">,
  frame: MessageEventSource | null,
): FromEmbed | undefined {
  const isOurs = origin === location.origin && source !== null && source === frame;
  const isMessage = typeof data === "object" && data !== null && typeof data.avatar === "string";
  return isOurs && isMessage ? (data as FromEmbed) : undefined;
}

/** Tells the page that shows this one in a frame, if it is of the same origin. */
export function tellFrameOwner(message: FromEmbed | TalkMeasure): void {
  if (window.parent !== window && isOwnOrigin(window.parent)) window.parent.postMessage(message, location.origin);
}

/** Asked first: the browser writes an error to the console of a page of another origin that cannot be told. */
function isOwnOrigin(other: Window): boolean {
  try {
    return other.location.origin === location.origin;
  } catch {
    return false;
  }
}
