// Ids that answers bring: the requests after them use them.
import type { KnownValues } from "./request-draft.ts";

/** By operation: the placeholder, and where its value stands in the answer. */
const LEARNED: Readonly<Record<string, readonly [placeholder: string, ...path: string[]]>> = {
  "agents.generate": ["AGENT_CODE", "agent_id"],
  "accounts.me": ["USER_ID", "data", "user_id"],
  "videos.generate": ["JOB_ID", "job_id"],
  "runtimeTokens.request": ["SESSION_ID", "session_id"],
  "sessions.launch": ["SESSION_ID", "session_id"],
  "files.upload": ["FILE_ID", "data", "id"],
  "knowledgeFiles.create": ["FILE_ID", "id"],
  "knowledgeBases.create": ["KB_ID", "id"],
  "webhooks.create": ["WEBHOOK_ID", "data", "id"],
  "organizations.create": ["ORG_ID", "id"],
};

/** What the answer of an operation tells; empty if nothing. */
export function learnedValues(operationId: string, answer: unknown): KnownValues {
  const [placeholder, ...path] = LEARNED[operationId] ?? [];
  if (placeholder === undefined) return {};
  const value = path.reduce<unknown>((part, name) => (part as Record<string, unknown> | null)?.[name], answer ?? {});
  return typeof value === "string" && value !== "" ? { [placeholder]: value } : {};
}
