// A LiveKit server that accepts connections and says nothing: each call of the api ends in time.
import t from "tap";
import { createLiveKitGateway } from "../../../../api/kernel/livekit/livekit-gateway.ts";
import { withSilentServer } from "../../../helpers/servers/with-silent-server.ts";

t.test("calls to a silent server are refused in time, and it counts as unreachable", async (t) => {
  await withSilentServer(async ({ host }) => {
    const options = { url: `ws://${host}`, apiKey: "key", apiSecret: "secret".repeat(8) };
    const gateway = createLiveKitGateway(options);
    const startMs = performance.now();
    const refused = { code: "SERVICE_UNAVAILABLE" };
    const rpc = { roomName: "room", identity: "x", method: "m", payload: "", timeoutMs: 500 };
    const calls = [
      () => gateway.hasWorker("cs_1"),
      () => gateway.dispatchWorker("cs_1", "{}"),
      () => gateway.closeRoom("room"),
      () => gateway.countParticipants("room"),
      () => gateway.performRpc(rpc),
    ];
    await Promise.all(calls.map((call) => t.rejects(call() as Promise<void>, refused, String(call))));
    t.equal(await gateway.isReachable(300), false);
    t.match(await gateway.checkServer(), { status: "unreachable" });
    t.ok(performance.now() - startMs < 20_000);
  });
});
