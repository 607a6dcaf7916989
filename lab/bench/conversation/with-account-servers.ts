// The model and voice servers of a stage as providers of its account, which are reached through the address guard.
import { z } from "zod";
import type { ConversationStage } from "./conversation-stage.ts";

const REQUEST_TIMEOUT_MS = 30_000;
const accountSchema = z.object({ data: z.object({ user_id: z.string() }) });

/** Conversations that begin during `work` use the account's servers, afterwards the service's own parts again. Throws
 *  Error for a stage with the built-in voice. */
export async function withAccountServers<T>(stage: ConversationStage, work: () => Promise<T>): Promise<T> {
  const { chat, speech, service } = stage;
  if (!speech) throw new Error("a provider needs the voice server");
  const { data } = accountSchema.parse(await call(stage, "GET", "/v1/me"));
  const providers = `/v2/${data.user_id}/providers`;
  const agent = `/v1/agent/${service.agentCode}`;
  const entry = (id: string, baseUrl: string) => ({
    id,
    platform: "openai",
    credentials: { baseUrl, apiKey: "bench" },
    options: { llm: { model: "bench" }, tts: { model: "bench", voice: "bench" } },
  });
  await call(stage, "PUT", providers, { entries: [entry("llm", chat.baseUrl), entry("voice", speech.baseUrl)] });
  try {
    const custom = (id: string) => ({ mode: "custom", provider_id: id });
    await call(stage, "POST", agent, { providers: { llm: custom("llm"), tts: custom("voice") } });
    return await work();
  } finally {
    await call(stage, "POST", agent, { providers: { llm: "default", tts: "default" } });
    await call(stage, "PUT", providers, { entries: [] });
  }
}

async function call({ service }: ConversationStage, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${service.client.baseUrl}${path}`, {
    method,
    headers: { "api-secret": service.apiSecret, ...(body && { "content-type": "application/json" }) },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return answer.json();
}
