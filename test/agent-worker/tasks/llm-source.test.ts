// The search for a language model while a conversation has none.
import t from "tap";
import { LlmSource } from "../../../agent-worker/tasks/llm-source.ts";
import { withChatServer } from "../../helpers/servers/with-chat-server.ts";

t.test("a configured server has to answer, and one that is missing is not asked again at once", async (t) => {
  let isThere = false;
  await withChatServer(
    () => (isThere ? { body: { object: "list", data: [] } } : { status: 503, body: {} }),
    async ({ baseUrl, requests }) => {
      let nowMs = 0;
      const settings = { baseUrl, apiKey: undefined, model: "talker", isSearched: true };
      const source = new LlmSource({ settings, host: "127.0.0.1", ownPorts: [], now: () => nowMs });
      t.match(await source.find(), { baseUrl, model: "talker" }, "a conversation begins with it all the same");
      t.equal(requests.length, 0);
      t.same(await Promise.all([source.findAgain(), source.findAgain(), source.findAgain()]), [null, null, null]);
      t.equal(requests.length, 1, "many conversations search together");
      isThere = true;
      t.equal(await source.findAgain(), null);
      t.equal(requests.length, 1);
      nowMs += 2_000;
      t.match(await source.findAgain(), { model: "talker" });
      isThere = false;
      t.equal(await source.findAgain(), null, "what was found does not count");
    },
  );
});
