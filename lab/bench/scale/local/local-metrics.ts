// The metrics of `npm run bench -- scale --local`, as they are printed with --json, and what they must reach. CPU is in
// percent of one core.

/** What the sessions of a row are, and what they do while they are measured. */
export type LocalRowName =
  | "viewers render, silent"
  | "viewers render, speaking"
  | "streamed without a viewer, silent"
  | "streamed without a viewer, speaking"
  | "conversation, listening"
  | "conversation, built-in voice"
  | "conversation, provider's voice";

export interface LocalRow {
  name: LocalRowName;
  sessions: number;
  /** Why there are no metrics. */
  failed?: string;
  cpu?: {
    /** Worker, session processes and what serves them, beyond the idle service; by session. Both rooms are in it. */
    per_session: number;
    /** The session processes alone, by session. */
    processes_per_session: number;
    /** Of all sessions. */
    livekit: number;
    api: number;
  };
  /** Processes that hold the sessions. */
  processes?: number;
  /** Of these processes, by session (proportional set size), MB. */
  memory_per_session_mb?: number;
  /** To a viewer, mean of those who only take packets; null if there is none. Without and with the headers of UDP
   *  and IP. */
  kbps?: { received: number; with_headers: number } | null;
  /** Of the motion's frames, the least of those who decode it; 25 if all arrived. */
  motion_fps?: number;
  /** Packets of motion to a viewer in a second. */
  motion_packets_per_s?: number;
  /** Share of the frames of speech, 0 to 1, in which the mouth has the viseme that the engine makes of the same
   *  speech: of all of them, and of those that arrived. Least of those who judge. */
  visemes?: { all: number; arrived: number };
  /** From speech that was sent to hearing it, worst of those who judge; null if none was recognised. */
  audio_ms?: { p50: number; p95: number; max: number } | null;
  /** Places of 5 ms or more where nothing was heard while the sender spoke, worst of those who judge. */
  audio_holes?: number;
  /** Longest time without a packet of audio, worst of those who only take packets; 0 if there is none. */
  longest_audio_gap_ms?: number;
  /** Share of the time in which an answer was heard, 0 to 1, least of the conversations. Between sentences it pauses;
   *  less than half means that its voice did not keep up. */
  spoken?: number;
  /** Names of the goals that were missed; empty if all were reached. */
  missed: string[];
}

export interface LocalScaleMetrics {
  /** What was measured: the commit. */
  subject: string;
  /** Load of the machine before the first and after the last row: processes that run or wait for a core, over a
   *  minute. */
  load_average: { before: number; after: number };
  /** CPU of the idle workers. */
  idle_cpu_percent: number;
  rows: LocalRow[];
}

export const LOCAL_GOALS = Object.freeze({
  cpu: 4,
  unwatchedCpu: 6,
  memoryMb: 60,
  kbps: 50,
  audioP95Ms: 200,
  audioGapMs: 100,
  motionFps: 24.7,
  visemes: 0.98,
  spoken: 0.5,
});

/** Names of the goals that a row misses. Conversations have no goal of CPU of their own. */
export function missedLocalGoals(row: Omit<LocalRow, "missed">): string[] {
  const { name, failed, cpu, memory_per_session_mb: memoryMb, kbps, audio_ms: audio, audio_holes: holes } = row;
  if (failed !== undefined || !cpu) return ["sessions"];
  const isLocal = name.startsWith("viewers render");
  const isStreamed = name.startsWith("streamed");
  const isPushed = (isLocal || isStreamed) && name.endsWith("speaking");
  const missed: string[] = [];
  if (isLocal && cpu.per_session > LOCAL_GOALS.cpu) missed.push("CPU");
  if (isStreamed && cpu.per_session > LOCAL_GOALS.unwatchedCpu) missed.push("CPU");
  if (isLocal && (memoryMb ?? 0) > LOCAL_GOALS.memoryMb) missed.push("memory");
  // Every participant receives what a sender pushes, too.
  if (!isStreamed && !isPushed && kbps && kbps.received > LOCAL_GOALS.kbps) missed.push("kbit/s");
  if (!isStreamed && (row.motion_fps ?? 0) < LOCAL_GOALS.motionFps) missed.push("motion");
  if (isLocal && row.visemes && row.visemes.all < LOCAL_GOALS.visemes) missed.push("visemes");
  if (row.spoken !== undefined && row.spoken < LOCAL_GOALS.spoken) missed.push("speech");
  if (isPushed && (!audio || audio.p95 > LOCAL_GOALS.audioP95Ms)) missed.push("audio");
  if (isPushed && ((holes ?? 0) > 0 || (row.longest_audio_gap_ms ?? 0) > LOCAL_GOALS.audioGapMs)) missed.push("gaps");
  return missed;
}
