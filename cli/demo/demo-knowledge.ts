// Gives an agent a document: an organization with a knowledge base, as a customer would make it.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";

export interface DemoKnowledgeOptions {
  baseUrl: string;
  /** Secret of an account with the Pro plan or higher, which owns the agent. */
  apiSecret: string;
  agentCode: string;
  systemPrompt: string;
  document: { name: string; text: string };
}

const idSchema = z.object({ id: z.string() });
const secretSchema = z.object({ secret: z.string() });
const basesSchema = z.object({ kbs: z.array(z.object({ id: z.string(), status: z.string() })) });
const BUILD_TIMEOUT_MS = 60_000;
const POLL_MS = 250;

/** Uploads the document, builds a base of it, and lets the agent use it. Throws Error if the service refuses. */
export async function addDemoKnowledge(options: DemoKnowledgeOptions): Promise<void> {
  const { baseUrl, apiSecret, agentCode, systemPrompt, document } = options;
  const call = async (method: string, path: string, secret: string, body?: object | FormData) => {
    const isForm = body instanceof FormData;
    const answer = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { "api-secret": secret, ...(body && !isForm && { "content-type": "application/json" }) },
      body: isForm ? body : body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 200)}`);
    return text === "" ? {} : (JSON.parse(text) as unknown);
  };
  const { id: organization } = idSchema.parse(await call("POST", "/v2/organizations", apiSecret, { name: "Pottery" }));
  const path = `/v2/organizations/${organization}/api-secrets`;
  const { secret } = secretSchema.parse(await call("POST", path, apiSecret, { alias: "demo" }));
  const form = new FormData();
  form.append("file", new Blob([document.text]), document.name);
  const file = idSchema.parse(await call("POST", "/v1/knowledge/files", secret, form));
  const base = { name: "Teapots", file_ids: [file.id] };
  const made = idSchema.parse(await call("POST", "/v1/knowledge/kbs", secret, base));
  const deadline = performance.now() + BUILD_TIMEOUT_MS;
  for (;;) {
    const { kbs } = basesSchema.parse(await call("GET", "/v1/knowledge/kbs", secret));
    const status = kbs.find(({ id }) => id === made.id)?.status;
    if (status === "ready") break;
    if (status === "failed" || performance.now() > deadline) throw new Error(`the document is ${status}`);
    await delay(POLL_MS);
  }
  await call("POST", `/v1/agent/${encodeURIComponent(agentCode)}`, secret, {
    system_prompt: systemPrompt,
    kb_ids: [made.id],
  });
}
