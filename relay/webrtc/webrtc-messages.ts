// Messages between a relay and its process of WebRTC peers. Each names a call by its id.
import type { CallEnd, OwnEnd } from "../call-end.ts";
import type { PeerSettings } from "./answer-peer.ts";

export type MessageToPeers =
  /** `offer`: from `cleanOffer`. `session`: what the upstream is told first. */
  | ({ type: "offer"; id: string; offer: string; session?: object } & PeerSettings)
  /** An event of the upstream. */
  | { type: "event"; id: string; data: string | Uint8Array; isBinary: boolean }
  /** The upstream takes no more events, or takes them again. */
  | { type: "full" | "drain"; id: string }
  /** The call has ended, unless its caller ended it. */
  | { type: "close"; id: string; end: CallEnd };

export type MessageFromPeers =
  | { type: "answered"; id: string; answer: string }
  /** The offer cannot be answered. */
  | { type: "refused"; id: string; message: string }
  /** The caller has connected. */
  | { type: "begun"; id: string }
  /** An event of the caller. */
  | { type: "event"; id: string; data: Uint8Array; isBinary: boolean }
  /** The caller takes no more events, or takes them again. */
  | { type: "full" | "drain"; id: string }
  | { type: "ended"; id: string; end: OwnEnd | CallEnd }
  /** Every second: resident memory, and the bytes that wait for each caller. */
  | { type: "load"; memoryBytes: number; held: [id: string, bytes: number][] };

/** Interval of `load`, in ms. */
export const LOAD_MS = 1_000;
