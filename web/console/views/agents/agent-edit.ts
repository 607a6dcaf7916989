// What a person changes of an agent, until it is saved.
import { type Agent, type AgentsUpdateRequest, ApiError, type ProviderChoices } from "../../../../sdk/client/index.ts";
import { PROVIDER_KIND_NAMES, type ProviderKind } from "../../../../shared/provider-kinds.ts";

/** What can be changed. Providers are ids; empty for the service's own. */
export interface AgentFields extends Record<ProviderKind, string> {
  name: string;
  system_prompt: string;
  greeting: string;
  voice: string;
  kb_ids: readonly string[];
}

export type AgentField = keyof AgentFields;
export type AgentEdit = Partial<AgentFields>;

/** The fields of an agent as the service has them. */
export function fieldsOf(agent: Agent): AgentFields {
  const { name, system_prompt, greeting, voice_id: voice, kb_ids, providers } = agent;
  const chosen = PROVIDER_KIND_NAMES.map((kind) => [kind, providers?.[kind]?.provider_id ?? ""]);
  const selection = Object.fromEntries(chosen) as Record<ProviderKind, string>;
  return { name, system_prompt, greeting, voice, kb_ids, ...selection };
}

/** The edit without what the service has already. */
export function pruneEdit(agent: Agent, edit: AgentEdit): AgentEdit {
  const fields = fieldsOf(agent);
  const isNew = ([field, value]: [string, unknown]) => textOf(value) !== textOf(fields[field as AgentField]);
  return Object.fromEntries(Object.entries(edit).filter(isNew));
}

/** The request that makes the edit. */
export function toUpdate(edit: AgentEdit): AgentsUpdateRequest {
  const { name, system_prompt, greeting, voice, kb_ids } = edit;
  const providers: ProviderChoices = {};
  for (const kind of PROVIDER_KIND_NAMES) {
    const id = edit[kind];
    if (id !== undefined) providers[kind] = id === "" ? "default" : { mode: "custom", provider_id: id };
  }
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(system_prompt !== undefined && { system_prompt }),
    ...(greeting !== undefined && { greeting: greeting.trim() }),
    ...(voice !== undefined && { voice }),
    ...(kb_ids !== undefined && { kb_ids: [...kb_ids] }),
    ...(Object.keys(providers).length > 0 && { providers }),
  };
}

/** Beginnings of the service's refusals, with the field that each is about. */
const CAUSES: readonly (readonly [RegExp, AgentField])[] = [
  [/^(body\.)?name\b/, "name"],
  [/^(body\.)?system_prompt\b/, "system_prompt"],
  [/^(body\.)?greeting\b/, "greeting"],
  [/^((body\.)?voice\b|unknown voice)/i, "voice"],
  [/^((body\.)?kb_ids\b|(no )?knowledge bases?\b)/i, "kb_ids"],
  ...PROVIDER_KIND_NAMES.map((kind) => [new RegExp(`^(body\\.)?providers\\.${kind}\\b`), kind] as const),
];

/** The field that a refusal is about; undefined if it is about none of them. */
export function refusedField(error: unknown): AgentField | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return CAUSES.find(([beginning]) => beginning.test(error.message))?.[1];
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? [...value].sort().join() : String(value).trim();
}
