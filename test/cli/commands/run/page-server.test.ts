// The server of `avatar run`: who may ask it what, and where it listens.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { openAgentPage } from "../../../../cli/commands/run/agent-page.ts";
import { facePage } from "../../../../cli/commands/run/face-page.ts";
import { LineSpeaker } from "../../../../cli/commands/run/line-speaker.ts";
import { type PageServer, startPageServer } from "../../../../cli/commands/run/page-server.ts";
import { writeImx } from "../../../../src/face/imx/write-imx.ts";
import { smallAvatar } from "../../../helpers/faces/small-avatar.ts";
import { addAgent } from "../../../helpers/service/add-agent.ts";
import { withApi } from "../../../helpers/service/with-api.ts";
import { withAvatarCommand } from "../../../helpers/service/with-avatar-command.ts";

const imx = await smallAvatar();
const face = { name: "Nova", imx, bundle: await writeImx(imx) };

async function withServer(
  work: (server: PageServer) => Promise<void>,
  options: { isPublic?: boolean; host?: string; port?: number } = {},
): Promise<void> {
  const speaker = new LineSpeaker({ AVATAR_VOICE: "formant" });
  const { isPublic = false, host = "127.0.0.1", port = 0 } = options;
  const server = await startPageServer({ host, port, isPublic, answer: facePage(face, speaker) });
  try {
    await work(server);
  } finally {
    await server.close();
    await speaker.close();
  }
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** With headers that `fetch` does not send. */
function ask(
  { port }: PageServer,
  path: string,
  {
    method = "GET",
    headers = {},
    body = "",
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
      answer.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

t.test("only this computer's names, and no other site, get an answer", async (t) => {
  await withServer(async (server) => {
    const { port } = server;
    const statusFor = async (headers: Record<string, string>, path = "/samples") =>
      (await ask(server, path, { headers })).status;
    t.equal(await statusFor({ host: `127.0.0.1:${port}` }), 200);
    t.equal(await statusFor({ host: `localhost:${port}` }), 200);
    t.equal(await statusFor({ host: `[::1]:${port}` }), 200);
    for (const host of [`evil.example:${port}`, "192.168.1.5", "127.0.0.1.evil.example", "a b"]) {
      t.equal(await statusFor({ host }), 403, `Host: ${host}`);
    }
    for (const site of ["cross-site", "same-site"]) {
      t.equal(await statusFor({ "sec-fetch-site": site, "sec-fetch-mode": "navigate" }, "/"), 403, site);
    }
    t.equal(await statusFor({ "sec-fetch-site": "same-origin" }), 200);
  });
  await withServer(
    async (server) => {
      t.equal((await ask(server, "/samples", { headers: { host: "192.168.1.5:8088" } })).status, 200);
      t.equal((await ask(server, "/samples", { headers: { host: "evil.example" } })).status, 403);
    },
    { isPublic: true },
  );
});

t.test("the face and the page's files are served, with a strict policy, and nothing else", async (t) => {
  await withServer(async (server) => {
    const { samples } = JSON.parse((await ask(server, "/samples")).body.toString());
    t.match(samples, [{ slug: "face", name: "Nova", imx_url: `http://127.0.0.1:${server.port}/samples/face/imx` }]);
    const bundle = await ask(server, "/samples/face/imx");
    t.ok(bundle.body.equals(Buffer.from(face.bundle)));
    t.match(bundle.headers, { "cross-origin-resource-policy": "same-origin", "x-content-type-options": "nosniff" });
    t.equal(bundle.headers["access-control-allow-origin"], undefined);
    t.ok((await ask(server, "/samples/face/poster")).body.equals(Buffer.from(imx.poster)));
    t.equal((await ask(server, "/samples/face/imx", { method: "HEAD" })).body.length, 0);
    for (const path of [
      "/../package.json",
      "/assets/../../package.json",
      "/assets/%2e%2e/run/index.html",
      "/v1/agents",
    ]) {
      t.equal((await ask(server, path)).status, 404, path);
    }
    t.equal((await ask(server, "/samples", { method: "DELETE" })).status, 404);
  });
});

t.test("a line is spoken for the page alone", async (t) => {
  await withServer(async (server) => {
    const origin = `http://127.0.0.1:${server.port}`;
    const post = (path: string, body: string, headers: Record<string, string>) =>
      ask(server, path, { method: "POST", body, headers: { host: `127.0.0.1:${server.port}`, ...headers } });
    t.equal((await post("/home/access", "", {})).status, 403, "no page");
    t.equal((await post("/home/access", "", { origin: "https://evil.example" })).status, 403, "another page");
    const access = await post("/home/access", "", { origin });
    const { token } = JSON.parse(access.body.toString());
    const line = JSON.stringify({ text: "Papa bought a map.", voice: "F1" });
    t.equal((await post("/v1/tts", line, { origin })).status, 401);
    const authorization = `Bearer ${token}`;
    const spoken = await post("/v1/tts", line, { origin, authorization });
    t.equal(spoken.status, 200);
    t.equal(spoken.body.toString("latin1", 0, 4), "RIFF");
    for (const body of ["{", "[]", "{}", JSON.stringify({ text: "x".repeat(301) })]) {
      t.equal((await post("/v1/tts", body, { origin, authorization })).status, 400, body.slice(0, 20));
    }
    t.equal((await post("/v1/tts", "x".repeat(20_000), { origin, authorization })).status, 413);
    const own = await ask(server, "/samples/face/speech");
    t.equal(own.body.toString("latin1", 0, 4), "RIFF", "the face has something to say of its own");
  });
});

t.test("the code of an agent leads to the service's page, with a token that it takes", async (t) => {
  await withApi(
    async (api) => {
      const { account, secret } = await api.addAccount({ credits: 70 });
      const code = await addAgent(api.services, { userId: account.userId, name: "Nova" });
      const credentials = { baseUrl: api.baseUrl, apiSecret: secret, source: "environment" } as const;
      const { signal } = new AbortController();
      const page = await openAgentPage(code, credentials, signal);
      t.match(page, { name: "Nova", creditBalance: 70 });
      t.ok(page.costPerMinute > 0);
      const server = await startPageServer({ host: "127.0.0.1", port: 0, isPublic: false, answer: page.answer });
      try {
        const opened = await ask(server, "/");
        t.equal(opened.status, 303);
        const location = new URL(String(opened.headers.location));
        t.equal(location.origin + location.pathname, `${api.baseUrl}/embed/${code}`);
        const token = location.hash.replace("#token=", "");
        const described = await api.call("GET", "/embed/agent", { bearer: token });
        t.match(described, { status: 200, body: { name: "Nova" } });
        t.equal((await ask(server, "/", { headers: { "sec-fetch-site": "cross-site" } })).status, 403, "no other site");
        t.notMatch(JSON.stringify([opened.headers, opened.body.toString()]), secret);
      } finally {
        await server.close();
      }
      await t.rejects(openAgentPage("Z00ZZZ0000", credentials, signal), { code: "NOT_FOUND" });
      await t.rejects(openAgentPage(code, { ...credentials, apiSecret: "wrong" }, signal), {
        name: "AuthenticationError",
      });
    },
    { background: false },
  );
});

t.test("a taken port gives the next free one; off loopback only with --public", async (t) => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  try {
    await withServer(
      async (server) => {
        t.ok(server.port > port && server.port <= port + 20, `${server.port} after ${port}`);
      },
      { port },
    );
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
  await t.rejects(
    withServer(async () => undefined, { host: "203.0.113.9" }),
    { code: "USAGE" },
  );
  await withAvatarCommand(t.testdir({ "words.imx": "no face" }), async (command) => {
    const refused = await command(["run", "--host", "0.0.0.0", "--json"]);
    t.equal(refused.code, 2);
    t.match(JSON.parse(refused.stderr), { error: { message: /other computers/, hint: /--public/ } });
    t.match(await command(["run", "--port", "70000", "--json"]), { code: 2, stderr: /--port/ });
    const joyful = await command(["run", "missing.imx", "--emotion", "joyful", "--json"]);
    t.match(joyful, { code: 2, stderr: /--emotion: There is no expression.*neutral, happy, sad/ });
    t.match(await command(["run", "missing.imx", "--emotion", "happy:1.2", "--json"]), { code: 2, stderr: /0 to 1/ });
    t.match(await command(["run", "missing.imx", "--json"]), { code: 66, stderr: /no such file/ });
    t.match(await command(["run", "words.imx", "--json"]), { code: 1, stderr: /UNSUPPORTED_TYPE/ });
    const away = { AVATAR_API_URL: "http://127.0.0.1:9", AVATAR_API_SECRET: "" };
    t.match(await command(["run", "maya", "--json"], away), { code: 69, stderr: /There is no file maya/ });
    t.match(await command(["run", "A00ABC0000", "--json"], away), { code: 77, stderr: /NOT_SIGNED_IN/ });
  });
});
