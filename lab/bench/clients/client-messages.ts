// What a benchmark and its helper processes say to each other.
import type { WatchNeeds } from "../../../shared/watch.ts";
import type { ListenerMetrics } from "./listener-metrics.ts";
import type { MotionMetrics } from "./motion-follower.ts";

export interface ClientRequest {
  id: number;
  command: string;
  argument: unknown;
}

export type ClientReply = { id: number; result: unknown } | { id: number; error: string };

/** Commands of a helper process: name, argument and result of each. */
export type ClientCommands = Record<string, (argument: never) => unknown>;

export interface JoinRequest {
  /** Chosen by the caller; names the participant in later commands. */
  id: string;
  url: string;
  token: string;
  /** Of a listener that takes no video: what it tells the avatar that it needs. Default: it takes the video and says
   *  nothing. */
  needs?: Exclude<WatchNeeds, "video">;
}

export interface SpeakRequest {
  id: string;
  /** Seconds of the speech, from `fromS` on. */
  seconds: number;
  fromS: number;
}

/** A report of the avatar about a finished segment. */
export interface FinishedReport {
  /** Shared clock, ms. */
  atMs: number;
  positionS: number;
  interrupted: boolean;
}

/** Speaks to avatars. Times are of the shared clock, in ms. */
export interface SenderCommands {
  /** Reads speech from a file of int16 samples. */
  load(argument: { speechFile: string }): void;
  join(argument: JoinRequest & { avatarIdentity: string }): Promise<void>;
  /** Sends in real time, in 20 ms chunks. Resolves after the last one with the send time of each. */
  speak(argument: SpeakRequest): Promise<number[]>;
  /** Sends at once. Resolves with the send time of the first chunk. */
  sendAhead(argument: SpeakRequest): Promise<number>;
  /** Interrupts the avatar. Resolves when it has answered. */
  interrupt(argument: { id: string }): Promise<void>;
  /** All reports so far. */
  finished(argument: { id: string }): FinishedReport[];
  waitUntilFinished(argument: { id: string; count: number; timeoutMs: number }): Promise<void>;
  leave(argument: { id: string }): Promise<void>;
}

export interface JudgeRequest {
  id: string;
  /** Send times of the sender's 20 ms chunks, shared clock, ms. */
  sentAtMs: number[];
  speechFile: string;
  fromS: number;
}

/** Watches and hears avatars. Times are of the shared clock, in ms. */
export interface JudgeCommands {
  join(argument: JoinRequest & { avatarIdentity: string }): Promise<void>;
  /** When the first frame of the participant arrived; null if none has. */
  firstFrameAtMs(argument: { id: string }): number | null;
  /** False once the participant's client has given up reconnecting. */
  isInRoom(argument: { id: string }): boolean;
  /** What the avatar has answered about this participant's needs; null before. */
  renders(argument: { id: string }): WatchNeeds | null;
  /** Motion that arrived since `begin`. */
  motion(argument: { id: string }): MotionMetrics;
  /** Face parameters of the frames of that motion, in their order; null for a frame that was lost. */
  poses(argument: { id: string }): (number[] | null)[];
  /** Forgets what was seen and heard so far. */
  begin(argument: { id: string }): void;
  /** Metrics of what arrived since `begin`. */
  judge(argument: JudgeRequest): Promise<ListenerMetrics>;
  /** When the first sound above the level of pauses arrived after `sinceMs`; rejects after `timeoutMs`. */
  firstSoundAtMs(argument: { id: string; sinceMs: number; timeoutMs: number }): Promise<number>;
  waitForSilence(argument: { id: string; silenceMs: number; timeoutMs: number }): Promise<void>;
  /** Arrival times of frames after `sinceMs`. */
  frameTimes(argument: { id: string; sinceMs: number }): number[];
  /** When the first frame of a video track arrived that the avatar published after `sinceMs`; null if there is none. */
  backAtMs(argument: { id: string; sinceMs: number }): number | null;
  leave(argument: { id: string }): Promise<void>;
}

export interface PublishRequest {
  url: string;
  token: string;
  /** I420 frames of `sizePx` squared, one after the other. */
  framesFile: string;
  sizePx: number;
  /** Mono int16 at 48 kHz. */
  audioFile: string;
  codec: "h264" | "vp8";
  maxBitrateKbps: number;
}

/** Publishes prepared frames and audio at 25 fps. */
export interface PublisherCommands {
  publish(argument: PublishRequest): Promise<void>;
}
