// Avatar sessions on a real LiveKit server and a real api, for the duration of a callback. The test acts as the avatar
// worker.
import { AccessToken } from "livekit-server-sdk";
import type { Plan } from "../../../api/accounts/plans/plans.ts";
import { SESSION_POLICIES } from "../../../api/sessions/life/session-policies.ts";
import { type LiveKitAccess, useLiveKit } from "../livekit/use-livekit.ts";
import { addAgent } from "./add-agent.ts";
import { type ControlRoomWorker, joinControlRoom, readDispatch } from "./control-room-worker.ts";
import { type TestAnswer, type TestApi, type WithApiOptions, withApi } from "./with-api.ts";

export const LAUNCH = "/v1/runtime-tokens/request";

export interface SessionStage {
  api: TestApi;
  livekit: LiveKitAccess;
  userId: string;
  secret: string;
  agentCode: string;
  /** Body of a good launch into a room. */
  launchBody(roomName: string, changes?: Record<string, unknown>): Promise<Record<string, unknown>>;
  launch(roomName: string, changes?: Record<string, unknown>): Promise<TestAnswer>;
  /** Launches, joins as worker and reports live. */
  goLive(roomName: string): Promise<{ id: string; worker: ControlRoomWorker; token: string }>;
  /** Opens the page as a visitor, joins as worker and reports live. `changes` are fields of that report. */
  converse(visitor?: string, changes?: object): Promise<Conversation>;
}

export interface Conversation {
  id: string;
  worker: ControlRoomWorker;
  /** Of the worker. */
  token: string;
  roomName: string;
  /** Embed token of the visitor. */
  embedToken: string;
  /** The visitor's join token. */
  visitorToken: string;
}

export interface SessionStageOptions {
  /** Default pro. */
  plan?: Plan;
  /** Default 100. */
  credits?: number;
  /** Whether a worker accepts launches. Default true. */
  hasWorker?: boolean;
  environment?: Record<string, string>;
  /** Default: the real ones, but for sessions without heartbeats, which stay. */
  policies?: WithApiOptions["policies"];
}

const ACCEPT_POLL_MS = 20;
/** Workers that stand in send heartbeats only where a test does. The service would take one for lost after 6 s, which a
 *  busy machine needs for a few calls. */
const PATIENT_WATCHDOG = { ...SESSION_POLICIES.watchdog, graceMs: 3_600_000 };

/** A join token for the avatar, of our own server or signed with another `secret`. */
export async function mintJoinToken(
  roomName: string,
  options: { identity?: string; ttl?: number; secret?: string } = {},
): Promise<string> {
  const access = await useLiveKit();
  const token = new AccessToken(access.apiKey, options.secret ?? access.apiSecret, {
    identity: options.identity ?? "the-avatar",
    ttl: options.ttl ?? 600,
  });
  token.addGrant({ roomJoin: true, room: roomName });
  token.kind = "agent";
  return token.toJwt();
}

/** Gives `work` an account with a ready agent. */
export async function withSessions(
  options: SessionStageOptions,
  work: (stage: SessionStage) => Promise<void>,
): Promise<void> {
  const livekit = await useLiveKit();
  await withApi(
    async (api) => {
      const { account, secret } = await api.addAccount({ plan: options.plan, credits: options.credits ?? 100 });
      const { userId } = account;
      const agentCode = await addAgent(api.services, { userId });
      const workers: ControlRoomWorker[] = [];
      const standIn = options.hasWorker === false ? null : acceptLaunches(api, livekit);
      const launchBody: SessionStage["launchBody"] = async (roomName, changes = {}) => ({
        mode: "gpu",
        agent_id: agentCode,
        livekit_url: livekit.url,
        livekit_token: await mintJoinToken(roomName),
        room_name: roomName,
        ...changes,
      });
      const launch: SessionStage["launch"] = async (roomName, changes) =>
        api.call("POST", LAUNCH, { secret, body: await launchBody(roomName, changes) });
      const serve = async (id: string, changes: object = {}) => {
        const worker = await joinControlRoom(livekit, id);
        workers.push(worker);
        const token = worker.metadata.runtime_token;
        const live = { event: "live", ...changes };
        const answer = await api.call("POST", `/v1/runtime/sessions/${id}/events`, { bearer: token, body: live });
        if (answer.status !== 200) throw new Error(`not live: ${JSON.stringify(answer.body)}`);
        return { id, worker, token };
      };
      const goLive: SessionStage["goLive"] = async (roomName) => serve((await launch(roomName)).body.session_id);
      const converse: SessionStage["converse"] = async (visitor = "a visitor", changes) => {
        const body = { agent_id: agentCode, fingerprint: visitor };
        const minted = await api.call("POST", "/v1/embed-tokens/request", { secret, body });
        const embedToken: string = minted.body.data.token;
        const started = await api.call("POST", "/embed/session", { bearer: embedToken, body: {} });
        if (started.status !== 200) throw new Error(`not started: ${JSON.stringify(started.body)}`);
        const { room_name: roomName, token: visitorToken } = started.body;
        const { id } = await api.services.database
          .selectFrom("avatar_sessions")
          .select("id")
          .where("room_name", "=", roomName)
          .where("status", "<>", "ended")
          .executeTakeFirstOrThrow();
        return { ...(await serve(id, changes)), roomName, embedToken, visitorToken };
      };
      try {
        await work({ api, livekit, userId, secret, agentCode, launchBody, launch, goLive, converse });
      } finally {
        await standIn?.close();
        for (const worker of workers) await worker.leave();
      }
    },
    {
      livekit,
      environment: options.environment,
      policies: { watchdog: PATIENT_WATCHDOG, ...options.policies },
    },
  );
}

/** Accepts every launch like a worker without a limit: over HTTP, with the token of its dispatch. */
export function acceptLaunches(api: TestApi, livekit: LiveKitAccess): { close(): Promise<void> } {
  let isClosed = false;
  const loop = (async () => {
    while (!isClosed) {
      const waiting = await api.services.database
        .selectFrom("avatar_sessions")
        .select("id")
        .where("status", "=", "starting")
        .where("accepted_at", "is", null)
        .where("is_self_hosted", "=", false)
        .execute();
      for (const { id } of waiting) {
        // A session that is to be dispatched may end first.
        const dispatch = await readDispatch(livekit, id);
        if (!dispatch) continue;
        const bearer = dispatch.runtime_token;
        await api.call("POST", `/v1/runtime/sessions/${id}/events`, { bearer, body: { event: "accepted" } });
      }
      await new Promise((resolve) => setTimeout(resolve, ACCEPT_POLL_MS));
    }
  })();
  return {
    close() {
      isClosed = true;
      return loop;
    },
  };
}
