import t from "tap";
import { describeMind } from "../../../cli/start/describe-mind.ts";

const HERE = { AVATAR_FIND_MODEL: true, HOST: "127.0.0.1" };

t.test("the summary of a start names the language model, or says how to get one", async (t) => {
  const found = { model: "llama3.2:3b", baseUrl: "http://127.0.0.1:11434/v1" };
  t.equal(describeMind(found, HERE), "llama3.2:3b at http://127.0.0.1:11434/v1");
  const secret = { model: "m", baseUrl: "https://user:password@models.example/v1?key=secret" };
  t.equal(describeMind(secret, HERE), "m at https://models.example/v1", "without credentials");
  t.match(describeMind(null, HERE), /ollama run llama3\.2/);
  for (const elsewhere of [
    { ...HERE, HOST: "0.0.0.0" },
    { ...HERE, AVATAR_FIND_MODEL: false },
  ]) {
    t.equal(describeMind(null, elsewhere), "none: set OPENAI_BASE_URL", "what is not looked for is not found");
  }
});
