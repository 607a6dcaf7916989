// Metrics of durable jobs: what waits in the queue, and how long jobs run.
import type { Pool } from "pg";
import type { Metrics } from "../monitoring/metrics.ts";

const BUCKETS_S = [0.05, 0.25, 1, 5, 15, 60, 180, 600, 1800];
const JOB_STATES = ["waiting", "delayed", "running", "failed"] as const;
/** A job of a kind that this version does not know. */
const OTHER = "other";

export interface JobMetrics {
  /** A job of the kind ran for `seconds`. */
  observe(kind: string, result: "done" | "failed", seconds: number): void;
}

export interface QueueRow extends Record<(typeof JOB_STATES)[number], number> {
  kind: string;
  /** How long the oldest waiting job has been due, s. */
  oldest_s: number;
}

/** Jobs of the queue by kind and state. Kinds without a job are absent. */
export async function countJobs(pool: Pool): Promise<QueueRow[]> {
  return (await pool.query<QueueRow>(COUNT_JOBS)).rows;
}

/** Registers the metrics for these kinds. */
export function createJobMetrics(metrics: Metrics, pool: Pool, kinds: readonly string[]): JobMetrics {
  const seconds = metrics.histogram(
    "avatar_job_seconds",
    "Time that a job ran in this process, by kind, for every attempt",
    { name: "kind", values: kinds },
    BUCKETS_S,
  );
  const failed = metrics.counter("avatar_job_failures_total", "Attempts of jobs that failed, by kind", {
    name: "kind",
    values: kinds,
  });
  metrics.gauges.add({
    part: "jobs",
    gauges: {
      jobs: {
        name: "avatar_service_jobs",
        help: "Jobs of the service by kind and state: waiting, delayed (for a time or a retry), running, failed for good. The same in every api process: take the maximum, not the sum",
        labels: ["kind", "state"],
      },
      oldest: {
        name: "avatar_service_job_oldest_seconds",
        help: "How long the oldest waiting job of a kind has been due. The same in every api process: take the maximum, not the sum",
        labels: ["kind"],
      },
    },
    async read() {
      const found = new Map((await countJobs(pool)).map((row) => [kinds.includes(row.kind) ? row.kind : OTHER, row]));
      const all = [...kinds, ...(found.has(OTHER) ? [OTHER] : [])];
      return {
        jobs: all.flatMap((kind) =>
          JOB_STATES.map((state) => ({ labels: { kind, state }, value: found.get(kind)?.[state] ?? 0 })),
        ),
        oldest: all.map((kind) => ({ labels: { kind }, value: found.get(kind)?.oldest_s ?? 0 })),
      };
    },
  });
  return {
    observe(kind, result, ranS) {
      seconds(kind, ranS);
      if (result === "failed") failed(kind);
    },
  };
}

/** Jobs that are done are deleted, so the table is as small as the queue. */
const COUNT_JOBS = `
  select
    task_identifier as kind,
    count(*) filter (where is_available and run_at <= now())::int as waiting,
    count(*) filter (where is_available and run_at > now())::int as delayed,
    count(*) filter (where locked_at is not null)::int as running,
    count(*) filter (where locked_at is null and attempts >= max_attempts)::int as failed,
    coalesce(extract(epoch from now() - min(run_at) filter (where is_available and run_at <= now())), 0)::float8
      as oldest_s
  from (select *, locked_at is null and attempts < max_attempts as is_available from graphile_worker.jobs) jobs
  group by task_identifier`;
