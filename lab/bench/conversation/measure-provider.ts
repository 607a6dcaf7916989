// The same answers on servers of the account: the model and voice servers of this benchmark, now as its providers,
// which are reached through the address guard.
import { z } from "zod";
import type { ConversationStage } from "./conversation-stage.ts";
import { type AnswerMetrics, measureAnswers } from "./measure-answers.ts";

const REQUEST_TIMEOUT_MS = 30_000;
const accountSchema = z.object({ data: z.object({ user_id: z.string() }) });

/** Says each question in turn until there were `turns`. Afterwards the agent uses the service's own parts again. */
export async function measureProvider(
  stage: ConversationStage,
  questions: readonly Int16Array[],
  turns: number,
): Promise<AnswerMetrics> {
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
    return await measureAnswers(stage, questions, turns);
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
