// The language model of a conversation: it is looked for while none answers, and given up when it fails.
import t from "tap";
import { AnsweringModel } from "../../../agent-worker/conversation/answering-model.ts";
import { createLogger } from "../../../program/log.ts";
import { LanguageModel } from "../../../src/conversation/llm/language-model.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const HERE = { baseUrl: "http://127.0.0.1:11434/v1", model: "llama3.2" };
const ELSEWHERE = { baseUrl: "https://models.example/v1", model: "large" };
const logger = createLogger({ level: "silent", name: "test" });

t.test("a model that is started is found, and named if it is on this machine", async (t) => {
  for (const [settings, foundName] of [
    [HERE, "llama3.2"],
    [ELSEWHERE, undefined],
  ] as const) {
    let searches = 0;
    const find = async () => {
      searches += 1;
      if (searches === 1) throw new Error("the worker is busy");
      return searches < 3 ? null : settings;
    };
    const model = new AnsweringModel({ provider: null, settings: null, find, logger, intervalMs: 5 });
    let changes = 0;
    model.start(() => {
      changes += 1;
    });
    t.equal(model.llm, null);
    await waitFor(() => model.llm !== null, "it is found");
    t.same([model.foundName, changes, searches], [foundName, 1, 3]);
    model.close();
  }
});

t.test("a model that fails answers again only if its server is there", async (t) => {
  let isThere = true;
  const find = async () => (isThere ? HERE : null);
  const model = new AnsweringModel({ provider: null, settings: HERE, find, logger, intervalMs: 5 });
  model.start(() => undefined);
  t.ok(model.llm);
  t.equal(model.foundName, undefined, "it was there from the beginning");
  model.failed();
  t.equal(model.llm, null);
  await waitFor(() => model.llm !== null, "its server is there");
  isThere = false;
  model.failed();
  await new Promise((resolve) => setTimeout(resolve, 30));
  t.equal(model.llm, null);
  isThere = true;
  await waitFor(() => model.llm !== null, "it came back");
  model.failed();
  model.close();
  await new Promise((resolve) => setTimeout(resolve, 30));
  t.equal(model.llm, null, "nothing is used after the end");
});

t.test("the account's own model is kept whatever happens", async (t) => {
  const provider = new LanguageModel(ELSEWHERE);
  const model = new AnsweringModel({ provider, settings: HERE, find: async () => HERE, logger, intervalMs: 5 });
  model.start(() => t.fail("nothing changes"));
  model.failed();
  t.equal(model.llm, provider);
  t.ok(model.isProvider);
  model.close();
});
