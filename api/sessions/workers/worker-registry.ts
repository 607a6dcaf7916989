// Registry of running avatar workers, from their own reports.
import type { Selectable } from "kysely";
import type { WorkerProvider, WorkerReport } from "../../../shared/runtime-api.ts";
import type { WorkerAddress } from "../../../shared/worker-token.ts";
import type { Queryable, Tables } from "../../kernel/database/database.ts";
import { notifySlot } from "../launch/slot-channel.ts";
import "./worker-tables.ts";

/** A worker counts as present for this time after its last report: four intervals, so that reports may be late. */
const PRESENT_MS = 12_000;

/** Stores a worker's report (its `realtime_url` must have been checked), and removes workers that stopped without a
 *  report. Returns false, and stores nothing, if another process reports with the same id. */
export async function noteWorker(database: Queryable, report: WorkerReport, at: Date): Promise<boolean> {
  const row = {
    providers: report.providers,
    active_sessions: report.active_sessions,
    max_sessions: report.max_sessions,
    max_light_sessions: report.max_light_sessions ?? null,
    max_gpu_sessions: report.max_gpu_sessions ?? null,
    relay_url: report.realtime_url ?? null,
    realtime_slots: report.realtime_slots ?? null,
    report_seq: report.report_seq ?? null,
    host: report.host ?? null,
    version: report.version ?? null,
    light_sessions: report.light_sessions ?? null,
    cores: report.cores ?? null,
    free_cores: report.free_cores ?? null,
    session_cores: report.session_cores ?? null,
    light_session_cores: report.light_session_cores ?? null,
    is_draining: report.is_draining ?? false,
    last_seen_at: at,
  };
  const stored = await database
    .insertInto("avatar_workers")
    .values({ id: report.worker_id, registered_at: at, ...row })
    .onConflict((conflict) =>
      conflict
        .column("id")
        .doUpdateSet(row)
        .where(({ eb, ref, or }) =>
          or([
            eb("avatar_workers.report_seq", "is", null),
            eb("excluded.report_seq", "is", null),
            eb("avatar_workers.report_seq", "<", ref("excluded.report_seq")),
          ]),
        ),
    )
    .returning("id")
    .executeTakeFirst();
  await database.deleteFrom("avatar_workers").where("last_seen_at", "<", lastSeenSince(at)).execute();
  await notifySlot(database);
  return stored !== undefined;
}

/** Sessions that all present workers can run, the active ones included; null without any worker. */
export function readCapacity(database: Queryable, now: Date): Promise<number | null> {
  return sumOfPresent(database, "max_sessions", now);
}

/** Sessions that began with viewers that render that all present workers can run, the running ones included; null if
 *  no worker says. */
export function readLightCapacity(database: Queryable, now: Date): Promise<number | null> {
  return sumOfPresent(database, "max_light_sessions", now);
}

/** Every present worker as it last reported, those that drain included; the longest registered first. */
export async function listPresentWorkers(
  database: Queryable,
  now: Date,
): Promise<Selectable<Tables["avatar_workers"]>[]> {
  return database
    .selectFrom("avatar_workers")
    .selectAll()
    .where("last_seen_at", ">=", lastSeenSince(now))
    .orderBy("registered_at")
    .orderBy("id")
    .execute();
}

/** Sessions that the GPUs of all present workers can render, the active ones included; null if no worker measures
 *  one. */
export function readGpuCapacity(database: Queryable, now: Date): Promise<number | null> {
  return sumOfPresent(database, "max_gpu_sessions", now);
}

/** Removes a worker that accepts no more sessions. */
export async function removeWorker(database: Queryable, workerId: string): Promise<void> {
  await database.deleteFrom("avatar_workers").where("id", "=", workerId).execute();
}

/** Execution providers that at least one present worker has. Empty without any worker. */
export async function listProviders(database: Queryable, now: Date): Promise<Set<WorkerProvider>> {
  const rows = await database
    .selectFrom("avatar_workers")
    .select("providers")
    .where("last_seen_at", ">=", lastSeenSince(now))
    .where("is_draining", "=", false)
    .execute();
  return new Set(rows.flatMap(({ providers }) => providers));
}

/** When the newest of the present workers registered; null without any worker. */
export async function findLastRegistration(database: Queryable, now: Date): Promise<Date | null> {
  const { registeredAt } = await database
    .selectFrom("avatar_workers")
    .select(({ fn }) => fn.max<Date | null>("registered_at").as("registeredAt"))
    .where("last_seen_at", ">=", lastSeenSince(now))
    .where("is_draining", "=", false)
    .executeTakeFirstOrThrow();
  return registeredAt;
}

/** The present worker with a realtime server that has the most free slots; null if none takes realtime sessions. */
export async function findRealtimeServer(database: Queryable, now: Date): Promise<WorkerAddress | null> {
  const row = await database
    .selectFrom("avatar_workers")
    .select(["id as workerId", "relay_url as url"])
    .where("last_seen_at", ">=", lastSeenSince(now))
    .where("is_draining", "=", false)
    .where("relay_url", "is not", null)
    .$narrowType<{ url: string }>()
    .orderBy(({ eb }) => eb("max_sessions", "-", eb.ref("active_sessions")), "desc")
    .orderBy("registered_at")
    .executeTakeFirst();
  return row ?? null;
}

/** Realtime sessions that all present workers can run, the running ones included; null if no worker says. */
export function readRealtimeSlots(database: Queryable, now: Date): Promise<number | null> {
  return sumOfPresent(database, "realtime_slots", now);
}

/** Null if no present worker has a value. */
async function sumOfPresent(
  database: Queryable,
  column: "max_sessions" | "max_light_sessions" | "max_gpu_sessions" | "realtime_slots",
  now: Date,
): Promise<number | null> {
  const { sum } = await database
    .selectFrom("avatar_workers")
    .select(({ fn }) => fn.sum<string | null>(column).as("sum"))
    .where("last_seen_at", ">=", lastSeenSince(now))
    .where("is_draining", "=", false)
    .executeTakeFirstOrThrow();
  return sum === null ? null : Number(sum);
}

function lastSeenSince(now: Date): Date {
  return new Date(now.getTime() - PRESENT_MS);
}
