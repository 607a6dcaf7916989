// The metrics of `npm run bench -- scale`, as they are printed with --json. CPU is in percent of one core.
import type { ListenerMetrics } from "../clients/listener-metrics.ts";
import type { Yardstick } from "../grid-sample-yardstick.ts";

/** Memory in MB (proportional set size). */
export interface MemoryMetrics {
  start: number;
  api: number;
  relay: number;
  /** Worker and its session processes. */
  workers: number;
  /** Sum of the four. */
  service: number;
  livekit: number;
  postgres: number;
}

/** What the other listeners received, who do not decode. */
export interface AudienceMetrics {
  listeners: number;
  worst_fps: number;
  worst_late_frames_percent: number;
  longest_frame_gap_ms: number;
  longest_audio_gap_ms: number;
}

export interface CpuMetrics {
  /** Worker and its session processes. */
  service: number;
  service_per_session: number;
  livekit: number;
  api: number;
  postgres: number;
  start: number;
  senders: number;
  /** Judges and audience. */
  listeners: number;
}

export interface EncodeOnlyMetrics {
  fps: number;
  cpu_per_session: number;
  livekit: number;
}

export interface ScaleRow {
  sessions: number;
  /** Why there are no metrics: the launch was refused, or a session showed nothing. */
  refused?: { at_session: number; status: number; code: string };
  failed?: string;
  /** The worst of the judges. */
  judged?: ListenerMetrics;
  audience?: AudienceMetrics | null;
  cpu?: CpuMetrics;
  encode_only?: EncodeOnlyMetrics;
  /** CPU of a session over CPU of an encode-only publisher. */
  times_encode_only?: number;
  /** Memory that each session adds to the idle workers and api, MB. */
  memory_per_session_mb?: number;
  /** Names of the goals that were missed; empty if all were reached. */
  missed: string[];
}

export interface StartMetrics {
  /** From the request to the first frame, with a process ready. */
  warm_ms: { p50: number; p95: number; max: number };
  /** The same, directly after another launch took the process that was ready. */
  cold_ms: { p50: number; p95: number; max: number };
}

export interface SpeechMetrics {
  /** The first ten seconds after the first frame. */
  after_joining: ListenerMetrics;
  /** Replies that are pushed at once: from sending to the first audio. */
  ahead_first_audio_ms: { p50: number; p95: number; max: number };
  ahead_first_mouth_p95_ms: number;
}

export interface ScaleMetrics {
  /** What was measured: the commit, or the address of a given service. */
  subject: string;
  /** Bare GridSample of 384 × 384, before the first and after the last row. */
  grid_sample_384: { before: Yardstick; after: Yardstick };
  idle_memory_mb: MemoryMetrics;
  /** CPU of the idle service, all parts. */
  idle_cpu_percent: number;
  /** Absent if they were left out. */
  starts?: StartMetrics;
  speech?: SpeechMetrics;
  rows: ScaleRow[];
  /** The largest number of sessions that reached all goals of a row; 0 if none did. */
  largest: number;
}
