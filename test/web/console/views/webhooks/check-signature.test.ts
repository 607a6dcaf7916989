// The signature checker, and the code that the console offers, on deliveries signed as the service signs them.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { transform } from "esbuild";
import t from "tap";
import { newWebhookSecret, signBody, signTimedBody } from "../../../../../api/webhooks/delivery/signature.ts";
import { DELIVERY_POLICIES } from "../../../../../api/webhooks/webhook-endpoint.ts";
import { LANGUAGES } from "../../../../../web/console/texts/languages.ts";
import { loadTexts } from "../../../../../web/console/texts/load-texts.ts";
import { checkSignature, type PastedDelivery } from "../../../../../web/console/views/webhooks/check-signature.ts";
import { readHeaders } from "../../../../../web/console/views/webhooks/read-headers.ts";
import { VERIFICATION_CODE } from "../../../../../web/console/views/webhooks/verification-code.ts";

const NOW_MS = 1_764_352_800_000;
const seconds = NOW_MS / 1000;
const secret = newWebhookSecret();

function registered(
  body = '{"id":"evt_1","event":"agent.ready","created":1,"data":{"code":"A \u{1f600}"}}',
  at = seconds,
) {
  const headers = `X-Service-Timestamp: ${at}\nX-Service-Signature: ${signTimedBody(secret, at, body)}`;
  return { body, headers, secret };
}

function session(at = seconds) {
  const body = JSON.stringify({ agent_id: "", event_type: "chat.push", data: {}, timestamp: at });
  const plain = `X-Service-Signature: ${signBody(secret, body)}`;
  const timed = `X-Service-Timestamp: ${at}\nX-Service-Signature-V2: ${signTimedBody(secret, at, body)}`;
  return { body, plain, both: `${plain}\n${timed}` };
}

const check = (pasted: PastedDelivery) => checkSignature(pasted, { now: () => NOW_MS });

t.test("genuine deliveries of both kinds are verified", async (t) => {
  t.same(await check(registered()), { isVerified: true, event: "agent.ready", family: "registered" });
  t.match(await check({ ...registered(), secret: ` ${secret}\n` }), { isVerified: true }, "space around a secret");
  const { body, plain, both } = session();
  for (const headers of [plain, both]) {
    t.same(await check({ body, headers, secret }), { isVerified: true, event: "chat.push", family: "session" });
  }
});

t.test("what is wrong is named", async (t) => {
  const good = registered();
  const { body, headers } = good;
  const cases: [string, Partial<PastedDelivery>][] = [
    ["no-secret", { secret: " " }],
    ["secret-shape", { secret: "an-api-secret" }],
    ["no-signature", { headers: `X-Service-Timestamp: ${seconds}` }],
    ["signature-shape", { headers: headers.slice(0, -1) }],
    ["no-timestamp", { headers: headers.split("\n")[1] }],
    ["not-json", { body: body.slice(0, -1) }],
    ["not-json", { body: "null" }],
    ["space-around", { body: `${body}\n` }],
    ["rewritten", { body: JSON.stringify(JSON.parse(body), null, 2) }],
    ["mismatch", { body: body.replace("ready", "failed") }],
    ["mismatch", { secret: newWebhookSecret() }],
    ["mismatch", { headers: headers.replace(String(seconds), String(seconds + 1)) }],
    ["mismatch", { headers: headers.replace(/\d+$/m, "x") }],
  ];
  for (const [fault, part] of cases) t.same(await check({ ...good, ...part }), { isVerified: false, fault }, fault);
  for (const [at, fault] of [
    [seconds - 301, "too-old"],
    [seconds + 301, "in-future"],
  ] as const) {
    t.same(await check(registered(body, at)), { isVerified: false, fault, seconds: 301 });
    const { body: other, plain } = session(at);
    t.same(await check({ body: other, headers: plain, secret }), { isVerified: false, fault, seconds: 301 });
  }
});

t.test("headers are read as logs, tools and JSON write them", async (t) => {
  t.same(readHeaders('  "x-one": "a: b",\r\nX-Two=c\nPOST /hook HTTP/1.1\n\nX-TWO: d'), {
    "x-one": "a: b",
    "x-two": "d",
  });
  t.same(readHeaders("constructor: x\n__proto__"), { constructor: "x" });
});

t.test("the code to copy accepts what the service signs, and nothing else", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "verification-code-"));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const at = Math.floor(Date.now() / 1000);
  const fresh = registered(undefined, at);
  const headersOf = ({ headers }: { headers: string }) => readHeaders(headers);
  const { body, both } = session(at);
  const cases: [string, Record<string, string>, boolean][] = [
    [fresh.body, headersOf(fresh), true],
    [body, readHeaders(both), true],
    [`${fresh.body} `, headersOf(fresh), false],
    [fresh.body, { ...headersOf(fresh), "x-service-signature": "\u00e9".repeat(71) }, false],
    [fresh.body, { "x-service-timestamp": String(at) }, false],
    [registered(undefined, at - 400).body, headersOf(registered(undefined, at - 400)), false],
    [fresh.body, {}, false],
  ];
  const expected = cases.map(([, , isGenuine]) => isGenuine);

  const { code } = await transform(VERIFICATION_CODE.TypeScript, { loader: "ts", format: "esm" });
  const file = join(folder, "verify.mjs");
  await writeFile(file, code);
  const { isGenuine } = await import(pathToFileURL(file).href);
  t.same(
    cases.map(([raw, headers]) => isGenuine(raw, headers, secret)),
    expected,
    "TypeScript",
  );

  const python = [
    VERIFICATION_CODE.Python,
    "import json, sys",
    "print(json.dumps([is_genuine(b.encode(), h, sys.argv[2]) for b, h in json.loads(sys.argv[1])]))",
  ].join("\n");
  const given = JSON.stringify(cases.map(([raw, headers]) => [raw, headers]));
  const { stdout } = await promisify(execFile)("python3", ["-c", python, given, secret]);
  t.same(JSON.parse(stdout), expected, "Python");
});

t.test("every language tells the retries as they are", async (t) => {
  for (const language of LANGUAGES) {
    const { webhooks } = await loadTexts(language);
    for (const [text, { timeoutMs, retryDelaysMs }] of [
      [webhooks.retries, DELIVERY_POLICIES.registered],
      [webhooks.sessionRetries, DELIVERY_POLICIES.session],
    ] as const) {
      const numbers = (text.match(/\d+/g) ?? []).map(Number).filter((value) => text.includes(`${value}`));
      const [first, status, ...waits] = numbers;
      t.same(
        [first, ...waits],
        [timeoutMs / 1000, ...retryDelaysMs.map((ms) => ms / 1000)],
        `${language}: ${status}xx`,
      );
    }
  }
});
