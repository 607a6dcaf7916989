// The metrics of `npm run bench -- scale --nodes`, as they are printed with --json.

/** How the sessions were spread over the workers. */
export interface WorkerShare {
  worker: number;
  /** Its measured capacity before the first session. */
  capacity: number;
  sessions: number;
}

export interface RequestMetrics {
  sent: number;
  /** That got no answer, or an error of the service, although they were sent before or after the fault. */
  failed: number;
  /** In flight in the process that was killed. */
  cut: number;
}

export interface FleetFault {
  fault: string;
  goal: string;
  /** Sessions that ran. */
  sessions: number;
  /** Sessions with viewers who saw no frame for more than half a second, or than 1.3 times the longest gap without a
   *  fault. */
  seen: number;
  /** For how long, ms; null if none did. */
  away_ms: { p50: number; p95: number; max: number } | null;
  /** Sessions that showed no frames at the end. */
  not_back: number;
  /** Viewers who had to load the page again. */
  reloaded: number;
  /** Longest time without a frame in the other sessions, ms. */
  longest_gap_ms: number;
  /** Holes in what their viewers heard. */
  audio_holes: number;
  /** Sessions that were dispatched more than once for this fault. */
  dispatched_twice: number;
  requests: RequestMetrics;
  /** From the request of a new session, after the fault, to its first frame, ms; null if it did not start. */
  next_start_ms: number | null;
  is_reached: boolean;
}

export interface FleetMetrics {
  subject: string;
  nodes: number;
  apis: number;
  /** Whether the api processes keep files in a bucket instead of a folder of this machine. */
  has_bucket: boolean;
  /** Highest frame rate of the avatars. */
  max_fps: number;
  workers: WorkerShare[];
  /** The first one is no fault, for comparison. */
  faults: FleetFault[];
}
