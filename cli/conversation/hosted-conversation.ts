// Opens a hosted conversation as the embed page does, with a person of a script in it.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { ScriptedPerson, type ScriptedPersonOptions } from "./scripted-person.ts";

/** The part of a service that is needed. */
export interface ConversationService {
  client: { baseUrl: string; endAvatarSession(sessionId: string): Promise<void> };
  apiSecret: string;
  agentCode: string;
}

/** A message as `GET /v2/{user_id}/runtime-sessions/{id}/messages` has it. */
export type KeptMessage = z.infer<typeof messageSchema>;

export interface HostedConversation {
  person: ScriptedPerson;
  sessionId: string;
  roomName: string;
  userId: string;
  /** Oldest first. Throws Error if the service refuses. */
  messages(): Promise<KeptMessage[]>;
  /** Ends the session, and the person leaves. Idempotent. */
  close(): Promise<void>;
}

const messageSchema = z.object({ role: z.enum(["user", "assistant"]), message: z.string(), timestamp: z.string() });
const tokenSchema = z.object({ data: z.object({ token: z.string() }) });
const startedSchema = z.object({ livekit_url: z.string(), room_name: z.string(), token: z.string() });
const accountSchema = z.object({ data: z.object({ user_id: z.string() }) });
const sessionsSchema = z.object({ data: z.object({ sessions: z.array(z.object({ id: z.string() })) }) });
const messagesSchema = z.object({ data: z.object({ messages: z.array(messageSchema) }) });
const REQUEST_TIMEOUT_MS = 30_000;

/** Starts the session and joins its room. Throws Error if the service refuses. */
export async function openHostedConversation(
  service: ConversationService,
  options: Omit<ScriptedPersonOptions, "livekitUrl" | "token"> = {},
): Promise<HostedConversation> {
  const { agentCode, client } = service;
  const secret = { "api-secret": service.apiSecret };
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
  const fingerprint = randomUUID();
  const { data } = await call(tokenSchema, "/v1/embed-tokens/request", secret, { agent_id: agentCode, fingerprint });
  const { user_id: userId } = (await call(accountSchema, "/v1/me", secret)).data;
  const before = await call(sessionsSchema, `/v2/${userId}/runtime-sessions`, secret);
  const known = new Set(before.data.sessions.map(({ id }) => id));
  const started = await call(startedSchema, "/embed/session", { authorization: `Bearer ${data.token}` }, {});
  const after = await call(sessionsSchema, `/v2/${userId}/runtime-sessions`, secret);
  const sessionId = after.data.sessions.find(({ id }) => !known.has(id))?.id;
  if (sessionId === undefined) throw new Error("the new session is not in the list");
  const person = new ScriptedPerson({ ...options, livekitUrl: started.livekit_url, token: started.token });
  let closing: Promise<void> | undefined;
  const close = async () => {
    await client.endAvatarSession(sessionId).catch(() => undefined); // It may have ended already.
    await person.close();
  };
  try {
    await person.join();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    person,
    sessionId,
    roomName: started.room_name,
    userId,
    async messages() {
      const path = `/v2/${userId}/runtime-sessions/${sessionId}/messages`;
      return (await call(messagesSchema, path, secret)).data.messages;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}
