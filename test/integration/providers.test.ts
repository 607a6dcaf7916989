// A conversation on the account's own servers: everything real but those servers.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import t from "tap";
import { speakTexts } from "../../cli/conversation/person-voice.ts";
import { replyWell, replyWith, withProviderServer } from "../helpers/servers/with-provider-server.ts";
import { callStack, type Visit, visitAgent } from "../helpers/service/visit-agent.ts";
import { type TestStack, withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

/** Ends only a test that hangs. */
const SLOW_MS = 240_000;
const KEY = "sk-the-key-of-the-account";
/** What the avatar says to a question that no document answers. */
const DECLINED = /I don't know that/;
const PARTS = { llm: "mine", stt: "mine", tts: "mine" };

/** Visits the agent and waits until the avatar has greeted. */
async function visit(stack: TestStack, visitor: string): Promise<Visit> {
  const visited = await visitAgent(stack, visitor.repeat(32), { isWatching: false });
  const { person } = visited;
  await waitFor(() => person.texts.some(({ text }) => /Mona Lisa/.test(text)), "it greets");
  await waitFor(() => person.state === "listening", "the greeting is over");
  return visited;
}

t.test("a conversation on the account's own servers", { timeout: SLOW_MS }, async (t) => {
  const [question] = await speakTexts(["Please tell me how the weather is today."]);
  await withProviderServer((provider) =>
    withStack(
      async (stack) => {
        const rowOf = async (roomName: string) => {
          const database = new pg.Client({ connectionString: stack.databaseUrl });
          await database.connect();
          const { rows } = await database.query("select * from avatar_sessions where room_name = $1", [roomName]);
          await database.end();
          return rows[0];
        };
        const { data: me } = await callStack(stack, "GET", "/v1/me");
        const path = `/v2/${me.user_id}/providers`;
        const select = (ids: Record<string, string>) =>
          callStack(stack, "POST", `/v1/agent/${stack.agentCode}`, {
            providers: Object.fromEntries(
              Object.entries(ids).map(([kind, id]) => [
                kind,
                id === "default" ? id : { mode: "custom", provider_id: id },
              ]),
            ),
          });
        const entry = {
          id: "mine",
          platform: "openai",
          credentials: { baseUrl: `${provider.baseUrl}/chat/completions`, apiKey: KEY },
          options: { llm: { model: "m" }, stt: { model: "e" }, tts: { model: "v", voice: "nova" } },
        };
        const own = await visit(stack, "0");
        t.match(await callStack(stack, "PUT", path, { entries: [entry] }), { httpStatus: 200 });
        t.match(await select(PARTS), { httpStatus: 200, updated: true });
        provider.use(replyWell({ answer: "The sun shines today.", transcript: "Tell me of the weather" }));

        const { person, roomName } = await visit(stack, "1");
        const shown = (text: RegExp) => person.texts.some((one) => text.test(one.text));
        const texts = async () =>
          (await callStack(stack, "GET", `/v2/${me.user_id}/runtime-sessions/${(await rowOf(roomName)).id}/messages`))
            .data.messages;

        await t.test("it recognises speech, answers and speaks there, with the account's key", async (t) => {
          t.ok(provider.count("speech") > 0, "the greeting is spoken there");
          const { endMs } = await person.say(question);
          await waitFor(() => shown(/Tell me of the weather/), "what was heard is shown");
          await waitFor(() => shown(/^The sun shines today/), "it answers");
          await waitFor(() => person.soundSince(endMs).length > 0, "it is heard");
          await waitFor(() => person.state === "listening", "the answer is over");
          for (const { route, headers } of provider.requests) t.equal(headers.authorization, `Bearer ${KEY}`, route);
          const chat = provider.requests.find(({ route }) => route === "chat");
          t.match(chat?.body, { model: "m", user: "1".repeat(32) });
          t.match(chat?.headers, { "x-livekit-room-id": /^RM_/, "x-livekit-job-id": /^AJ_/ });
          const speech = provider.requests.filter(({ route }) => route === "speech").at(-1);
          t.match(speech?.body, { model: "v", voice: "nova", input: /sun shines/ });
          // Messages may be kept a second after they were said.
          const answer = await waitFor(async () => {
            const last = (await texts()).at(-1);
            return last.role === "assistant" && last;
          }, "the answer is kept");
          t.equal(answer.message, "The sun shines today.");
        });

        await t.test("a session that began before the selection keeps the service's own parts", async (t) => {
          const asked = provider.requests.length;
          await own.person.type("Does the sun shine?");
          // Without a model it answers from documents, and knows nothing of the weather.
          await waitFor(() => own.person.texts.some(({ text }) => DECLINED.test(text)), "it answers by itself");
          t.equal(provider.requests.length, asked);
          await own.person.close();
        });

        await t.test("a provider that is removed in the middle of a conversation stays until its end", async (t) => {
          t.match(await callStack(stack, "PUT", path, { entries: [] }), { httpStatus: 200 });
          const { data } = await callStack(stack, "GET", `/v1/agent/${stack.agentCode}`);
          t.match(data.providers, { llm: { mode: "custom", provider_id: "mine", available: false } });
          const asked = provider.count("chat");
          await person.type("And tomorrow?");
          await waitFor(() => provider.count("chat") > asked, "the provider is asked");
          await waitFor(() => person.state === "listening", "the answer is over");
        });

        await t.test("a provider that fails is answered for by the service", async (t) => {
          provider.use(replyWith(401));
          const question = "What if your key is wrong?";
          await person.type(question);
          const answer = await waitFor(async () => {
            const messages = await texts();
            const at = messages.findIndex(({ message }: { message: string }) => message === question);
            return at >= 0 && messages[at + 1];
          }, "it says so");
          t.match(answer, { role: "assistant", message: /can't answer right now/ });
        });

        await t.test("its minutes cost no chat line", async (t) => {
          await waitFor(async () => (await rowOf(roomName)).served_deciseconds > 0, "a heartbeat");
          await person.close();
          t.match(await rowOf(roomName), { mind: "provider", chat_deciseconds: 0 });
        });

        await t.test("the next session falls back to the service's own parts", async (t) => {
          const asked = provider.requests.length;
          const next = await visit(stack, "2");
          await next.person.type("Does the sun shine?");
          await waitFor(() => next.person.texts.some(({ text }) => DECLINED.test(text)), "it answers by itself");
          t.equal(provider.requests.length, asked);
          t.match(await rowOf(next.roomName), { mind: "none" });
          await next.person.close();
        });

        await t.test("no log has the key, or anything that was said", async (t) => {
          const logs = await Promise.all(
            ["api", "worker"].map((name) => readFile(join(stack.dataDir, "logs", `${name}.log`), "utf8")),
          );
          t.match(logs[0], /selected provider not available, own part used/);
          t.match(logs[1], /provider failed, own part used/);
          t.notMatch(logs.join(), new RegExp(`${KEY}|sk-leaked|sun shine|Tell me of`));
        });
      },
      { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1", AVATAR_FIND_MODEL: "0" },
    ),
  );
});
