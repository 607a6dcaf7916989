// The open lip-sync libraries that hearing is compared with, and what each must be able to do.
import type { MouthGroup } from "../../../src/hearing/mouth-groups.ts";

/** What a peer made of one clip. */
export interface PeerAnswer {
  groups: MouthGroup[];
  /** Time from one group to the next. */
  stepMs: number;
}

/** One clip through a peer: mono sound in [−1, 1] at 16 kHz. */
export type PeerHearing = (sound: Float32Array) => Promise<PeerAnswer>;

/** npm packages, at the version whose figures were looked at. None is a dependency of this project. */
export const PEERS = Object.freeze({
  HeadAudio: { package: "@met4citizen/headaudio", version: "0.1.0", licence: "MIT", hears: "streaming" },
  "wawa-lipsync": { package: "wawa-lipsync", version: "0.0.2", licence: "MIT", hears: "streaming" },
  Rhubarb: { package: "rhubarb-lip-sync-wasm", version: "0.1.8", licence: "MIT", hears: "the whole file first" },
});

export type PeerName = keyof typeof PEERS;
export const PEER_NAMES = Object.keys(PEERS) as PeerName[];
