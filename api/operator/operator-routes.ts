// GET /console/overview: what runs on the whole installation. For the operator's account alone.
import { sql } from "kysely";
import { z } from "zod";
import { VERSION } from "../../program/version.ts";
import { assertOperator } from "../accounts/operator-account.ts";
import { type Route, route } from "../kernel/http/route.ts";
import { countJobs } from "../kernel/jobs/job-metrics.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { createReadinessCheck } from "../sessions/readiness/readiness.ts";
import { listPresentWorkers } from "../sessions/workers/worker-registry.ts";
import { listRunningSessions } from "./running-sessions.ts";

/** Entries of a list; its total tells how many there are. */
const LISTED = 100;

const workerSchema = z.object({
  id: z.string(),
  host: z.string().nullable(),
  version: z.string().nullable(),
  providers: z.array(z.string()),
  sessions: z.int(),
  max_sessions: z.int(),
  light_sessions: z.int().nullable(),
  max_light_sessions: z.int().nullable(),
  max_gpu_sessions: z.int().nullable(),
  realtime_slots: z.int().nullable(),
  /** Cores of its machine, and how many were free in the last seconds. */
  cores: z.number().nullable(),
  free_cores: z.number().nullable(),
  /** CPU time that a further session takes there, in cores: streamed, and rendered by viewers. */
  session_cores: z.number().nullable(),
  light_session_cores: z.number().nullable(),
  is_draining: z.boolean(),
  registered_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime(),
});

const roomSchema = z.object({
  name: z.string(),
  participants: z.int(),
  publishers: z.int(),
  created_at: z.iso.datetime(),
});

const queueSchema = z.object({
  kind: z.string(),
  waiting: z.int(),
  delayed: z.int(),
  running: z.int(),
  failed: z.int(),
  /** How long the oldest waiting job has been due. */
  oldest_seconds: z.number(),
});

const runningSchema = z.object({
  id: z.string(),
  email: z.string(),
  agent_code: z.string().nullable(),
  model: z.string(),
  status: z.enum(["starting", "live", "ended"]),
  /** Who renders: a worker, browsers of visitors, or a machine of the caller. */
  rendered_by: z.enum(["worker", "viewers", "caller"]),
  seconds: z.number(),
  credits: z.int(),
  credits_per_minute: z.number(),
  started_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime(),
});

/** `total`: of all, listed or not. */
const listOf = <Item extends z.ZodType>(item: Item) => z.object({ listed: z.array(item), total: z.int() });

const overviewSchema = z.object({
  at: z.iso.datetime(),
  checks: z.object({
    database: z.enum(["ok", "away"]),
    livekit: z.enum(["ok", "away", "outdated"]),
    workers: z.enum(["ok", "away", "unknown"]),
    relays: z.enum(["ok", "away", "unknown"]),
  }),
  versions: z.object({
    api: z.string(),
    node: z.string(),
    postgres: z.string(),
    /** Null while it does not answer. */
    livekit: z.string().nullable(),
  }),
  workers: listOf(workerSchema),
  sessions: listOf(runningSchema),
  /** Null while the LiveKit server does not answer. */
  rooms: listOf(roomSchema).nullable(),
  queue: z.array(queueSchema),
});

export interface OperatorServices extends Kernel {
  /** Whether a relay takes realtime calls. */
  isRelayed: () => Promise<boolean>;
}

export function operatorRoutes(services: OperatorServices): Route[] {
  const { database, livekit, pool, now } = services;
  const check = createReadinessCheck(services);

  const readPostgresVersion = async (): Promise<string> => {
    const { rows } = await sql<{ server_version: string }>`show server_version`.execute(database);
    return rows[0].server_version;
  };

  const readRooms = () =>
    livekit.listRooms().then(
      (rooms) => ({
        listed: rooms.slice(0, LISTED).map(({ name, participants, publishers, createdAt }) => ({
          name,
          participants,
          publishers,
          created_at: createdAt.toISOString(),
        })),
        total: rooms.length,
      }),
      // The checks say that the server is away.
      () => null,
    );

  return [
    route({
      method: "get",
      path: "/console/overview",
      operation: "operator.get",
      tier: "read",
      auth: "console",
      personalSecretOnly: true,
      summary: "Workers, sessions, rooms, queue and versions of the installation",
      tags: ["Console"],
      internal: true,
      response: overviewSchema,
      errors: ["FORBIDDEN"],
      async handler({ caller }) {
        assertOperator(caller.account);
        const at = new Date(now());
        const [checks, server, postgres, workers, { sessions, total }, rooms, queue] = await Promise.all([
          check(),
          livekit.checkServer(),
          readPostgresVersion(),
          listPresentWorkers(database, at),
          listRunningSessions(database, LISTED),
          readRooms(),
          countJobs(pool),
        ]);
        return {
          at: at.toISOString(),
          checks,
          versions: { api: VERSION, node: process.version, postgres, livekit: server.version },
          workers: {
            listed: workers.slice(0, LISTED).map((worker) => ({
              id: worker.id,
              host: worker.host,
              version: worker.version,
              providers: worker.providers,
              sessions: worker.active_sessions,
              max_sessions: worker.max_sessions,
              light_sessions: worker.light_sessions,
              max_light_sessions: worker.max_light_sessions,
              max_gpu_sessions: worker.max_gpu_sessions,
              realtime_slots: worker.realtime_slots,
              cores: worker.cores,
              free_cores: worker.free_cores,
              session_cores: worker.session_cores,
              light_session_cores: worker.light_session_cores,
              is_draining: worker.is_draining,
              registered_at: worker.registered_at.toISOString(),
              last_seen_at: worker.last_seen_at.toISOString(),
            })),
            total: workers.length,
          },
          sessions: {
            listed: sessions.map((session) => ({
              id: session.id,
              email: session.email,
              agent_code: session.agentCode,
              model: session.model,
              status: session.status,
              rendered_by: session.isSelfHosted
                ? ("caller" as const)
                : session.isLight
                  ? ("viewers" as const)
                  : ("worker" as const),
              seconds: session.servedSeconds,
              credits: session.credits,
              credits_per_minute: session.creditsPerMinute,
              started_at: session.startedAt.toISOString(),
              last_seen_at: session.lastSeenAt.toISOString(),
            })),
            total,
          },
          rooms,
          queue: queue.map(({ kind, waiting, delayed, running, failed, oldest_s: oldest }) => ({
            kind,
            waiting,
            delayed,
            running,
            failed,
            oldest_seconds: oldest,
          })),
        };
      },
    }),
  ];
}
