// What the operator's view shows of the installation, as the service answers it.
import { z } from "./zod.ts";

const count = z.nullable(z.number());

const workerSchema = z.object({
  id: z.string(),
  host: z.nullable(z.string()),
  version: z.nullable(z.string()),
  providers: z.array(z.string()),
  sessions: z.number(),
  max_sessions: z.number(),
  light_sessions: count,
  max_light_sessions: count,
  max_gpu_sessions: count,
  cores: count,
  free_cores: count,
  session_cores: count,
  light_session_cores: count,
  is_draining: z.boolean(),
  last_seen_at: z.string(),
});
const sessionSchema = z.object({
  id: z.string(),
  email: z.string(),
  agent_code: z.nullable(z.string()),
  model: z.string(),
  status: z.enum(["starting", "live", "ended"]),
  rendered_by: z.enum(["worker", "viewers", "caller"]),
  seconds: z.number(),
  credits: z.number(),
  credits_per_minute: z.number(),
});
const roomSchema = z.object({
  name: z.string(),
  participants: z.number(),
  publishers: z.number(),
  created_at: z.string(),
});
const jobsSchema = z.object({
  kind: z.string(),
  waiting: z.number(),
  delayed: z.number(),
  running: z.number(),
  failed: z.number(),
  oldest_seconds: z.number(),
});
const stateSchema = z.enum(["ok", "away", "outdated", "unknown"]);

export const overviewSchema = z.object({
  at: z.string(),
  checks: z.object({ database: stateSchema, livekit: stateSchema, workers: stateSchema, relays: stateSchema }),
  versions: z.object({ api: z.string(), node: z.string(), postgres: z.string(), livekit: z.nullable(z.string()) }),
  workers: z.object({ listed: z.array(workerSchema), total: z.number() }),
  sessions: z.object({ listed: z.array(sessionSchema), total: z.number() }),
  /** Null while the LiveKit server does not answer. */
  rooms: z.nullable(z.object({ listed: z.array(roomSchema), total: z.number() })),
  queue: z.array(jobsSchema),
});

export type OperatorOverview = z.infer<typeof overviewSchema>;
