// The job description: everything a worker needs to run an avatar session.
import { setTimeout as delay } from "node:timers/promises";
import { ServiceError } from "../../../shared/errors.ts";
import type { ConversationEntry, JobDescription } from "../../../shared/runtime-api.ts";
import { chosenGreeting } from "../../agents/greeting.ts";
import { type Agent, type Artifact, artifactFor, isModelComing, speechOf } from "../../agents/record/agent.ts";
import { findAgentByCode } from "../../agents/record/agent-store.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import { listEarlier } from "../messages/list-earlier.ts";
import { listHistory } from "../messages/list-history.ts";
import type { AvatarSession } from "../record/avatar-session.ts";
import type { SessionServices } from "../session-services.ts";

/** Shorter than the timeout of a worker's request; it repeats that six times. A bake takes three seconds. */
const MODEL_WAIT_MS = 8_000;
const MODEL_POLL_MS = 60;
/** An embed page joins its room within seconds. A visitor who left before would hold a slot. */
const VISITOR_WAIT_S = 30;

export interface JobDescriptionOptions {
  services: SessionServices;
  session: AvatarSession;
  /** The caller's join token. */
  livekitToken: string;
  heartbeatIntervalS: number;
}

/** The job description of a session. Exactly one of `imx_url` and `portrait_url` is set. */
export async function describeJob(options: JobDescriptionOptions): Promise<JobDescription> {
  const { services, session, livekitToken, heartbeatIntervalS } = options;
  const agent = await agentOf(services, session);
  const base = `${services.config.http.apiUrl}/v1/runtime/sessions/${session.id}`;
  const model = modelOf(agent, session);
  const isComing = agent !== null && isModelComing(agent, session.family);
  const speech = speechOf(agent);
  return {
    avatar_session_id: session.id,
    agent_code: session.agentCode,
    agent_name: agent?.name ?? "Avatar",
    system_prompt: agent?.systemPrompt ?? "",
    voice_id: speech.voiceId,
    language: speech.language,
    model: session.model,
    imx_url: model || isComing ? `${base}/model` : null,
    imx_sha256: model?.sha256 ?? null,
    portrait_url: model || isComing ? null : `${base}/portrait`,
    livekit_url: session.livekitUrl,
    livekit_token: livekitToken,
    room_name: session.roomName,
    beat_interval_s: heartbeatIntervalS,
    conversation: session.hasConversation,
    ...(session.hasConversation && (await describeConversation(services, session, agent))),
    is_hosted: session.isHosted,
    ...(session.viewersMayRender && { viewers_may_render: true }),
    ...(session.viewersRender && { viewers_render: true }),
    ...(session.listens === false && { listen: false }),
    ...(session.isHosted && { idle_timeout_s: VISITOR_WAIT_S }),
    ...faceOf(session, agent),
    dynamics_enabled: agent?.dynamics.enabled ?? null,
    // The keys of an account are for its own sessions only.
    providers: agent?.userId === session.userId ? await services.describeProviders(agent) : null,
    open_segments: session.openSegments,
  };
}

/** Mood and manner of the face, where they were chosen. */
function faceOf(session: AvatarSession, agent: Agent | null): Pick<JobDescription, "emotion" | "manner"> {
  const emotion = session.emotion ?? agent?.emotion;
  const manner = session.manner ?? agent?.manner;
  return { ...(emotion && { emotion }), ...(manner && { manner }) };
}

/** What only a conversation needs. The avatar greets once: not if a message was reported before. */
async function describeConversation(
  { database, hasKnowledge }: SessionServices,
  session: AvatarSession,
  agent: Agent | null,
): Promise<Partial<JobDescription>> {
  const greeting = agent && session.lastMessageSeq === 0 ? chosenGreeting(agent, session.greeting ?? "own") : null;
  return {
    greeting: greeting?.text ?? null,
    ...(greeting?.language && { greeting_language: greeting.language }),
    end_user_id: session.endUserId ?? session.id,
    has_knowledge: agent !== null && (await hasKnowledge(database, agent)),
    history: await listHistory(database, session.id),
    earlier: session.remembersVisitor ? await earlierOf(database, session) : null,
    last_message_seq: session.lastMessageSeq,
    watched_seconds: session.cameraDeciseconds / 10,
  };
}

async function earlierOf(database: Queryable, session: AvatarSession): Promise<ConversationEntry[] | null> {
  const { userId, agentCode, endUserId, lastMessageSeq } = session;
  if (agentCode === null || endUserId === null || lastMessageSeq > 0) return null;
  return listEarlier(database, { userId, agentCode, endUserId });
}

/** Storage key of the session's `.imx`, or null if the avatar is baked from a portrait: in photo sessions, and for
 *  models without a file. Waits for a file that is being made, and throws SERVICE_UNAVAILABLE if that takes longer than
 *  a request may. */
export async function modelKeyOf(services: SessionServices, session: AvatarSession): Promise<string | null> {
  const deadlineMs = performance.now() + MODEL_WAIT_MS;
  for (;;) {
    const agent = await agentOf(services, session);
    const model = modelOf(agent, session);
    if (model || !agent || !isModelComing(agent, session.family)) return model?.key ?? null;
    if (performance.now() > deadlineMs) {
      throw new ServiceError("SERVICE_UNAVAILABLE", "The model is still being made. Try again.", {
        retryAfterSeconds: 1,
      });
    }
    await delay(MODEL_POLL_MS);
  }
}

/** Storage key of the portrait to bake from, or null. */
export async function portraitKeyOf(services: SessionServices, session: AvatarSession): Promise<string | null> {
  return session.portraitKey ?? (await agentOf(services, session))?.portraitKey ?? null;
}

function modelOf(agent: Agent | null, session: AvatarSession): Artifact | null {
  return agent && session.portraitKey === null ? artifactFor(agent, session.family) : null;
}

async function agentOf(
  { database, findSampleAgent }: SessionServices,
  { agentCode }: AvatarSession,
): Promise<Agent | null> {
  if (agentCode === null) return null;
  return (await findSampleAgent(agentCode)) ?? findAgentByCode(database, agentCode);
}
