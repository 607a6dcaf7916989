// The samples of the API reference, run as a reader runs them: by curl, Node and Python, against the whole service.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import wrtc from "@roamhq/wrtc";
import { AccessToken } from "livekit-server-sdk";
import t from "tap";
import { writeWav } from "../../src/signal/audio/wav.ts";
import { ApiDocument, type WireDocument } from "../../web/docs/api-document.ts";
import { draftOf, type KnownValues, planRequest } from "../../web/docs/request-draft.ts";
import { curlSample } from "../../web/shared/code/sample-curl.ts";
import { pythonSample } from "../../web/shared/code/sample-python.ts";
import { typeScriptSample } from "../../web/shared/code/sample-typescript.ts";
import { makeDataFolder } from "../helpers/files/data-folder.ts";
import { type TestStack, withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

const run = promisify(execFile);
const SAMPLE_TIMEOUT_MS = 60_000;

const PROGRAMS = {
  curl: { name: "sample.sh", command: "sh", write: curlSample },
  // What is written has no types, so that Node runs it as it is.
  typescript: { name: "sample.mjs", command: process.execPath, write: typeScriptSample },
  python: { name: "sample.py", command: "python3", write: pythonSample },
} as const;
type Language = keyof typeof PROGRAMS;

const hasPython = await run("python3", ["--version"]).then(
  () => true,
  () => false,
);
const ALL = (Object.keys(PROGRAMS) as Language[]).filter((language) => language !== "python" || hasPython);

interface Sample {
  languages?: readonly Language[];
  values?: KnownValues;
  /** Fields of the body that the example cannot know. */
  fields?: Record<string, unknown>;
  secret?: string;
}

t.test("samples do what they say", { timeout: 280_000 }, async (t) => {
  const folder = await makeDataFolder(t);
  await withStack(
    async (stack) => {
      const { secretOf, sample } = await readerOf(stack, folder);

      await t.test("an agent is made, and its status is read", async () => {
        const made = await sample("agents.generate", { languages: ["python"] });
        const code = textOf(made, "agent_id");
        t.match(await sample("agents.status", { languages: ["curl"], values: { AGENT_CODE: code } }), code);
        t.match(await sample("agents.get"), stack.agentCode);
        t.match(await sample("agents.list", { languages: ["typescript"] }), stack.agentCode);
        t.match(await sample("agents.update", { languages: ["python"] }), /updated/);
      });

      await t.test("it gets a token for a page, joins a room and speaks there", async () => {
        t.match(await sample("embedTokens.create"), /supported_models/);
        const { url: LIVEKIT_URL, apiKey, apiSecret } = stack.livekit;
        const token = new AccessToken(apiKey, apiSecret, { identity: "avatar", ttl: 600 });
        token.addGrant({ roomJoin: true, room: "lobby" });
        token.kind = "agent";
        const values = { LIVEKIT_URL, LIVEKIT_TOKEN: await token.toJwt() };
        t.match(await sample("runtimeTokens.mint", { values, languages: ["typescript"] }), /scoped_token/);
        const launched = await sample("runtimeTokens.request", { values, languages: ["typescript"] });
        const session = { SESSION_ID: textOf(launched, "session_id") };
        await stack.client.waitUntilLive(session.SESSION_ID, 30_000);
        t.match(await sample("agents.speak"), /lobby/);
        t.match(await sample("sessions.get", { values: session, languages: ["python"] }), session.SESSION_ID);
        t.match(await sample("sessions.end", { values: session, languages: ["curl"] }), /ended|true/i);
      });

      await t.test("a voice is made and written down", async () => {
        await sample("speech.synthesize");
        t.equal((await readFile(join(folder, "answer.wav"))).subarray(0, 4).toString(), "RIFF");
        const silence = { samples: new Int16Array(16_000), sampleRateHz: 16_000 };
        await writeFile(join(folder, "speech.wav"), writeWav(silence));
        t.match(await sample("transcriptions.create"), /text/);
      });

      await t.test("it is filmed", async () => {
        const job = { JOB_ID: textOf(await sample("videos.generate", { languages: ["curl"] }), "job_id") };
        t.match(await sample("videos.get", { values: job, languages: ["python"] }), /video_url/);
      });

      await t.test("a realtime call is opened", async (t) => {
        const peer = new wrtc.RTCPeerConnection();
        t.teardown(() => peer.close());
        peer.createDataChannel("oai-events");
        peer.addTransceiver("audio");
        await peer.setLocalDescription(await peer.createOffer());
        await writeFile(join(folder, "offer.sdp"), peer.localDescription?.sdp ?? "");
        await sample("realtime.connect", { languages: ["python"] });
        t.match(await readFile(join(folder, "answer.sdp"), "utf8"), /^v=0/);
        t.match(await sample("models.list"), /whisper-1/);
      });

      await t.test("a webhook is kept, listed and deleted", async () => {
        const fields = { url: "https://127.0.0.1:9/hook" };
        const made = await sample("webhooks.create", { fields, languages: ["python"] });
        const webhook = { WEBHOOK_ID: textOf(made, "id") };
        t.match(await sample("webhooks.list"), webhook.WEBHOOK_ID);
        t.match(await sample("webhooks.delete", { values: webhook, languages: ["typescript"] }), /success/);
      });

      await t.test("a document is searched", async (t) => {
        const handbook = createServer((_, response) => response.end("The museum opens at nine in the morning."));
        await new Promise<void>((resolve) => handbook.listen(0, "127.0.0.1", resolve));
        t.teardown(() => handbook.close());
        const { port } = handbook.address() as AddressInfo;
        const organization = await sample("organizations.create", { languages: ["curl"] });
        const ORG_ID = textOf(organization, "id");
        const secret = secretOf(
          await sample("organizationSecrets.create", { values: { ORG_ID }, languages: ["curl"] }),
        );
        const fields = { url: `http://127.0.0.1:${port}/handbook.txt`, name: "handbook.txt" };
        const file = await sample("knowledgeFiles.create", { fields, secret, languages: ["python"] });
        const values = { FILE_ID: textOf(file, "id") };
        const base = await sample("knowledgeBases.create", { values, secret, languages: ["typescript"] });
        const search = { values: { KB_ID: textOf(base, "id") }, secret };
        const isReady = async () => /ready/.test(await sample("knowledgeBases.list", { secret, languages: ["curl"] }));
        await waitFor(isReady, "the knowledge base is built", 60_000);
        t.match(await sample("knowledgeBases.search", search), /nine in the morning/);
      });

      await t.test("the account is described", async () => {
        t.match(await sample("accounts.me"), /credit_balance/);
        t.match(await sample("system.readiness"), /checks/);
      });
    },
    { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" },
  );
});

async function readerOf(stack: TestStack, folder: string) {
  const response = await fetch(`${stack.baseUrl}/openapi.json`);
  const api = new ApiDocument((await response.json()) as WireDocument);

  /** Runs the sample of an operation, by default in each language. Returns what the last one printed. Rejects if one
   *  fails or prints an error. */
  async function sample(id: string, { languages = ALL, values = {}, fields, secret }: Sample = {}): Promise<string> {
    const operation = api.operations.get(id);
    if (!operation) throw new Error(`no operation ${id}`);
    const draft = draftOf(api, operation, { AGENT_CODE: stack.agentCode, ...values });
    const bodyText = fields ? JSON.stringify({ ...JSON.parse(draft.bodyText ?? "{}"), ...fields }) : draft.bodyText;
    const request = planRequest(api, operation, { draft: { ...draft, bodyText }, base: `${stack.baseUrl}/` });
    let printed = "";
    const runnable = languages.filter((language) => ALL.includes(language));
    for (const language of runnable.length > 0 ? runnable : (["curl"] as const)) {
      const { name, command, write } = PROGRAMS[language];
      await writeFile(join(folder, name), write(request));
      const { stdout } = await run(command, [name], {
        cwd: folder,
        timeout: SAMPLE_TIMEOUT_MS,
        env: { PATH: process.env.PATH, AVATAR_API_SECRET: secret ?? stack.apiSecret },
      });
      if (/["']?status["']?: ?["']error["']/.test(stdout)) throw new Error(`${id} in ${language}: ${stdout}`);
      printed = stdout;
    }
    return printed;
  }

  return { sample, secretOf: (printed: string) => textOf(printed, "secret") };
}

/** A text by its name, in JSON or as Node or Python print it. */
function textOf(printed: string, name: string): string {
  const [, value] = new RegExp(`\\b${name}["']?: ?["']([^"']+)["']`).exec(printed) ?? [];
  if (value === undefined) throw new Error(`no ${name} in ${printed}`);
  return value;
}
