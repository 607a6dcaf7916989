// The open-source lip-sync libraries for comparison, and their common interface.
import type { MouthGroup } from "../../../../src/face/lip-sync/mouth-groups.ts";

/** Output of a peer for one clip. */
export interface PeerAnswer {
  groups: MouthGroup[];
  /** Time from one group to the next. */
  stepMs: number;
}

/** Runs a peer on one clip: mono audio in [−1, 1] at 16 kHz. */
export type PeerLipSync = (audio: Float32Array) => Promise<PeerAnswer>;

/** npm packages, at the evaluated version. None is a dependency of this project. */
export const PEERS = Object.freeze({
  HeadAudio: { package: "@met4citizen/headaudio", version: "0.1.0", licence: "MIT", input: "streaming" },
  "wawa-lipsync": { package: "wawa-lipsync", version: "0.0.2", licence: "MIT", input: "streaming" },
  Rhubarb: { package: "rhubarb-lip-sync-wasm", version: "0.1.8", licence: "MIT", input: "the whole file first" },
});

export type PeerName = keyof typeof PEERS;
export const PEER_NAMES = Object.keys(PEERS) as PeerName[];
