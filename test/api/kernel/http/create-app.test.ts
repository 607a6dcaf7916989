// The behaviour that all routes share: error envelope, bodies, limits, headers. Tested over real HTTP with test routes.
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Writable } from "node:stream";
import t from "tap";
import { z } from "zod";
import { Answer } from "../../../../api/kernel/http/answer.ts";
import type { Authenticator } from "../../../../api/kernel/http/create-app.ts";
import { createApp } from "../../../../api/kernel/http/create-app.ts";
import { type Route, route } from "../../../../api/kernel/http/route.ts";
import { createMetrics } from "../../../../api/kernel/monitoring/metrics.ts";
import { ERROR_STATUSES, toErrorAnswer } from "../../../../program/http/error-answer.ts";
import { UploadedFile, uploadedFileSchema } from "../../../../program/http/uploaded-file.ts";
import { createLogger } from "../../../../program/log.ts";
import { ERROR_CODES, ServiceError } from "../../../../shared/errors.ts";
import { knowsOpenFiles, openFiles } from "../../../helpers/processes/open-files.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const common = { tier: "none", auth: "none", summary: "", tags: [], errors: [] } as const;
const ok = z.looseObject({});
/** Calls that have reached `/endless`. */
let endlessCalls = 0;

const ROUTES: Route[] = [
  route({
    ...common,
    method: "post",
    path: "/echo/:name",
    operation: "tests.route1",
    params: z.object({ name: z.string() }),
    query: z.object({ times: z.coerce.number().int().max(3).default(1) }),
    body: z.object({ text: z.string().max(10), count: z.int().optional() }),
    response: ok,
    handler: async ({ params, query, body }) => ({ ...params, ...query, ...body }),
  }),
  route({
    ...common,
    method: "post",
    path: "/echo/fixed",
    operation: "tests.route2",
    response: ok,
    handler: async () => ({ fixed: true }),
  }),
  route({
    ...common,
    method: "post",
    path: "/strict",
    operation: "tests.strict",
    body: z.object({ text: z.string() }),
    requiresJsonType: true,
    response: ok,
    handler: async ({ body }) => body,
  }),
  route({
    ...common,
    method: "post",
    path: "/upload",
    operation: "tests.route3",
    body: z.object({ note: z.string(), file: uploadedFileSchema.optional() }),
    bodyTypes: ["json", "form", "multipart"],
    bodyLimitBytes: 1000,
    response: ok,
    async handler({ body }) {
      const content = body.file instanceof UploadedFile ? (await body.file.read()).toString() : null;
      return { note: body.note, content, fileName: body.file?.fileName ?? null };
    },
  }),
  route({
    ...common,
    method: "get",
    path: "/broken",
    operation: "tests.route4",
    handler: async () => {
      throw new Error("the innards, with password hunter2");
    },
  }),
  route({
    ...common,
    method: "get",
    path: "/endless",
    operation: "tests.route7",
    handler: ({ request }) =>
      new Promise<never>((_, reject) => {
        endlessCalls++;
        request.signal.addEventListener("abort", () => reject(request.signal.reason));
      }),
  }),
  route({
    ...common,
    method: "get",
    path: "/refused",
    operation: "tests.route5",
    handler: async () => {
      throw new ServiceError("AGENT_LIMIT_REACHED", "No more.", { details: { upgrade_url: "https://x.test/up" } });
    },
  }),
  route({
    ...common,
    method: "get",
    path: "/open",
    operation: "tests.route6",
    cors: true,
    handler: async () =>
      new Answer<undefined>({ status: 201, headers: { "Content-Type": "text/plain" }, bytes: "hello" }),
  }),
];

/** Sends a form that passes the limit in a file, before the file's end, and waits for the answer. */
function statusOfUnendingFile(url: string): Promise<number | undefined> {
  const part = (disposition: string, text: string) =>
    `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${text}`;
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const request = httpRequest(url, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
      request.destroy();
    });
    request.on("error", reject);
    request.write(part('name="note"', `${"x".repeat(600)}\r\n`));
    request.write(part('name="file"; filename="f"', "x".repeat(500)));
  });
}

const noAuthentication: Authenticator = { authenticate: async () => ({ caller: null as never, rate: null }) };

async function withRoutes(work: (baseUrl: string, log: () => string) => Promise<void>): Promise<void> {
  let log = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  const logger = createLogger({ level: "debug", name: "test", stream });
  const limiter = { take: async () => Promise.reject(new Error("nothing here is limited")) };
  const app = createApp({
    routes: ROUTES,
    authenticator: noAuthentication,
    limiter,
    metrics: createMetrics(),
    logger,
  });
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => log);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const json = { "content-type": "application/json" };
const nest = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

t.test("every error code has a status, which the envelope repeats", async (t) => {
  t.same(Object.keys(ERROR_STATUSES).sort(), [...ERROR_CODES].sort());
  for (const code of ERROR_CODES) {
    const { status, body } = toErrorAnswer(new ServiceError(code, "m"));
    t.equal(body.status_code, status);
    t.equal(body.error.httpStatus, status);
  }
  const wire = (code: "CONFLICT" | "UNPROCESSABLE") => toErrorAnswer(new ServiceError(code, "m"));
  t.match(wire("CONFLICT"), { status: 409, body: { error: { code: "VALIDATION_ERROR" } } });
  t.match(wire("UNPROCESSABLE"), { status: 422, body: { error: { code: "VALIDATION_ERROR" } } });
  t.match(toErrorAnswer(new ServiceError("RATE_LIMITED", "m", { retryAfterSeconds: 2.2 })).headers, {
    "Retry-After": "3",
  });
});

t.test("an invalid body of any kind is answered with the matching error", async (t) => {
  await withRoutes(async (baseUrl) => {
    const post = async (body: BodyInit, headers: Record<string, string> = json, path = "/echo/a") => {
      const response = await fetch(baseUrl + path, { method: "POST", body, headers });
      return { status: response.status, ...(await response.json()) };
    };
    const cases: [string, number, string, RegExp, Record<string, string>?][] = [
      ["{", 400, "VALIDATION_ERROR", /not valid JSON/],
      ["{}", 400, "MISSING_PARAM", /text/],
      ["[]", 400, "VALIDATION_ERROR", /object/],
      ["null", 400, "VALIDATION_ERROR", /object/],
      ['{"text":5}', 400, "VALIDATION_ERROR", /text/],
      ['{"text":"elevenchars"}', 400, "VALIDATION_ERROR", /text/],
      ['{"text":"a","count":"1"}', 400, "VALIDATION_ERROR", /count/],
      ['{"text":"a\\u0000"}', 400, "VALIDATION_ERROR", /NUL/],
      ['{"text":"a","other":["a\\u0000"]}', 400, "VALIDATION_ERROR", /NUL/],
      [`{"text":"a","other":${nest(100)}}`, 400, "VALIDATION_ERROR", /nested too deeply/],
      [nest(100_000), 400, "VALIDATION_ERROR", /nested too deeply/],
      [`{"text":5,"other":[${"0,".repeat(400_000)}0]}`, 400, "VALIDATION_ERROR", /text/],
      ["text=a", 400, "VALIDATION_ERROR", /not valid JSON/, { "content-type": "application/x-www-form-urlencoded" }],
      ["<a/>", 400, "VALIDATION_ERROR", /not valid JSON/, { "content-type": "text/xml" }],
      ['{"text":"a"}', 415, "UNSUPPORTED_TYPE", /ompressed/, { ...json, "content-encoding": "gzip" }],
      [JSON.stringify({ text: "x".repeat(1_100_000) }), 413, "FILE_TOO_LARGE", /limit/],
    ];
    for (const [body, status, code, message, headers] of cases) {
      const answer = await post(body, headers);
      t.match(
        answer,
        { status: "error", status_code: status, error: { code, httpStatus: status, message } },
        body.slice(0, 40),
      );
    }
    const others = [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/vnd.api+json",
      "multipart/form-data",
    ];
    for (const type of others) {
      const headers = { "content-type": type };
      t.match(await post('{"text":"a"}', headers), { status: 200, text: "a" }, `JSON as ${type}`);
      const upload = await post(' {"note":"a"}', headers, "/upload");
      if (type !== "multipart/form-data") t.match(upload, { status: 200, note: "a" }, `beside forms, JSON as ${type}`);
      t.match(await post('{"text":"a"}', headers, "/strict"), {
        status_code: 415,
        error: { code: "UNSUPPORTED_TYPE" },
      });
    }
    t.match(await post(Buffer.from('{"text":"a"}'), {}), { status: 200, text: "a" }, "JSON without a type");
    t.match(await post('{"text":"a"}', json, "/strict"), { status: 200, text: "a" });
    t.match(await post(Buffer.from([0x7b, 0xff, 0x7d])), { status_code: 400, error: { message: /UTF-8/ } });
    t.match(await post("{}", json, "/echo/a?times=9"), { status_code: 400, error: { message: /times/ } });
    t.same(
      await post('{"text":"hi","other":1}'),
      { status: 200, name: "a", times: 1, text: "hi" },
      "unknown fields are ignored",
    );
    t.same(
      await post("{}", json, "/echo/fixed"),
      { status: 200, fixed: true },
      "a literal segment wins over a parameter",
    );
  });
});

t.test("a chunked body is limited, too", async (t) => {
  await withRoutes(async (baseUrl) => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${baseUrl}/echo/a`, { method: "POST", headers: json }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      request.on("error", reject);
      for (let sent = 0; sent < 20; sent++) request.write(" ".repeat(100_000));
      request.end();
    });
    t.equal(status, 413);
  });
});

t.test(
  "a refused upload is read up to a limit and then cut off, after its sender has received the answer",
  async (t) => {
    await withRoutes(async (baseUrl) => {
      const { port } = new URL(baseUrl);
      const piece = Buffer.alloc(100_000, "x");
      const chunk = Buffer.concat([Buffer.from("186a0\r\n"), piece, Buffer.from("\r\n")]);
      const head = "Host: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
      for (const path of ["/echo/a", "/nowhere", "/upload"]) {
        let answer = "";
        let sentBytes = 0;
        const isCutOff = await new Promise<boolean>((resolve) => {
          const socket = connect(Number(port), "127.0.0.1", () => {
            socket.write(`POST ${path} HTTP/1.1\r\n${head}`);
            send();
          });
          socket.on("data", (text) => {
            answer += text;
          });
          socket.on("error", () => undefined);
          socket.on("close", () => resolve(sentBytes < 60_000_000));
          /** Goes on for as long as it is let. */
          function send(error?: Error | null): void {
            // A write that follows a failed one in its callback would be accepted, and dropped, without end.
            if (error || socket.destroyed) return;
            if (sentBytes >= 60_000_000) {
              socket.destroy();
              return;
            }
            sentBytes += piece.length;
            socket.write(chunk, send);
          }
        });
        t.match(answer, /^HTTP\/1.1 4\d\d /, `${path} is answered`);
        t.ok(isCutOff, `${path}: cut off before 60 MB (sent ${sentBytes / 1e6} MB)`);
      }
    });
  },
);

t.test("forms and files are accepted only by routes that declare them", async (t) => {
  await withRoutes(async (baseUrl) => {
    const upload = async (body: BodyInit) => {
      const response = await fetch(`${baseUrl}/upload`, { method: "POST", body });
      return { status: response.status, ...(await response.json()) };
    };
    t.match(await upload(new URLSearchParams({ note: "plain" })), { status: 200, note: "plain", content: null });
    const form = new FormData();
    form.set("note", "with file");
    form.set("file", new Blob(["content"]), "../../name.txt");
    t.match(await upload(form), { status: 200, note: "with file", content: "content", fileName: "name.txt" });
    const large = new FormData();
    large.set("note", "large");
    large.set("file", new Blob(["x".repeat(1001)]), "large");
    t.match(await upload(large), { status_code: 413, error: { code: "FILE_TOO_LARGE" } });
    const many = new FormData();
    for (const name of ["note", "b", "c"]) many.set(name, "x".repeat(400));
    t.match(await upload(many), { status_code: 413, error: { code: "FILE_TOO_LARGE" } }, "parts count together");
    t.equal(await statusOfUnendingFile(`${baseUrl}/upload`), 413);
    if (knowsOpenFiles) {
      const left = openFiles().filter((path) => path.includes("avatar-upload-"));
      t.same(left, [], "refused files are closed before the answer");
    }
    const broken = await fetch(`${baseUrl}/upload`, {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=x" },
      body: "--x\r\nnonsense",
    });
    t.match(await broken.json(), { status_code: 400, error: { code: "VALIDATION_ERROR" } });
  });
});

t.test(
  "unknown paths, wrong methods and failures are answered with the envelope, and failures reveal no details",
  async (t) => {
    await withRoutes(async (baseUrl, log) => {
      const nowhere = await fetch(`${baseUrl}/nowhere?token=secret-in-query`);
      t.match(await nowhere.json(), { status_code: 404, error: { code: "NOT_FOUND" } });
      for (const [method, path] of [
        ["PATCH", "/echo/a"],
        ["GET", "/echo/a?token=secret-in-query"],
        ["DELETE", "/echo/fixed"],
        ["POST", "/broken"],
        ["POST", "/open"],
      ]) {
        const response = await fetch(baseUrl + path, { method });
        t.match(await response.json(), { status_code: 404, error: { code: "NOT_FOUND", httpStatus: 404 } }, path);
      }
      const broken = await fetch(`${baseUrl}/broken`);
      const requestId = broken.headers.get("x-request-id") ?? "";
      const text = await broken.text();
      t.match(JSON.parse(text), { status_code: 500, error: { code: "INTERNAL_ERROR" } });
      t.notMatch(text, /hunter2/);
      t.ok(requestId !== "" && text.includes(requestId), "the answer names the request");
      t.ok(log().includes("hunter2") && log().includes(requestId), "the log has all of it");
      t.notMatch(log(), /secret-in-query/, "no log line holds a query");
      const refused = await fetch(`${baseUrl}/refused`);
      t.match(await refused.json(), { error: { upgrade_url: "https://x.test/up" }, status_code: 403 });
    });
  },
);

t.test("work for a client that disconnects is aborted and does not count as a failure", async (t) => {
  await withRoutes(async (baseUrl, log) => {
    const leaving = new AbortController();
    const call = fetch(`${baseUrl}/endless`, { signal: leaving.signal });
    await waitFor(() => endlessCalls === 1, "the call to arrive");
    leaving.abort();
    await t.rejects(call, { name: "AbortError" });
    await waitFor(() => log().includes("client disconnected before its answer"), "the line in the log");
    t.notMatch(log(), /request failed/);
  });
});

t.test("every answer has security headers, and only declared routes allow CORS", async (t) => {
  await withRoutes(async (baseUrl) => {
    const open = await fetch(`${baseUrl}/open`);
    t.equal(open.status, 201);
    t.equal(await open.text(), "hello");
    t.match(Object.fromEntries(open.headers), {
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "access-control-allow-origin": "*",
      "content-type": /^text\/plain/,
    });
    t.equal((await fetch(`${baseUrl}/open`, { method: "OPTIONS" })).status, 204);
    t.equal((await fetch(`${baseUrl}/refused`)).headers.get("access-control-allow-origin"), null);
    t.equal((await fetch(`${baseUrl}/refused`, { method: "OPTIONS" })).status, 404);
  });
});

t.test("a proxy that is not trusted is named in the log at its first request", async (t) => {
  await withRoutes(async (baseUrl, log) => {
    await fetch(`${baseUrl}/nothing`);
    t.notMatch(log(), "X-Forwarded-For");
    for (let count = 0; count < 2; count++) {
      await fetch(`${baseUrl}/nothing`, { headers: { "x-forwarded-for": "203.0.113.7" } });
    }
    t.equal(log().match(/X-Forwarded-For was ignored/g)?.length, 1);
  });
});
