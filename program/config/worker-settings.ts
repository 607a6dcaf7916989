import { z } from "zod";
import { MAX_WORKER_SESSIONS } from "../../shared/runtime-api.ts";
import { anyPort, flag, headerKey, SECOND_MS, wholeNumber } from "./values.ts";

const COMMON = {
  AVATAR_WORKER_PORT: anyPort.default(8089),
  AVATAR_WORKER_DRAIN_SECONDS: wholeNumber(0, 86_400).default(0),
  AVATAR_ADMISSION: z.enum(["measured", "fixed"]).default("measured"),
};

/** Settings of both workers. Only the name under which `maxSessions` is set differs. */
function common(worker: z.output<z.ZodObject<typeof COMMON>>, maxSessions: number) {
  return {
    port: worker.AVATAR_WORKER_PORT,
    drainMs: worker.AVATAR_WORKER_DRAIN_SECONDS * SECOND_MS,
    maxSessions,
    /** False: `maxSessions` alone counts. */
    isMeasured: worker.AVATAR_ADMISSION === "measured",
  };
}

export const workerSettings = z
  .object({
    ...COMMON,
    AVATAR_MAX_SESSIONS: wholeNumber(1, MAX_WORKER_SESSIONS).default(8),
    AVATAR_REALTIME_PORT: anyPort.default(0),
    AVATAR_REALTIME_SESSIONS: wholeNumber(0, 1000).default(16),
  })
  .transform((worker) => ({
    ...common(worker, worker.AVATAR_MAX_SESSIONS),
    realtimePort: worker.AVATAR_REALTIME_PORT,
    maxRealtimeSessions: worker.AVATAR_REALTIME_SESSIONS,
  }));

export const selfHostedSettings = z
  .object({
    ...COMMON,
    MAX_SESSIONS: wholeNumber(1, 1000).default(8),
    AVATAR_WORKER_PUBLIC: flag.default(false),
    AVATAR_API_SECRET: headerKey,
    AVATAR_API_KEY: headerKey,
    AVATAR_API_TIMEOUT: wholeNumber(1, 3600).default(120),
    AVATAR_CONFIG_FILE: z.string().optional(),
    AVATAR_CACHE_DIR: z.string().optional(),
    SESSION_IDLE_TIMEOUT: wholeNumber(1, 604_800).default(600),
    TASK_RETENTION_SECONDS: wholeNumber(0, 31_536_000).default(3600),
    MAX_TASK_HISTORY: wholeNumber(0, 100_000).default(1000),
  })
  .transform((worker) => ({
    ...common(worker, worker.MAX_SESSIONS),
    mayBePublic: worker.AVATAR_WORKER_PUBLIC,
    apiSecret: worker.AVATAR_API_SECRET ?? worker.AVATAR_API_KEY,
    /** Whether the deprecated name of `AVATAR_API_SECRET` is set and read. */
    usesApiKey: worker.AVATAR_API_SECRET === undefined && worker.AVATAR_API_KEY !== undefined,
    idleTimeoutMs: worker.SESSION_IDLE_TIMEOUT * SECOND_MS,
    tasks: { retentionMs: worker.TASK_RETENTION_SECONDS * SECOND_MS, maxEnded: worker.MAX_TASK_HISTORY },
  }));
