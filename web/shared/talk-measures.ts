// What the embed page measures of a conversation, for the console, which shows it in a frame. Both are of one origin:
// no site that shows the page in a widget hears it.

/** From the embed page; times in ms. */
export type TalkMeasure =
  /** Its face is shown. Since the page requested a session: until that was given, until the room was joined, and until
   *  the first frame. */
  | { measured: "start"; roomName: string | undefined; sessionMs: number; joinMs: number; frameMs: number }
  /** The avatar began to answer `text`. `soundMs`: since these words were complete on this page, until the avatar was
   *  heard here. */
  | { measured: "turn"; text: string; soundMs: number }
  /** How long audio is held back here until it is heard: the buffer against jitter, and the way to the loudspeaker. */
  | { measured: "playback"; delayMs: number }
  /** The conversation is over. `reason`: an error code of the service, or a reason of the page. */
  | { measured: "ended"; reason: string; topupUrl: string | undefined };

/** A measure from the embed page in `frame`; undefined for other messages. */
export function readTalkMeasure(
  { data, origin, source }: Pick<MessageEvent, "data" | "origin" | "source">,
  frame: MessageEventSource | null,
): TalkMeasure | undefined {
  const isOurs = origin === location.origin && source !== null && source === frame;
  const isMeasure = typeof data === "object" && data !== null && typeof data.measured === "string";
  return isOurs && isMeasure ? (data as TalkMeasure) : undefined;
}
