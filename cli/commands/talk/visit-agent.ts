// Opens a conversation with an agent, as a visitor of its page does.
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { ApiError, type Client } from "../../../sdk/client/index.ts";
import { readAnswer } from "../../account/read-answer.ts";
import { CliError } from "../../terminal/cli-error.ts";

export interface AgentVisit {
  sessionId: string;
  livekitUrl: string;
  /** For the room. */
  token: string;
  agentName: string;
  /** How long what is said is kept; 0: not at all. */
  transcriptDays: number;
  /** Ends the session. Never throws. */
  end(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 30_000;
const tokenSchema = z.object({ token: z.string() });
const startedSchema = z.object({
  livekit_url: z.string(),
  room_name: z.string(),
  token: z.string(),
  agent: z.object({ name: z.string() }),
  transcript_days: z.number(),
});
const refusalSchema = z.object({ error: z.object({ code: z.string(), message: z.string(), httpStatus: z.number() }) });
const userSchema = z.object({ user_id: z.string() });
const sessionsSchema = z.array(z.object({ id: z.string(), room_name: z.string() }));

export interface VisitOptions {
  client: Client;
  baseUrl: string;
  agentCode: string;
  /** Whether the avatar greets first. */
  isGreeted: boolean;
}

/** Throws ApiError or CliError if the service refuses. */
export async function visitAgent({ client, baseUrl, agentCode, isGreeted }: VisitOptions): Promise<AgentVisit> {
  const minted = await client.embedTokens.create({ agent_id: agentCode, fingerprint: randomUUID() });
  const { token } = readAnswer(tokenSchema, minted);
  const started = readAnswer(startedSchema, await startSession(baseUrl, token, isGreeted));
  const { user_id } = readAnswer(userSchema, await client.accounts.me());
  const { items } = await client.sessions.list(user_id, { window: "live", agent_code: agentCode });
  const session = readAnswer(sessionsSchema, items).find(({ room_name }) => room_name === started.room_name);
  if (session === undefined) throw new CliError("unavailable", "The session has ended at once.");
  const { id: sessionId } = session;
  return {
    sessionId,
    livekitUrl: started.livekit_url,
    token: started.token,
    agentName: started.agent.name,
    transcriptDays: started.transcript_days,
    async end() {
      // It may have ended by itself.
      await client.sessions.terminate(user_id, sessionId, {}).catch(() => undefined);
    },
  };
}

/** The page's own call, which the client does not have. */
async function startSession(baseUrl: string, token: string, isGreeted: boolean): Promise<unknown> {
  const answer = await fetch(`${baseUrl}/embed/session`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ render: "stream", ...(!isGreeted && { greeting: "none" }) }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) return body;
  throw new ApiError(readAnswer(refusalSchema, body).error);
}
