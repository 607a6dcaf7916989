// The OpenAPI document: complete, consistent, and the same as the committed one.
import { readFile } from "node:fs/promises";
import t from "tap";
import { withApi } from "../../../helpers/with-api.ts";

t.test("the committed document is the one that the routes declare", async (t) => {
  await withApi(async (api) => {
    const served = await api.call("GET", "/openapi.json");
    t.equal(served.status, 200);
    const committed = JSON.parse(await readFile(new URL("../../../../api/openapi.json", import.meta.url), "utf8"));
    t.same(served.body, committed, "run `npm run openapi` after changing a route");

    t.equal(served.body.info.version, "1.0", "the version is the contract's, not the program's");

    const operations = Object.entries<Record<string, Operation>>(served.body.paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, operation })),
    );
    t.equal(
      new Set(operations.map(({ operation }) => operation.operationId)).size,
      operations.length,
      "ids are unique",
    );
    for (const { path, operation } of operations) {
      t.ok(operation.summary && operation.tags.length > 0, `${path} is described`);
      const isAnswered = operation.responses["200"] ?? operation.responses["201"];
      t.ok(isAnswered && operation.responses["500"], `${path} has its answers`);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
      const declared = (operation.parameters ?? []).filter((entry) => entry.in === "path").map(({ name }) => name);
      t.same(declared.sort(), named, `${path} declares its parameters`);
    }
    const generate = served.body.paths["/v1/agent/generate"].post;
    t.match(generate.parameters, [{ in: "header", name: "Idempotency-Key" }], "headers that are read are declared");
    t.ok(generate.responses["200"].headers["X-RateLimit-Limit"], "limited routes say how far the caller is");
    t.ok(generate.responses["429"].headers["Retry-After"], "and a refusal how long to wait");
    const sources = served.body.paths["/v1/knowledge/files"].post.responses;
    t.ok(sources["201"] && !sources["200"], "what is made is answered as the route declares");
    const download = served.body.paths["/v1/agent/{code}/model/download"].get;
    t.ok(download.responses["302"], "redirects are declared");
    const mint = served.body.paths["/v1/runtime-tokens/mint"].post;
    t.match(mint.responses["403"].description, /RUNTIME_SUSPENDED/);
    t.ok(mint.responses["429"], "failed authentications are limited everywhere");
    t.match(served.body.paths["/v1/agents"].get.responses["400"].description, /VALIDATION_ERROR/);
    const references = JSON.stringify(served.body).match(/#\/components\/schemas\/[\w-]+/g) ?? [];
    const missing = references.filter((reference) => !(reference.split("/")[3] in served.body.components.schemas));
    t.same(missing, [], "every reference leads somewhere");
    t.notMatch(
      JSON.stringify(served.body),
      /\/embed\/session|\/v1\/runtime\/sessions\/\{id\}\/job/,
      "internal routes stay out",
    );
  });
});

interface Operation {
  summary: string;
  tags: string[];
  operationId: string;
  parameters?: { in: string; name: string }[];
  responses: Record<string, unknown>;
}
