// Starts a session as the embed page does.
import { randomUUID } from "node:crypto";
import { z } from "zod";

/** The part of a service that is needed. */
export interface EmbedService {
  client: { baseUrl: string };
  apiSecret: string;
  agentCode: string;
}

export interface EmbedSessionOptions {
  /** Who is to render. Default: a worker. */
  render?: "stream" | "local";
  /** `none`: the avatar says nothing first. Default: the agent's own greeting. */
  greeting?: "none";
}

/** A message as `GET /v2/{user_id}/runtime-sessions/{id}/messages` has it. */
export type KeptMessage = z.infer<typeof messageSchema>;

export interface EmbedSession {
  sessionId: string;
  roomName: string;
  userId: string;
  livekitUrl: string;
  /** The visitor's, for the room. */
  token: string;
  /** Oldest first. Throws Error if the service refuses. */
  messages(): Promise<KeptMessage[]>;
}

const messageSchema = z.object({ role: z.enum(["user", "assistant"]), message: z.string(), timestamp: z.string() });
const tokenSchema = z.object({ data: z.object({ token: z.string() }) });
const startedSchema = z.object({
  livekit_url: z.string(),
  room_name: z.string(),
  token: z.string(),
  renderer: z.string().optional(),
});
const accountSchema = z.object({ data: z.object({ user_id: z.string() }) });
const sessionsSchema = z.object({ data: z.object({ sessions: z.array(z.object({ id: z.string() })) }) });
const messagesSchema = z.object({ data: z.object({ messages: z.array(messageSchema) }) });
const REQUEST_TIMEOUT_MS = 30_000;

/** A session of a visitor of its own. Throws Error if the service refuses, or a worker renders where the page is to. */
export async function startEmbedSession(
  { client, apiSecret, agentCode }: EmbedService,
  { render = "stream", greeting }: EmbedSessionOptions = {},
): Promise<EmbedSession> {
  const secret = { "api-secret": apiSecret };
  const call = async <T>(schema: z.ZodType<T>, path: string, headers: Record<string, string>, body?: object) => {
    const answer = await fetch(`${client.baseUrl}${path}`, {
      method: body ? "POST" : "GET",
      headers: { ...headers, ...(body && { "content-type": "application/json" }) },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 200)}`);
    return schema.parse(JSON.parse(text));
  };
  const visitor = { agent_id: agentCode, fingerprint: randomUUID() };
  const { data } = await call(tokenSchema, "/v1/embed-tokens/request", secret, visitor);
  const { user_id: userId } = (await call(accountSchema, "/v1/me", secret)).data;
  const list = async () => (await call(sessionsSchema, `/v2/${userId}/runtime-sessions`, secret)).data.sessions;
  const known = new Set((await list()).map(({ id }) => id));
  const bearer = { authorization: `Bearer ${data.token}` };
  const started = await call(startedSchema, "/embed/session", bearer, { render, greeting });
  const sessionId = (await list()).find(({ id }) => !known.has(id))?.id;
  if (sessionId === undefined) throw new Error("the new session is not in the list");
  if (render === "local" && started.renderer !== "local") throw new Error("the service streams the face");
  return {
    sessionId,
    roomName: started.room_name,
    userId,
    livekitUrl: started.livekit_url,
    token: started.token,
    async messages() {
      const path = `/v2/${userId}/runtime-sessions/${sessionId}/messages`;
      return (await call(messagesSchema, path, secret)).data.messages;
    },
  };
}
