// The generated part of the client: the same as the document's, and whole.
import { readdir, readFile } from "node:fs/promises";
import t from "tap";
import { publicOperations } from "../../../lab/client/api-operations.ts";
import { generateClient } from "../../../lab/client/generate-client.ts";
import { writeCalls } from "../../../lab/client/write-calls.ts";
import { OPERATIONS } from "../../../sdk/client/generated/operations.gen.ts";

const GENERATED = new URL("../../../sdk/client/generated/", import.meta.url);
const document = JSON.parse(await readFile(new URL("../../../api/openapi.json", import.meta.url), "utf8"));

t.test("the committed client is that of the committed document", async (t) => {
  const fresh = await generateClient(document);
  t.same((await readdir(GENERATED)).sort(), Object.keys(fresh).sort());
  for (const [name, content] of Object.entries(fresh)) {
    const committed = await readFile(new URL(name, GENERATED), "utf8");
    t.ok(content === committed, `run \`npm run openapi\` after changing a route: ${name}`);
  }
});

t.test("every public operation has a call of its name, and nothing else has", async (t) => {
  const called = Object.entries(OPERATIONS).flatMap(([resource, verbs]) =>
    Object.keys(verbs).map((verb) => `${resource}.${verb}`),
  );
  const documented = publicOperations(document).map(({ operation }) =>
    operation.operationId.replace(/\.generate$/, ".create"),
  );
  t.same(called.sort(), documented.sort());
  t.notMatch(documented.join(), /runtimeSessions|realtime\.createEphemeralToken/);
});

t.test("a list without entries is an error of the generator", async (t) => {
  const operation = {
    operationId: "things.list",
    summary: "List things",
    security: [],
    responses: { 200: { content: { "application/json": { schema: { properties: { count: { type: "integer" } } } } } } },
  };
  const bad = { paths: { "/things": { get: operation } }, components: { schemas: {} } };
  t.throws(() => writeCalls(bad), /things\.list lists nothing/);
});
