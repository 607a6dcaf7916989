// What the API reference makes of the OpenAPI document: chapters, rows of fields, requests and samples.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { ApiDocument, type ApiOperation, type ApiSchema } from "../../../web/docs/api-document.ts";
import { CHAPTERS } from "../../../web/docs/chapters.ts";
import { learnedValues } from "../../../web/docs/learned-values.ts";
import { draftOf, type KnownValues, planRequest } from "../../../web/docs/request-draft.ts";
import { fieldOf, fieldsOf } from "../../../web/docs/schema-fields.ts";
import { callCode } from "../../../web/realtime/call-code.ts";
import type { PlannedRequest } from "../../../web/shared/code/planned-request.ts";
import { curlSample } from "../../../web/shared/code/sample-curl.ts";
import { pythonSample } from "../../../web/shared/code/sample-python.ts";
import { typeScriptSample } from "../../../web/shared/code/sample-typescript.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const run = promisify(execFile);
const api = new ApiDocument(JSON.parse(await readFile(join(ROOT, "api", "openapi.json"), "utf8")));
const base = "http://127.0.0.1:8080/";

const operation = (id: string): ApiOperation => api.operations.get(id) as ApiOperation;
const plan = (id: string, known: KnownValues = {}): PlannedRequest =>
  planRequest(api, operation(id), { draft: draftOf(api, operation(id), known), base });
const field = (schema: ApiSchema) => fieldOf(api, { name: "field", schema, isRequired: false });

t.test("each operation of the document stands in one chapter", async (t) => {
  const told = CHAPTERS.flatMap(({ operations }) => operations);
  t.same([...told].sort(), [...api.operations.keys()].sort());
  t.equal(told[0], "agents.generate", "the first is the first step");
});

t.test("a field says its type, its bounds and its values", async (t) => {
  t.match(field({ type: "integer", minimum: 1, maximum: 20, default: 5 }), {
    type: "integer",
    notes: ["default 5", "1 to 20"],
  });
  t.match(field({ anyOf: [{ type: "string", maxLength: 256 }, { type: "null" }] }), {
    type: "string or null",
    notes: ["at most 256 characters"],
  });
  t.match(field({ type: "array", items: { type: "string" }, maxItems: 9 }), {
    type: "list of strings",
    notes: ["at most 9 elements"],
  });
  t.same(field({ type: "integer", minimum: -Number.MAX_SAFE_INTEGER }).notes, [], "bounds of the language say nothing");
  t.match(field({ enum: ["a", "b"], type: "string" }), { values: ['"a"', '"b"'] });
  t.match(field({ type: "string", format: "binary" }), { type: "file", notes: [] });
  const generate = fieldsOf(api, operation("agents.speak").bodies[0].schema);
  t.same(
    generate.map(({ name, isRequired }) => [name, isRequired]),
    [
      ["message", true],
      ["room_id", false],
      ["emotion", false],
    ],
  );
  const update = fieldsOf(api, operation("agents.update").bodies[0].schema);
  const providers = update.find(({ name }) => name === "providers");
  t.equal(providers?.shapes.length, 1, "what a field contains can be unfolded");
});

t.test("a request has the visitor's own values, and a word in capitals for those that are not known", async (t) => {
  t.equal(plan("agents.speak").url, `${base}v1/agent/AGENT_CODE/speak`);
  t.equal(plan("agents.speak", { AGENT_CODE: "guide a" }).url, `${base}v1/agent/guide%20a/speak`);
  t.match(plan("embedTokens.create", { AGENT_CODE: "guide" }).body, { value: { agent_id: "guide" } });
  t.equal(plan("webhooks.get").url, `${base}v1/webhooks/WEBHOOK_ID`);
  t.match(plan("videos.generate").url, /\?wait=true$/);
  t.match(plan("transcriptions.create").body, { kind: "form", files: [["file", "speech.wav"]] });
  t.match(plan("realtime.connect"), { body: { kind: "file", name: "offer.sdp" }, savedAs: "answer.sdp" });
  t.equal(plan("agents.list").body, undefined);
  const draft = { ...draftOf(api, operation("agents.speak"), {}), bodyText: "{" };
  t.throws(() => planRequest(api, operation("agents.speak"), { draft, base }), SyntaxError);
});

t.test("answers bring values for the requests after them", async (t) => {
  t.same(learnedValues("agents.generate", { agent_id: "guide" }), { AGENT_CODE: "guide" });
  t.same(learnedValues("webhooks.create", { data: { id: "w" } }), { WEBHOOK_ID: "w" });
  t.same(learnedValues("agents.generate", null), {});
  t.same(learnedValues("agents.list", { agent_id: "guide" }), {});
});

t.test("samples read well", async (t) => {
  const request = plan("agents.speak", { AGENT_CODE: "guide" });
  t.equal(
    curlSample(request),
    `curl -sS http://127.0.0.1:8080/v1/agent/guide/speak \\
  -H "api-secret: $AVATAR_API_SECRET" \\
  -H 'content-type: application/json' \\
  -d '{
  "message": "Welcome. Shall we begin with the whales?",
  "emotion": "happy:0.6"
}'`,
  );
  t.equal(
    typeScriptSample(request),
    `const response = await fetch("http://127.0.0.1:8080/v1/agent/guide/speak", {
  method: "POST",
  headers: {
    "api-secret": process.env.AVATAR_API_SECRET ?? "",
    "content-type": "application/json",
  },
  body: JSON.stringify({
    message: "Welcome. Shall we begin with the whales?",
    emotion: "happy:0.6",
  }),
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());`,
  );
  t.equal(
    pythonSample(request),
    `import json
import os
import urllib.request

request = urllib.request.Request(
    "http://127.0.0.1:8080/v1/agent/guide/speak",
    headers={
        "api-secret": os.environ["AVATAR_API_SECRET"],
        "content-type": "application/json",
    },
    data=json.dumps({
        "message": "Welcome. Shall we begin with the whales?",
        "emotion": "happy:0.6",
    }).encode(),
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`,
  );
});

/** Requests with what is awkward to quote. */
const AWKWARD: readonly PlannedRequest[] = [
  {
    method: "POST",
    url: `${base}v1/it's?a=1&b=$HOME`,
    credential: "token",
    body: { kind: "json", value: { "it's": 'a "quote", \\ and $HOME\n', no: null, yes: true, list: [[], {}] } },
    savedAs: undefined,
  },
  {
    method: "PUT",
    url: `${base}v1/form`,
    credential: "secret",
    body: { kind: "form", texts: [["it's {name}", '@"$x"\\']], files: [["file", 'it\'s "a" {file}.wav']] },
    savedAs: "answer.bin",
  },
];

t.test("every sample is a program of its language", { timeout: 120_000 }, async (t) => {
  const requests = [...AWKWARD, ...[...api.operations.keys()].map((id) => plan(id))];
  // Inside the project, so that the compiler finds the types of Node.
  const folder = await mkdtemp(join(ROOT, "node_modules", ".cache-samples-"));
  t.teardown(() => rm(folder, { recursive: true }));
  const call = { base: new URL(base), model: "it's a model", sent: [{ type: "a", text: '"\\' }] };
  const samples = [
    ...requests.map((request) => [curlSample(request), typeScriptSample(request), pythonSample(request)]),
    (["curl", "typescript", "python"] as const).map((language) => callCode(call, language)),
  ];
  const names = await Promise.all(
    samples.map(async ([curl, typeScript, python], index) => {
      const name = join(folder, `sample-${index}`);
      await writeFile(`${name}.sh`, curl);
      await writeFile(`${name}.ts`, `${typeScript}\nexport {};\n`);
      await writeFile(`${name}.py`, python);
      return name;
    }),
  );
  const files = (end: string) => names.map((name) => name + end);
  await t.resolves(run("sh", ["-c", 'for file; do sh -n "$file" || exit 1; done', "sh", ...files(".sh")]), "curl");
  const compiler = join(ROOT, "node_modules", "typescript-native", "bin", "tsc");
  const options = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--skipLibCheck",
  ];
  await t.resolves(
    run(process.execPath, [compiler, ...options, "--types", "node", ...files(".ts")], { cwd: ROOT }),
    "TypeScript",
  );
  const hasPython = await run("python3", ["--version"]).then(
    () => true,
    () => false,
  );
  const parse = "import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name).read(), name)";
  if (hasPython) await t.resolves(run("python3", ["-c", parse, ...files(".py")]), "Python");
  else t.comment("no python3 here");
});
