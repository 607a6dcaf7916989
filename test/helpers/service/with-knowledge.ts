import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { insertAvatarSession } from "../../../api/sessions/record/avatar-session-store.ts";
import { waitFor } from "../wait-for.ts";
import { newSession } from "./new-session.ts";
import { type TestAnswer, type TestApi, withApi } from "./with-api.ts";

const BUILD_MS = 120_000;

export interface KnowledgeStage {
  api: TestApi;
  userId: string;
  organizationId: string;
  /** Secret of the organization. */
  secret: string;
  personalSecret: string;
  call(method: string, path: string, body?: unknown): Promise<TestAnswer>;
  addFile(bytes: Buffer | string, fileName: string): Promise<string>;
  make(body: object): Promise<TestAnswer["body"]>;
  /** Waits for a base to leave the queue and returns its row of the list. */
  settled(id: string): Promise<TestAnswer["body"]>;
  search(id: string, query: string): Promise<{ text: string; heading: string; file_name: string }[]>;
}

/** Gives `work` the stage. */
export async function withKnowledge(
  work: (stage: KnowledgeStage) => Promise<void>,
  environment: Record<string, string> = {},
): Promise<void> {
  await withApi(
    async (api) => {
      await work(await addKnowledgeOwner(api));
    },
    { environment },
  );
}

/** Another organization on the same api. */
export async function addKnowledgeOwner(api: TestApi): Promise<KnowledgeStage> {
  const { account, secret: personalSecret } = await api.addAccount({ plan: "enterprise", credits: 1000 });
  const made = await api.call("POST", "/v2/organizations", { secret: personalSecret, body: { name: "Teapots" } });
  const organizationId: string = made.body.id;
  const issued = await api.call("POST", `/v2/organizations/${organizationId}/api-secrets`, {
    secret: personalSecret,
    body: { alias: "kb" },
  });
  const secret: string = issued.body.secret;
  const call: KnowledgeStage["call"] = (method, path, body) => api.call(method, path, { secret, body });
  const list = async () => (await call("GET", "/v1/knowledge/kbs")).body.kbs as TestAnswer["body"][];
  return {
    api,
    userId: account.userId,
    organizationId,
    secret,
    personalSecret,
    call,
    async addFile(bytes, fileName) {
      const form = new FormData();
      form.append("file", new Blob([typeof bytes === "string" ? bytes : new Uint8Array(bytes)]), fileName);
      const answer = await call("POST", "/v1/knowledge/files", form);
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return answer.body.id;
    },
    async make(body) {
      const answer = await call("POST", "/v1/knowledge/kbs", { name: "Shop", ...body });
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return answer.body;
    },
    settled: (id) =>
      waitFor(
        async () => (await list()).find((base) => base.id === id && !["queued", "building"].includes(base.status)),
        "the build",
        BUILD_MS,
      ),
    search: async (id, query) => (await call("POST", `/v1/knowledge/kbs/${id}/search`, { query })).body.results,
  };
}

/** A file of `test/fixtures/files`. */
export function fixtureFile(name: string): Promise<Buffer> {
  return readFile(fileURLToPath(new URL(`../../fixtures/files/${name}`, import.meta.url)));
}

/** A running session of an agent, with its worker's token. */
export async function insertTestSession(api: TestApi, userId: string, agentCode: string) {
  const session = await insertAvatarSession(
    api.services.database,
    newSession({ userId, agentCode, hasConversation: true, roomName: "room-1" }),
  );
  const { token } = await api.services.tokens.runtimeSession.mint({
    sub: session.id,
    dispatch: session.dispatchNumber,
  });
  return { id: session.id, token };
}
