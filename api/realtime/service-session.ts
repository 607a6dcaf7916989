// What only the api knows about a call to our own realtime server: the person, and the agent of a call that names one.
import type { Account } from "../accounts/account.ts";
import { requireOwnAgent } from "../agents/agent-access.ts";
import { greetingOf } from "../agents/greeting.ts";
import { speechOf } from "../agents/record/agent.ts";
import type { Queryable } from "../kernel/database/database.ts";
import { kindOf } from "./calls/call-kinds.ts";

/** Sent in the header `X-Service-Session`; every field may be absent. */
export interface ServiceSession {
  /** The account, for the language model's server. */
  user?: string;
  mode?: "text" | "transcription";
  instructions?: string;
  greeting?: string;
  language?: string;
  voice_id?: string;
}

/** The session of a call. Throws NOT_FOUND if it names an agent that is not the caller's. */
export async function describeServiceSession(
  database: Queryable,
  { account, query }: { account: Account; query: Readonly<Record<string, string>> },
): Promise<ServiceSession> {
  if (kindOf(query) === "transcription") return { user: account.userId, mode: "transcription" };
  const base: ServiceSession = { user: account.userId, ...(query.mode === "text" && { mode: "text" }) };
  if (!query.agent) return base;
  const agent = await requireOwnAgent(database, account, query.agent);
  const { voiceId, language } = speechOf(agent);
  const greeting = greetingOf(agent);
  return {
    ...base,
    instructions: agent.systemPrompt,
    ...(greeting && { greeting }),
    language,
    voice_id: voiceId,
  };
}
