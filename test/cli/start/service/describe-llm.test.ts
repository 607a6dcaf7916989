import t from "tap";
import { describeLlm } from "../../../../cli/start/service/describe-llm.ts";
import { parseConfig } from "../../../../program/config.ts";

const HERE = parseConfig({});

t.test("the summary of a start names the language model, or says how to get one", async (t) => {
  const found = { model: "llama3.2:3b", baseUrl: "http://127.0.0.1:11434/v1" };
  t.equal(describeLlm(found, HERE), "llama3.2:3b at http://127.0.0.1:11434/v1");
  const secret = { model: "m", baseUrl: "https://user:password@models.example/v1?key=secret" };
  t.equal(describeLlm(secret, HERE), "m at https://models.example/v1", "without credentials");
  t.match(describeLlm(null, HERE), /avatars answer from documents: .*doctor llm/);
  for (const elsewhere of [{ HOST: "0.0.0.0" }, { AVATAR_FIND_MODEL: "0" }]) {
    t.equal(
      describeLlm(null, parseConfig(elsewhere)),
      "none, so avatars answer from documents: set OPENAI_BASE_URL",
      "what is not looked for is not found",
    );
  }
});
