// The avatar sessions of all accounts that run, with what each costs.
import type { Queryable } from "../kernel/database/database.ts";
import { accruedCredits, burnRateOf } from "../sessions/life/metering.ts";
import type { AvatarSessionStatus } from "../sessions/record/avatar-session.ts";

export interface RunningSession {
  id: string;
  email: string;
  agentCode: string | null;
  model: string;
  status: AvatarSessionStatus;
  isSelfHosted: boolean;
  /** Whether it began without a stream, because its viewers render. */
  isLight: boolean;
  servedSeconds: number;
  credits: number;
  creditsPerMinute: number;
  startedAt: Date;
  lastSeenAt: Date;
}

export interface RunningSessions {
  /** The newest first. */
  sessions: RunningSession[];
  /** Of all, listed or not. */
  total: number;
}

/** The running sessions, at most `limit`. */
export async function listRunningSessions(database: Queryable, limit: number): Promise<RunningSessions> {
  const running = database
    .selectFrom("avatar_sessions as session")
    .innerJoin("accounts as account", "account.user_id", "session.user_id")
    .where("session.status", "<>", "ended");
  const rows = await running
    .selectAll("session")
    .select("account.email")
    .orderBy("session.created_at", "desc")
    .orderBy("session.id", "desc")
    .limit(limit)
    .execute();
  const { total } = await running
    .select((fields) => fields.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const sessions = rows.map((row) => {
    const metered = {
      family: row.family,
      isSelfHosted: row.is_self_hosted,
      viewersRender: row.viewers_render,
      servedDeciseconds: row.served_deciseconds,
      viewerDeciseconds: row.viewer_deciseconds,
      chatDeciseconds: row.chat_deciseconds,
      cameraDeciseconds: row.camera_deciseconds,
      mind: row.mind,
    };
    return {
      id: row.id,
      email: row.email,
      agentCode: row.agent_code,
      model: row.model,
      status: row.status,
      isSelfHosted: row.is_self_hosted,
      isLight: row.viewers_render,
      servedSeconds: row.served_deciseconds / 10,
      credits: accruedCredits(metered),
      creditsPerMinute: burnRateOf(metered),
      startedAt: row.created_at,
      lastSeenAt: row.last_seen_at,
    };
  });
  return { sessions, total };
}
