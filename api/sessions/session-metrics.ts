// Metrics of avatar sessions: launches and ends that this process has seen, and how many sessions and workers the
// service has.
import { sql } from "kysely";
import { isServiceError } from "../../shared/errors.ts";
import { FAMILIES } from "../../shared/models.ts";
import { END_REASONS, type EndReason } from "../../shared/runtime-api.ts";
import { PLANS } from "../accounts/plans/plans.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { type AvatarSession, HEARTBEAT_INTERVAL_S } from "./record/avatar-session.ts";
import { listPresentWorkers } from "./workers/worker-registry.ts";

const START_BUCKETS_S = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30];
const RUNNING = ["starting", "live"] as const;
const LAUNCH_RESULTS = ["accepted", "no_room", "refused", "failed"] as const;
const DROP_CAUSES = ["session", "account"] as const;
const WORKER_CHANGES = ["lost", "drained"] as const;
/** Intervals without a heartbeat after which it counts as late. */
const LATE_INTERVALS = 3;
/** Workers that are shown one by one; further ones count in the sums alone. */
const MOST_WORKERS = 100;
const SAME = "The same in every api process: take the maximum, not the sum";

export interface SessionMetrics {
  /** Counts how a launch ends: by its session, or by the error that it throws. */
  countLaunch<T>(launch: Promise<T>): Promise<T>;
  /** A worker has accepted a session, or its avatar is in its room. */
  observeStart(step: "accepted" | "live", session: Pick<AvatarSession, "createdAt">, at: Date): void;
  /** Another worker takes over a session of a worker that was lost, or drains. */
  countWorkerChange(cause: (typeof WORKER_CHANGES)[number]): void;
  countEnd(reason: EndReason): void;
  /** Messages of a conversation were over a bound of the session, or of the account's day. */
  countDroppedMessages(cause: (typeof DROP_CAUSES)[number], count: number): void;
}

/** Registers the metrics. */
export function createSessionMetrics({
  metrics,
  database,
  now,
}: Pick<Kernel, "metrics" | "database" | "now">): SessionMetrics {
  const launches = metrics.counter(
    "avatar_launches_total",
    "Launches of avatar sessions: accepted by a worker, no_room on any worker, refused by a rule, or failed",
    { name: "result", values: LAUNCH_RESULTS },
  );
  const starts = metrics.histogram(
    "avatar_session_start_seconds",
    "Time from a launch until a worker has accepted the session, and until its avatar is in its room (live)",
    { name: "step", values: ["accepted", "live"] },
    START_BUCKETS_S,
  );
  const changes = metrics.counter(
    "avatar_session_worker_changes_total",
    "Avatar sessions that another worker took over, because their worker was lost or drained",
    { name: "cause", values: WORKER_CHANGES },
  );
  const ends = metrics.counter("avatar_sessions_ended_total", "Avatar sessions that ended, by reason", {
    name: "reason",
    values: END_REASONS,
  });
  const dropped = metrics.counter(
    "avatar_messages_dropped_total",
    "Messages of conversations that were neither kept nor told, because the session, or the account on that day, said too much",
    { name: "cause", values: DROP_CAUSES },
  );
  metrics.gauges.add({
    part: "sessions",
    gauges: {
      sessions: {
        name: "avatar_service_sessions",
        help: `Avatar sessions that start or are live, by status, model family and plan. ${SAME}`,
        labels: ["status", "family", "plan"],
      },
      unbilled: {
        name: "avatar_service_unbilled_seconds",
        help: `Served time of running avatar sessions, which is charged at their end. ${SAME}`,
      },
      late: {
        name: "avatar_service_late_heartbeats",
        help: `Live avatar sessions without a heartbeat for ${LATE_INTERVALS * HEARTBEAT_INTERVAL_S} seconds. ${SAME}`,
      },
      oldest: {
        name: "avatar_service_oldest_start_seconds",
        help: `How long the oldest avatar session that still starts has been silent. ${SAME}`,
      },
    },
    async read() {
      const lateSince = new Date(now() - LATE_INTERVALS * HEARTBEAT_INTERVAL_S * 1000);
      const rows = await database
        .selectFrom("avatar_sessions")
        .innerJoin("accounts", "accounts.user_id", "avatar_sessions.user_id")
        .select(["avatar_sessions.status", "family", "plan"])
        .select(({ fn }) => fn.countAll<number>().as("sessions"))
        .select(sql<number>`sum(served_deciseconds)::float8 / 10`.as("unbilled"))
        .select(
          sql<number>`count(*) filter (
            where avatar_sessions.status = 'live' and not is_self_hosted and last_seen_at < ${lateSince})`.as("late"),
        )
        .select(
          sql<Date | null>`min(last_seen_at) filter (where avatar_sessions.status = 'starting')`.as("startingSince"),
        )
        .where("avatar_sessions.status", "<>", "ended")
        .groupBy(["avatar_sessions.status", "family", "plan"])
        .execute();
      const count = (status: string, family: string, plan: string) =>
        rows.find((row) => row.status === status && row.family === family && row.plan === plan)?.sessions ?? 0;
      const silentMs = rows.map(({ startingSince }) => (startingSince === null ? 0 : now() - startingSince.getTime()));
      return {
        sessions: RUNNING.flatMap((status) =>
          FAMILIES.flatMap((family) =>
            PLANS.map((plan) => ({ labels: { status, family, plan }, value: count(status, family, plan) })),
          ),
        ),
        unbilled: rows.reduce((sum, row) => sum + row.unbilled, 0),
        late: rows.reduce((sum, row) => sum + row.late, 0),
        oldest: Math.max(0, ...silentMs) / 1000,
      };
    },
  });
  metrics.gauges.add({
    part: "workers",
    gauges: {
      workers: { name: "avatar_service_workers", help: `Avatar workers that have reported recently. ${SAME}` },
      held: {
        name: "avatar_service_worker_sessions",
        help: `Avatar sessions that each worker reports. ${SAME}`,
        labels: ["worker"],
      },
      most: {
        name: "avatar_service_worker_capacity",
        help: `Avatar sessions that each worker reports it can run, with the running ones. ${SAME}`,
        labels: ["worker"],
      },
      room: {
        name: "avatar_service_room",
        help: `Further avatar sessions that all workers together report they can run. ${SAME}`,
      },
    },
    async read() {
      const workers = await listPresentWorkers(database, new Date(now()));
      const shown = workers.slice(0, MOST_WORKERS);
      return {
        workers: workers.length,
        held: shown.map(({ id, active_sessions: value }) => ({ labels: { worker: id }, value })),
        most: shown.map(({ id, max_sessions: value }) => ({ labels: { worker: id }, value })),
        room: workers.reduce((sum, worker) => sum + Math.max(0, worker.max_sessions - worker.active_sessions), 0),
      };
    },
  });
  return {
    async countLaunch(launch) {
      try {
        const launched = await launch;
        launches("accepted");
        return launched;
      } catch (error) {
        const code = isServiceError(error) ? error.code : "INTERNAL_ERROR";
        const isFault = code === "INTERNAL_ERROR" || code.startsWith("UPSTREAM_");
        launches(code === "SERVICE_UNAVAILABLE" ? "no_room" : isFault ? "failed" : "refused");
        throw error;
      }
    },
    observeStart: (step, { createdAt }, at) => starts(step, Math.max(0, at.getTime() - createdAt.getTime()) / 1000),
    countWorkerChange: changes,
    countEnd: ends,
    countDroppedMessages: dropped,
  };
}
