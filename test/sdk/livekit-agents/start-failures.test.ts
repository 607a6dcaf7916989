// Starts that fail: what is missing, and services that are away, slow, busy or something else.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { initializeLogger, Plugin, voice } from "@livekit/agents";
import { Room } from "@livekit/rtc-node";
import t from "tap";
import packageJson from "../../../package.json" with { type: "json" };
import { AvatarSession, type AvatarSessionOptions } from "../../../sdk/livekit-agents/index.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { TestRoom } from "../../helpers/rooms/test-room.ts";
import { waitFor, within } from "../../helpers/wait-for.ts";

initializeLogger({ pretty: false, level: "silent" });

/** Nothing listens there. */
const AWAY = "http://127.0.0.1:9";
const LAUNCHED = { session_id: "cs_1", avatar_session_started: true };

async function withService(answer: RequestListener, work: (url: string) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const respond =
  (status: number, body: string, headers = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

t.test("the framework knows the plugin, in the version of the repository", async (t) => {
  t.match(Plugin.registeredPlugins, [
    { title: "open-avatar", version: packageJson.version, package: "@open-avatar/livekit-agents" },
  ]);
});

t.test("starts that fail", { timeout: 60_000 }, async (t) => {
  await withLiveKit(async ({ url, apiKey, apiSecret, mintToken }) => {
    const livekit = { livekitUrl: url, livekitApiKey: apiKey, livekitApiSecret: apiSecret };
    const room = new TestRoom();
    await room.connect(url, await mintToken("agent", { kind: "agent" }), { autoSubscribe: false, dynacast: false });
    const create = (options: AvatarSessionOptions = {}) => {
      const connOptions = { maxRetry: 1, retryIntervalMs: 10, timeoutMs: 2_000 };
      return new AvatarSession({ apiUrl: AWAY, apiSecret: "secret", agentId: "maya", connOptions, ...options });
    };
    const session = new voice.AgentSession({});
    const start = (options?: AvatarSessionOptions) => create(options).start(session, room, livekit);

    await t.test("say what is missing, before anything is sent", async (t) => {
      for (const name of ["AVATAR_API_SECRET", "AVATAR_API_KEY", "LIVEKIT_API_SECRET"]) delete process.env[name];
      await t.rejects(start({ apiSecret: "" }), { name: "AvatarSessionError", message: /AVATAR_API_SECRET/ });
      const partly = { livekitUrl: url, livekitApiKey: apiKey };
      await t.rejects(create().start(session, room, partly), /livekitApiSecret.*LIVEKIT_API_SECRET/);
      await t.rejects(create().start(session, new Room(), livekit), /The room is not connected/);
      for (const emotion of ["joyful", "", "happy:2"]) {
        const names = emotion === "happy:2" ? /0 to 1/ : /neutral, happy, sad/;
        await t.rejects(start({ emotion }), { name: "AvatarSessionError", message: names });
        await t.rejects(start({ emotion, agentId: undefined, bundle: "none.imx" }), { message: names });
      }
      const manner = "lively" as "still";
      await t.rejects(start({ manner }), { name: "AvatarSessionError", message: /still, natural, animated/ });
      await t.rejects(start({ apiUrl: "no address" }), { name: "ConfigurationError" });
    });

    await t.test("tell a service that is away, slow or something else", async (t) => {
      await t.rejects(start(), { name: "ConnectionError" });
      await withService(
        () => undefined,
        async (apiUrl) => {
          const connOptions = { maxRetry: 0, timeoutMs: 200 };
          await t.rejects(start({ apiUrl, connOptions }), { name: "TimeoutError" });
        },
      );
      const page = "<html><body>Bad gateway</body></html>";
      await withService(respond(502, page, { "content-type": "text/html" }), async (apiUrl) => {
        await t.rejects(start({ apiUrl }), { name: "ServerError", httpStatus: 502 });
      });
      await withService(respond(200, page, { "content-type": "text/html" }), async (apiUrl) => {
        await t.rejects(start({ apiUrl }), { name: "InvalidResponseError" });
      });
      t.equal(session.output.audio, null, "the agent keeps its own output");
    });

    await t.test("are repeated while the service is busy, and wait as long as it asks", async (t) => {
      const times: number[] = [];
      let launch: unknown;
      const busy: RequestListener = async (request, response) => {
        if (times.length === 1) launch = await json(request);
        times.push(performance.now());
        if (times.length === 1) response.writeHead(429, { "retry-after": "1" }).end("{}");
        else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(LAUNCHED));
      };
      await withService(busy, async (apiUrl) => {
        const avatar = create({ apiUrl, emotion: "happy:0.6", manner: "still", listen: false });
        await avatar.start(session, room, livekit);
        t.equal(avatar.sessionId, "cs_1");
        t.match(launch, { agent_id: "maya", emotion: "happy:0.6", manner: "still", listen: false });
        t.ok(times[1] - times[0] >= 990);
        await avatar.aclose();
        t.equal(avatar.sessionId, null);
      });
    });

    await t.test("end when the avatar session is closed, and can be repeated", async (t) => {
      let requests = 0;
      const silent: RequestListener = () => {
        requests += 1;
      };
      await withService(silent, async (apiUrl) => {
        const avatar = create({ apiUrl, connOptions: { timeoutMs: 30_000 } });
        const started = avatar.start(session, room, livekit);
        await waitFor(() => requests === 1, "the launch");
        const closing = avatar.aclose();
        await t.rejects(started, { name: "AvatarSessionError", message: /closed while it started/ });
        await within(closing, "the end", 10_000);
      });
    });

    await room.disconnect();
  });
});
