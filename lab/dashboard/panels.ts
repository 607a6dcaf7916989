// The panels of the Grafana dashboard, row by row. `npm run dashboard` writes them to `deploy/monitoring/grafana/`.
// Gauges of the whole service (avatar_service_*) are the same in every api process, so queries take their maximum.

/** Units as Grafana names them. */
export type Unit = "short" | "s" | "bytes" | "reqps" | "ops" | "percentunit" | "cores" | "bool";

export interface Query {
  /** How its series are named: text, with labels as `{{label}}`. */
  legend: string;
  promql: string;
}

export interface Panel {
  title: string;
  /** What an operator reads from it. */
  help: string;
  unit: Unit;
  queries: readonly Query[];
}

export interface Row {
  title: string;
  panels: readonly Panel[];
}

/** Replaced by Grafana with a window of at least four scrapes. */
const RATE = "[$__rate_interval]";

const one = (promql: string, legend = ""): Query[] => [{ legend, promql }];

/** Quantiles of a histogram, by one more label or none. */
function quantiles(histogram: string, by?: string, selector = ""): Query[] {
  const labels = by === undefined ? "le" : `le, ${by}`;
  const prefix = by === undefined ? "" : `{{${by}}} `;
  return [0.5, 0.95].map((quantile) => ({
    legend: `${prefix}p${quantile * 100}`,
    promql: `histogram_quantile(${quantile}, sum by (${labels}) (rate(${histogram}_bucket${selector}${RATE})))`,
  }));
}

const rateBy = (counter: string, by: string): Query[] => one(`sum by (${by}) (rate(${counter}${RATE}))`, `{{${by}}}`);

const share = (part: string, whole: string): string =>
  `sum(rate(${part}${RATE})) / clamp_min(sum(rate(${whole}${RATE})), 1e-9)`;

export const ROWS: readonly Row[] = [
  {
    title: "Sessions",
    panels: [
      {
        title: "Avatar sessions",
        help: "Sessions that start or are live, by status",
        unit: "short",
        queries: one("sum by (status) (max by (status, family, plan) (avatar_service_sessions))", "{{status}}"),
      },
      {
        title: "Sessions by model family",
        help: "Starting and live sessions of each family",
        unit: "short",
        queries: one("sum by (family) (max by (status, family, plan) (avatar_service_sessions))", "{{family}}"),
      },
      {
        title: "Sessions by plan",
        help: "Starting and live sessions of accounts on each plan",
        unit: "short",
        queries: one("sum by (plan) (max by (status, family, plan) (avatar_service_sessions))", "{{plan}}"),
      },
      {
        title: "Free slots",
        help: "Sessions that all workers together can take now, as they measure it. At 0 launches are refused",
        unit: "short",
        queries: one("max(avatar_service_room)", "free slots"),
      },
      {
        title: "Load of each worker",
        help: "Sessions, and most sessions, of each worker as the registry knows them",
        unit: "short",
        queries: [
          { legend: "{{worker}} sessions", promql: "max by (worker) (avatar_service_worker_sessions)" },
          { legend: "{{worker}} capacity", promql: "max by (worker) (avatar_service_worker_capacity)" },
        ],
      },
      {
        title: "Launches",
        help: "Launches by result: accepted, no_room (no worker could take it), refused by a rule, failed",
        unit: "ops",
        queries: rateBy("avatar_launches_total", "result"),
      },
      {
        title: "Ends of sessions",
        help: "Why sessions end. worker_lost and model_failed are failures of the service",
        unit: "ops",
        queries: rateBy("avatar_sessions_ended_total", "reason"),
      },
      {
        title: "Sessions that changed their worker",
        help: "drained: a worker stopped in order. lost: its heartbeats stopped",
        unit: "ops",
        queries: rateBy("avatar_session_worker_changes_total", "cause"),
      },
      {
        title: "Late heartbeats",
        help: "Live sessions that have been silent for six seconds; their workers may be lost",
        unit: "short",
        queries: one("max(avatar_service_late_heartbeats)", "sessions"),
      },
    ],
  },
  {
    title: "Start times",
    panels: [
      {
        title: "Launch until accepted and live",
        help: "From the launch until a worker has accepted, and until the avatar is in its room",
        unit: "s",
        queries: quantiles("avatar_session_start_seconds", "step"),
      },
      {
        title: "Worker: job until live",
        help: "With a process that was ready, or had to be made",
        unit: "s",
        queries: quantiles("avatar_worker_start_seconds", "process"),
      },
      {
        title: "Worker: job until the first frame",
        help: "What a viewer waits for, after the worker has the job",
        unit: "s",
        queries: quantiles("avatar_worker_first_frame_seconds"),
      },
      {
        title: "Oldest starting session",
        help: "Silence of the session that has been starting for the longest time",
        unit: "s",
        queries: one("max(avatar_service_oldest_start_seconds)", "silent"),
      },
      {
        title: "Ready processes",
        help: "Processes of each worker that wait for a session. At 0 the next start is a second slower",
        unit: "short",
        queries: one("avatar_worker_ready_processes", "{{instance}}"),
      },
    ],
  },
  {
    title: "Video and audio",
    panels: [
      {
        title: "Late and dropped frames",
        help: "Share of the frames. Below 1 % is not noticed",
        unit: "percentunit",
        queries: [
          { legend: "late", promql: share("avatar_worker_late_frames_total", "avatar_worker_frames_total") },
          { legend: "dropped", promql: share("avatar_worker_dropped_frames_total", "avatar_worker_frames_total") },
          { legend: "withheld", promql: share("avatar_worker_withheld_frames_total", "avatar_worker_frames_total") },
        ],
      },
      {
        title: "Frames sent",
        help: "Frames per second of all sessions of each worker: 25 for each session",
        unit: "ops",
        queries: one(`sum by (instance) (rate(avatar_worker_frames_total${RATE}))`, "{{instance}}"),
      },
      {
        title: "Sessions by frame rate",
        help: "full: 25 fps. half: 12.5 fps. frozen: the face stands still, because the machine is too slow",
        unit: "short",
        queries: one("sum by (rate) (avatar_worker_sessions_at_frame_rate)", "{{rate}}"),
      },
      {
        title: "Time of a frame",
        help: "To render and send one, 95th percentile of the slowest session. Above 0.04 frames are late",
        unit: "s",
        queries: one("avatar_worker_tick_p95_seconds", "{{instance}}"),
      },
      {
        title: "Holes in the audio",
        help: "gaps: the machine stalled and listeners heard it. starvations: the sender was late",
        unit: "ops",
        queries: [
          { legend: "gaps", promql: `sum(rate(avatar_worker_audio_gaps_total${RATE}))` },
          { legend: "starvations", promql: `sum(rate(avatar_worker_starvations_total${RATE}))` },
        ],
      },
      {
        title: "Audio reserve",
        help: "Least queued audio within an utterance, of the worst session; 1 without speech",
        unit: "s",
        queries: one("avatar_worker_audio_reserve_seconds", "{{instance}}"),
      },
      {
        title: "Crashes of session processes",
        help: "Sessions that went on in another process",
        unit: "ops",
        queries: one(`sum by (instance) (rate(avatar_worker_session_crashes_total${RATE}))`, "{{instance}}"),
      },
      {
        title: "CPU of one session",
        help: "What another session would take on each worker, by which it computes its capacity",
        unit: "cores",
        queries: one("avatar_worker_session_cpu_cores", "{{instance}}"),
      },
    ],
  },
  {
    title: "Conversations and voice",
    panels: [
      {
        title: "Turns",
        help: "From the end of speech until the text, the decision that the turn is over, the first words and the first audio of the answer",
        unit: "s",
        queries: quantiles("avatar_worker_turn_seconds", "step"),
      },
      {
        title: "Pieces of the neural voice",
        help: "Time to make a piece, with the wait for other sessions. Above its length of 0.5 to 2.5 s the voice breaks off",
        unit: "s",
        queries: quantiles("avatar_worker_voice_piece_seconds"),
      },
      {
        title: "Faults in conversations",
        help: "By the part that failed: ears (speech recognition), mind (the language model), voice",
        unit: "ops",
        queries: rateBy("avatar_worker_conversation_faults_total", "part"),
      },
      {
        title: "Texts spoken for requests",
        help: "POST /v1/tts, and the voice of talking videos, by result",
        unit: "ops",
        queries: rateBy("avatar_speeches_total", "result"),
      },
    ],
  },
  {
    title: "REST API",
    panels: [
      {
        title: "Requests",
        help: "By status",
        unit: "reqps",
        queries: one(`sum by (status) (rate(avatar_http_request_duration_seconds_count${RATE}))`, "{{status}}"),
      },
      {
        title: "Slowest routes",
        help: "95th percentile of the ten slowest routes. A launch waits for a worker, and speech for its voice",
        unit: "s",
        queries: one(
          `topk(10, histogram_quantile(0.95, sum by (le, method, route) (rate(avatar_http_request_duration_seconds_bucket${RATE}))))`,
          "{{method}} {{route}}",
        ),
      },
      {
        title: "speak",
        help: "Time until the avatar's process has taken a message",
        unit: "s",
        queries: quantiles("avatar_http_request_duration_seconds", undefined, '{route=~".*/speak"}'),
      },
      {
        title: "Delay of the event loop",
        help: "99th percentile of each process. Above 0.1 s requests, heartbeats or jobs wait",
        unit: "s",
        queries: one("nodejs_eventloop_lag_p99_seconds", "{{job}} {{instance}}"),
      },
    ],
  },
  {
    title: "Realtime calls",
    panels: [
      {
        title: "Calls",
        help: "relays: as the relays count them. unsettled: as the api knows them; calls of a lost relay stay until they are settled",
        unit: "short",
        queries: [
          { legend: "relays {{model}}", promql: "sum by (model) (avatar_relay_calls)" },
          { legend: "unsettled", promql: "max(avatar_service_realtime_calls)" },
        ],
      },
      {
        title: "Ends of calls",
        help: "By reason",
        unit: "ops",
        queries: rateBy("avatar_relay_calls_ended_total", "reason"),
      },
      {
        title: "Delay of events",
        help: "From the arrival of an event until the next socket has taken it",
        unit: "s",
        queries: quantiles("avatar_relay_event_seconds", "direction"),
      },
      {
        title: "Admission of calls",
        help: "Time until the server of the model is connected",
        unit: "s",
        queries: quantiles("avatar_relay_admit_seconds"),
      },
      {
        title: "Refused calls",
        help: "By the status of the answer. 502 and 504: the server of the model",
        unit: "ops",
        queries: rateBy("avatar_relay_refused_total", "status"),
      },
    ],
  },
  {
    title: "Jobs and webhooks",
    panels: [
      {
        title: "Jobs",
        help: "waiting and running jobs of all kinds, delayed ones, and those that failed for good",
        unit: "short",
        queries: one("sum by (state) (max by (kind, state) (avatar_service_jobs))", "{{state}}"),
      },
      {
        title: "Waiting jobs by kind",
        help: "Jobs that are due and not running",
        unit: "short",
        queries: one('max by (kind) (avatar_service_jobs{state="waiting"})', "{{kind}}"),
      },
      {
        title: "Oldest waiting job",
        help: "How long the oldest job of each kind has been due",
        unit: "s",
        queries: one("max by (kind) (avatar_service_job_oldest_seconds)", "{{kind}}"),
      },
      {
        title: "Time of jobs",
        help: "95th percentile of each kind",
        unit: "s",
        queries: one(
          `histogram_quantile(0.95, sum by (le, kind) (rate(avatar_job_seconds_bucket${RATE})))`,
          "{{kind}}",
        ),
      },
      {
        title: "Failed attempts",
        help: "Attempts of jobs that failed, by kind. Most jobs are tried again",
        unit: "ops",
        queries: rateBy("avatar_job_failures_total", "kind"),
      },
      {
        title: "Videos, gestures, rebakes",
        help: "By result",
        unit: "ops",
        queries: [
          { legend: "videos {{result}}", promql: `sum by (result) (rate(avatar_videos_total${RATE}))` },
          { legend: "gestures {{result}}", promql: `sum by (result) (rate(avatar_dynamics_total${RATE}))` },
          { legend: "rebakes {{result}}", promql: `sum by (result) (rate(avatar_rebakes_total${RATE}))` },
        ],
      },
      {
        title: "Webhook attempts",
        help: "delivered, refused by the endpoint's status, or unreachable",
        unit: "ops",
        queries: one(`sum by (result) (rate(avatar_webhook_attempt_seconds_count${RATE}))`, "{{result}}"),
      },
      {
        title: "Pending webhooks",
        help: "Deliveries that are not settled",
        unit: "short",
        queries: one("max(avatar_service_webhooks_pending)", "pending"),
      },
      {
        title: "Overdue webhooks",
        help: "How long the oldest delivery has been due",
        unit: "s",
        queries: one("max(avatar_service_webhook_oldest_seconds)", "oldest"),
      },
    ],
  },
  {
    title: "Ledger",
    panels: [
      {
        title: "Credits booked per minute",
        help: "issued with plans and rewards, sold, income (spent), refunds, lapsed",
        unit: "short",
        queries: one(`max by (kind) (rate(avatar_service_credits_total${RATE})) * 60`, "{{kind}}"),
      },
      {
        title: "Served and not yet charged",
        help: "Time of running sessions; each is charged at its end",
        unit: "s",
        queries: one("max(avatar_service_unbilled_seconds)", "seconds"),
      },
      {
        title: "Balances that do not fit their movements",
        help: "Must be 0. The books are checked a few accounts at a time",
        unit: "short",
        queries: [
          { legend: "mismatches", promql: "max(avatar_ledger_mismatches)" },
          { legend: "checked", promql: "max(avatar_ledger_checked_accounts)" },
        ],
      },
    ],
  },
  {
    title: "Processes and servers",
    panels: [
      {
        title: "Processes",
        help: "1 for each process that Prometheus reaches",
        unit: "bool",
        queries: one('up{job=~"api|relay|worker"}', "{{job}} {{instance}}"),
      },
      {
        title: "Workers and relays",
        help: "As they report to the api",
        unit: "short",
        queries: [
          { legend: "workers", promql: "max(avatar_service_workers)" },
          { legend: "relays", promql: "max(avatar_service_relays)" },
        ],
      },
      {
        title: "Database and LiveKit",
        help: "1 if the server answers the api within a second",
        unit: "bool",
        queries: [
          { legend: "database from {{instance}}", promql: "avatar_database_up" },
          { legend: "LiveKit from {{instance}}", promql: "avatar_livekit_up" },
        ],
      },
      {
        title: "Answer of the database",
        help: "Time of a query that reads nothing",
        unit: "s",
        queries: one("avatar_database_answer_seconds", "{{instance}}"),
      },
      {
        title: "Connections to the database",
        help: "Of each api process, with the queries that wait for one",
        unit: "short",
        queries: [
          { legend: "{{state}} {{instance}}", promql: "avatar_database_connections" },
          { legend: "limit {{instance}}", promql: "avatar_database_connections_limit" },
          { legend: "waiting {{instance}}", promql: "avatar_database_waiting" },
        ],
      },
      {
        title: "Free disk space",
        help: "Below the limit files are refused",
        unit: "bytes",
        queries: [
          { legend: "free {{instance}}", promql: "avatar_disk_free_bytes" },
          { legend: "limit", promql: "max(avatar_disk_least_free_bytes)" },
        ],
      },
      {
        title: "Memory of processes",
        help: "Session processes are not counted: about 100 MB for each session",
        unit: "bytes",
        queries: one("process_resident_memory_bytes", "{{job}} {{instance}}"),
      },
      {
        title: "CPU of processes",
        help: "Session processes are not counted",
        unit: "cores",
        queries: one(`rate(process_cpu_seconds_total${RATE})`, "{{job}} {{instance}}"),
      },
      {
        title: "Metrics that could not be read",
        help: "By part. Their panels have gaps",
        unit: "ops",
        queries: rateBy("avatar_metrics_failures_total", "part"),
      },
    ],
  },
];
