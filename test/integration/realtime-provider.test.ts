// A conversation that the account's realtime server leads: everything real, with our own realtime server at the other
// end, in this process.
import t from "tap";
import { speakTexts } from "../../cli/conversation/person-voice.ts";
import { WIRE_FORMS } from "../helpers/servers/chat-wire-forms.ts";
import { withRealtimeServer } from "../helpers/servers/with-realtime-server.ts";
import { callStack, visitAgent } from "../helpers/service/visit-agent.ts";
import { withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

/** Ends only a test that hangs. */
const SLOW_MS = 240_000;
const [{ words }] = WIRE_FORMS;
const STORY = Array.from({ length: 30 }, (_, i) => `This is sentence number ${i + 1} of a story. `);

t.test(
  "a realtime server recognises speech, answers and speaks for an agent, until it fails",
  { timeout: SLOW_MS },
  async (t) => {
    const [story, stop] = await speakTexts(["Please tell me a long story.", "Stop it now, please."]);
    const reply = ({ body }: { body: { messages?: { role: string; content: string }[] } }) => {
      const last = body?.messages?.at(-1)?.content ?? "";
      const system = body?.messages?.[0].content ?? "";
      if (/Say exactly/.test(system)) return { body: words([/Say exactly[^\n]*\n(.*)/.exec(system)?.[1] ?? ""]) };
      return { body: words(/stop/i.test(last) ? ["All right."] : STORY) };
    };
    await withStack(
      (stack) =>
        withRealtimeServer({ reply }, async (realtime) => {
          const { data: me } = await callStack(stack, "GET", "/v1/me");
          const entry = {
            id: "mine",
            platform: "openai",
            credentials: { baseUrl: realtime.baseUrl, apiKey: realtime.token },
            options: { realtime: { model: "service-realtime", voice: "F1" } },
          };
          t.match(await callStack(stack, "PUT", `/v2/${me.user_id}/providers`, { entries: [entry] }), {
            httpStatus: 200,
          });
          const providers = { realtime: { mode: "custom", provider_id: "mine" } };
          t.match(await callStack(stack, "POST", `/v1/agent/${stack.agentCode}`, { providers }), { httpStatus: 200 });
          const { person, roomName } = await visitAgent(stack, "v".repeat(32), { isWatching: false });
          const shown = (text: RegExp) => person.texts.some((one) => text.test(one.text));
          const isQuiet = () => person.state === "listening";
          const kept = async () => {
            const { data } = await callStack(stack, "GET", `/v2/${me.user_id}/runtime-sessions`);
            const { id } = data.sessions.find((one: { room_name: string }) => one.room_name === roomName);
            return (await callStack(stack, "GET", `/v2/${me.user_id}/runtime-sessions/${id}/messages`)).data.messages;
          };

          await t.test("it greets with the agent's words", async () => {
            await waitFor(() => shown(/Mona Lisa/), "the greeting", 60_000);
            await waitFor(isQuiet, "the greeting is over");
          });

          await t.test("it answers, and the person can cut in", async (t) => {
            const { endMs } = await person.say(story);
            await waitFor(() => shown(/^This is sentence number 1 /), "it answers");
            await waitFor(() => person.soundSince(endMs).length > 0, "it is heard");
            t.ok(shown(/long story/), "what was heard is shown");
            await waitFor(() => shown(/^This is sentence number 2 /), "it goes on");
            await person.say(stop);
            await waitFor(() => shown(/^All right/), "it answers that");
            await waitFor(isQuiet, "the answer is over");
            const messages = await waitFor(async () => {
              const all = await kept();
              return all.length === 5 && all;
            }, "all messages");
            t.match(
              messages.map(({ role }: { role: string }) => role),
              ["assistant", "user", "assistant", "user", "assistant"],
            );
            t.ok(messages[2].message.length < STORY.join("").length / 2, `only what was heard: ${messages[2].message}`);
            const told = realtime.chat.requests
              .at(-1)
              ?.body.messages.findLast(({ role }: { role: string }) => role === "assistant").content;
            t.ok(told.length < STORY.join("").length / 2, `the server knows only that, too: ${told}`);
            t.ok(person.soundSince(endMs).length > 0);
          });

          await t.test("what is typed is answered", async () => {
            await person.type("Please stop.");
            await waitFor(async () => (await kept()).length === 7, "the answer");
          });

          await t.test("its end is not the conversation's: the service's own parts take over", async (t) => {
            await realtime.server.close();
            await person.type("Are you still there?");
            // Without a model of the service it answers by rules and from documents.
            await waitFor(() => shown(/Yes, I'm here/), "the avatar speaks with its own voice", 60_000);
            t.ok(true);
          });
          await person.close();
        }),
      { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1", AVATAR_FIND_MODEL: "0" },
    );
  },
);
