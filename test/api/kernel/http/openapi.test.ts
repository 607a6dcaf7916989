// The OpenAPI document: complete, consistent, and the same as the committed one.
import { readFile } from "node:fs/promises";
import t from "tap";
import { describeFields } from "../../../../api/kernel/http/describe-fields.ts";
import {
  changeChildren,
  type DocumentOperation,
  type DocumentSchema,
  operationsOf,
  type SchemaHolder,
} from "../../../../api/kernel/http/document-schema.ts";
import { nameShapes } from "../../../../api/kernel/http/name-shapes.ts";
import { withIdleApi } from "../../../helpers/service/with-api.ts";

/** Refusals of values that an example cannot know: a file of another server, a token of a LiveKit server, a
 *  code that another operation returned. */
const BEYOND_EXAMPLES = /^The URL could not be fetched|^livekit_token:|^The device code is unknown/;

t.test("the committed document matches the declared routes", async (t) => {
  await withIdleApi(async (api) => {
    const served = await api.call("GET", "/openapi.json", { headers: { "accept-encoding": "gzip, br" } });
    t.equal(served.status, 200);
    const committed = JSON.parse(await readFile(new URL("../../../../api/openapi.json", import.meta.url), "utf8"));
    t.equal(served.headers.get("content-encoding"), "br", "compressed as the caller accepts it");
    const plain = await api.call("GET", "/openapi.json", { headers: { "accept-encoding": "identity" } });
    t.equal(plain.headers.get("content-encoding"), null);
    t.same(plain.body, committed);
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
      t.match(operation.operationId, /^[a-z][A-Za-z]*\.[a-z][A-Za-z]*$/, `${path} is named by a resource and a verb`);
      const isAnswered = operation.responses["200"] ?? operation.responses["201"];
      t.ok(isAnswered && operation.responses["500"], `${path} has its answers`);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
      const declared = (operation.parameters ?? []).filter((entry) => entry.in === "path").map(({ name }) => name);
      t.same(declared.sort(), named, `${path} declares its parameters`);
    }
    const generate = served.body.paths["/v1/agent/generate"].post;
    t.match(generate.parameters, [{ in: "header", name: "Idempotency-Key" }], "headers that are read are declared");
    t.ok(generate.responses["200"].headers["X-RateLimit-Limit"], "limited routes say how far the caller is");
    const refusal = generate.responses["429"].$ref.split("/")[3];
    t.ok(served.body.components.responses[refusal].headers["Retry-After"], "and a refusal how long to wait");
    const sources = served.body.paths["/v1/knowledge/files"].post.responses;
    t.ok(sources["201"] && !sources["200"], "what is made is answered as the route declares");
    const download = served.body.paths["/v1/agent/{code}/model/download"].get;
    t.ok(download.responses["302"], "redirects are declared");
    const mint = served.body.paths["/v1/runtime-tokens/mint"].post;
    t.match(mint.responses["403"].$ref, /RuntimeSuspended/);
    t.ok(mint.responses["429"], "failed authentications are limited everywhere");
    t.match(served.body.paths["/v1/agents"].get.responses["400"].$ref, /ValidationError/);
    const connect = served.body.paths["/v1/realtime/connect"].post;
    t.same(Object.keys(connect.requestBody.content), ["application/sdp", "application/json"], "what the relay answers");
    t.ok(connect.responses["201"].content["application/sdp"]);
    const references = JSON.stringify(served.body).match(/#\/components\/\w+\/[\w-]+/g) ?? [];
    const missing = references.filter((reference) => {
      const [, , kind, name] = reference.split("/");
      return !(name in served.body.components[kind]);
    });
    t.same(missing, [], "every reference leads somewhere");
    t.notMatch(
      JSON.stringify(served.body),
      /\/embed\/session|\/v1\/runtime\/|[Rr]untimeSessions[.B-Z]/,
      "routes of our own pages, of workers and of runtimes stay out",
    );
    t.same(findGaps(served.body), [], "every shape and enum has a name, every field a sentence");
    t.same(
      findGaps({
        components: { schemas: { A: { properties: { b: { type: "string" } } } } },
        paths: {
          "/a": {
            get: {
              operationId: "a.get",
              parameters: [{ in: "query", name: "c", schema: { enum: ["d"] } }],
              responses: { 200: { content: { "application/json": { schema: { items: { properties: {} } } } } } },
            },
          },
        },
      }),
      ["A.b has no sentence", "a.get.c has no sentence", "a.get.c has no name", "a.get 200 has no name"],
      "and what lacks them is found",
    );
  });
});

t.test("every JSON body has an example, and the api understands each", async (t) => {
  const environment = { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" };
  const options = { environment, resolveHost: async () => [{ address: "127.0.0.1", family: 4 as const }] };
  await withIdleApi(async (api) => {
    const { account, secret } = await api.addAccount({ plan: "enterprise", credits: 100_000 });
    for (const [path, methods] of Object.entries(api.describe().paths ?? {})) {
      for (const [method, operation] of Object.entries(methods as Record<string, DocumentOperation>)) {
        const content = operation.requestBody?.content["application/json"];
        // The relay's: an offer in SDP, or a hangup.
        if (!content || operation.requestBody?.content["application/sdp"]) continue;
        if (content.example === undefined) t.fail(`${operation.operationId} has no example`);
        const body = JSON.parse(JSON.stringify(content.example).replace("LIVEKIT_URL", "wss://live.example"));
        const url = path.replace("{user_id}", account.userId).replace(/\{(\w+)\}/g, "none");
        const { status, body: answer } = await api.call(method.toUpperCase(), url, { secret, body });
        const isUnderstood = status !== 400 || BEYOND_EXAMPLES.test(answer.error.message);
        t.ok(isUnderstood, `${operation.operationId}: ${status} ${answer.error?.message}`);
      }
    }
  }, options);
});

t.test("equal schemas share a name, an explicit name takes precedence, and names are unique", async (t) => {
  const point = { type: "object", properties: { x: { type: "number" } } };
  const answer = (schema: DocumentSchema) => ({ 200: { content: { "application/json": { schema } } } });
  const document: SchemaHolder = {
    components: { schemas: { Point: structuredClone(point) } },
    paths: {
      "/a": { get: { operationId: "a.get", responses: answer({ properties: { at: structuredClone(point) } }) } },
      "/b": {
        get: { operationId: "b.get", responses: answer({ items: { properties: { at: structuredClone(point) } } }) },
        put: {
          operationId: "b.put",
          responses: answer({ anyOf: [{ properties: { e: { enum: ["f"] } } }, { properties: { g: {} } }] }),
        },
      },
    },
  };
  nameShapes(document);
  describeFields(document, { x: "All x", "AGetResponse.at": "One place" });
  t.same(document.components?.schemas, {
    Point: { type: "object", properties: { x: { type: "number", description: "All x" } } },
    AGetResponse: { properties: { at: { $ref: "#/components/schemas/Point", description: "One place" } } },
    BPutResponseE: { enum: ["f"] },
    BPutResponse: { properties: { e: { $ref: "#/components/schemas/BPutResponseE" } } },
    BPutResponse2: { properties: { g: {} } },
  });
});

interface Operation {
  summary: string;
  tags: string[];
  operationId: string;
  parameters?: { in: string; name: string }[];
  responses: Record<string, unknown>;
}

/** Shapes and enums without a name, and fields without a sentence. */
function findGaps(document: SchemaHolder): string[] {
  const gaps: string[] = [];
  function look(schema: DocumentSchema, place: string, isNamed: boolean): void {
    if ((schema.properties || schema.enum) && !isNamed) gaps.push(`${place} has no name`);
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (!field.description) gaps.push(`${place}.${name} has no sentence`);
    }
    changeChildren(schema, (child, name) => {
      look(child, name === "" ? place : `${place}.${name}`, false);
      return child;
    });
  }
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) look(schema, name, true);
  for (const { operationId, parameters = [], requestBody, responses } of operationsOf(document)) {
    for (const { name, description, schema } of parameters) {
      const place = `${operationId}.${name}`;
      if (!description && !schema?.description) gaps.push(`${place} has no sentence`);
      if (schema) look(schema, place, false);
    }
    for (const { schema } of Object.values(requestBody?.content ?? {})) if (schema) look(schema, operationId, false);
    for (const [status, { content }] of Object.entries(responses)) {
      for (const { schema } of Object.values(content ?? {}))
        if (schema) look(schema, `${operationId} ${status}`, false);
    }
  }
  return gaps;
}
