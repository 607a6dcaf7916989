// Peers of the relay that accept connections and say nothing.
import t from "tap";
import { ApiClient } from "../../relay/api-client.ts";
import { connectUpstream } from "../../relay/connect-upstream.ts";
import { withSilentServer } from "../helpers/with-silent-server.ts";

t.test("an api and an upstream that stay silent are given up in time", async (t) => {
  await withSilentServer(async ({ host }) => {
    const api = new ApiClient({ apiUrl: `http://${host}`, livekit: { apiKey: "key", apiSecret: "secret".repeat(8) } });
    const startMs = performance.now();
    const refused = { code: "SERVICE_UNAVAILABLE" };
    const upstream = { url: `ws://${host}/v1/realtime`, headers: {} } as Parameters<
      typeof connectUpstream
    >[0]["upstream"];
    await Promise.all([
      t.rejects(api.hangUp({ call_id: "rtc_x" } as Parameters<ApiClient["hangUp"]>[0]), refused),
      t.rejects(api.report({ calls: [] } as unknown as Parameters<ApiClient["report"]>[0])),
      t.rejects(connectUpstream({ upstream, headers: {} }), refused),
    ]);
    t.ok(performance.now() - startMs < 20_000);
    api.close();
  });
});
