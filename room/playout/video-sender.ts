// What the WebRTC sender of the avatar's video says of its subscribers. The SDK reports the first subscription to a
// track only, and no end of one. But a LiveKit server tells a publisher with dynacast when its video has no subscriber
// any more, and when it has one again; the SDK pauses the sender meanwhile. Hidden subscribers count, too (ADR 111).
import { setTimeout as delay } from "node:timers/promises";
import type { Room } from "@livekit/rtc-node";

/** A reading that takes longer has failed, ms. */
const LONGEST_READING_MS = 2_000;

export interface VideoSender {
  /** Another one after the track was published again. */
  id: string;
  /** False: the server has said that it has no subscriber. True: it has one, or the server has said nothing yet. */
  isActive: boolean;
  /** Frames that were sent as packets. */
  framesSent: number;
  /** Requests for a key frame: every new subscriber needs one. */
  keyFrameRequests: number;
}

/** The sender of the room's only published video; undefined if there is none. Rejects if the SDK cannot tell. */
export async function readVideoSender(room: Pick<Room, "getRtcStats">): Promise<VideoSender | undefined> {
  const ended = new AbortController();
  try {
    const { publisherStats } = await Promise.race([
      room.getRtcStats(),
      delay(LONGEST_READING_MS, undefined, { ref: false, signal: ended.signal }).then(() => {
        throw new Error(`no statistics within ${LONGEST_READING_MS} ms`);
      }),
    ]);
    const senders = publisherStats.flatMap(({ stats }) =>
      stats.case === "outboundRtp" && stats.value.stream?.kind === "video" ? [stats.value] : [],
    );
    if (senders.length === 0) return undefined;
    const sum = (counts: (number | undefined)[]) => counts.reduce<number>((total, count) => total + (count ?? 0), 0);
    return {
      id: senders.map(({ rtc }) => rtc?.id).join(" "),
      // A version of the SDK that does not say so counts as active.
      isActive: senders.some(({ outbound }) => outbound?.active ?? true),
      framesSent: sum(senders.map(({ outbound }) => outbound?.framesSent)),
      keyFrameRequests: sum(senders.flatMap(({ outbound }) => [outbound?.pliCount, outbound?.firCount])),
    };
  } finally {
    ended.abort();
  }
}
