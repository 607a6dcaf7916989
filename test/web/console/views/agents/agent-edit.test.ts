// What differs, what is sent, and which field a refusal is about.
import t from "tap";
import { type Agent, BadRequestError, ConnectionError } from "../../../../../sdk/client/index.ts";
import { fieldsOf, pruneEdit, refusedField, toUpdate } from "../../../../../web/console/views/agents/agent-edit.ts";

const agent = {
  name: "Nova",
  system_prompt: "You are Nova.",
  greeting: "Hello.",
  voice_id: "F1",
  kb_ids: ["b", "a"],
  providers: { llm: { mode: "custom", provider_id: "mine", available: true } },
} as unknown as Agent;

t.test("an edit holds only what differs from the service's record", async (t) => {
  t.match(fieldsOf(agent), { voice: "F1", llm: "mine", stt: "", tts: "", realtime: "" });
  t.same(pruneEdit(agent, { name: " Nova ", kb_ids: ["a", "b"], llm: "mine", stt: "" }), {});
  t.same(pruneEdit(agent, { name: "Otto", voice: "F1", kb_ids: [] }), { name: "Otto", kb_ids: [] });
});

t.test("the request has the changed fields alone, and a provider by its id or as the service's own", async (t) => {
  t.same(toUpdate({}), {});
  t.same(toUpdate({ name: " Otto ", greeting: "" }), { name: "Otto", greeting: "" });
  t.same(toUpdate({ llm: "", tts: "other" }), {
    providers: { llm: "default", tts: { mode: "custom", provider_id: "other" } },
  });
});

t.test("a refusal leads to its field", async (t) => {
  const refusal = (message: string) =>
    refusedField(new BadRequestError({ message, code: "VALIDATION_ERROR", httpStatus: 400 }));
  t.equal(refusal("name: Too big: expected string to have <=60 characters"), "name");
  t.equal(refusal('Unknown voice "x". Accepted: M1.'), "voice");
  t.equal(refusal('providers.tts: no provider has the id "x"'), "tts");
  t.equal(refusal("Knowledge base 1 belongs to another organization"), "kb_ids");
  t.equal(refusal("Something else"), undefined);
  t.equal(refusedField(new ConnectionError("name")), undefined);
});
