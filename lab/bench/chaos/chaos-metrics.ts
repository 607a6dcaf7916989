// The metrics of `npm run chaos`, as they are printed with --json.

/** What must hold after a fault. Times in ms. */
export interface FaultGoal {
  /** The face is back within this, 95th percentile. Absent: nothing may be seen of the fault. */
  backP95Ms?: number;
}

export interface FaultMetrics {
  fault: string;
  goal: string;
  times: number;
  /** From the fault to the first new frame of the same participant; null if it never came back. */
  back_ms: { p50: number; p95: number; max: number } | null;
  /** Times that the face did not come back within a minute. */
  not_back: number;
  /** Times that the sender got exactly one report for each segment, in order. */
  reports_right: number;
  /** How far behind the audio heard the position of the first report is, if that segment was interrupted. */
  position_behind_ms: { p50: number; p95: number; max: number } | null;
  /** For faults that must not be seen: of the speech during the fault. */
  longest_frame_gap_ms?: number;
  audio_holes?: number;
  /** Whether the billed time always was the time shown, with or without the time away. */
  is_billing_right: boolean;
  /** Status of the session afterwards, as the api has it. */
  status_after: string;
  /** What went wrong, most frequent first. */
  problems: string[];
  is_reached: boolean;
}

export interface ChaosMetrics {
  subject: string;
  rows: FaultMetrics[];
}
