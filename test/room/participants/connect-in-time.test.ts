// A LiveKit server that accepts the connection of a room and stays silent.
import { Room } from "@livekit/rtc-node";
import t from "tap";
import { ControlRoom } from "../../../agent-worker/session/control-room.ts";
import { createLogger } from "../../../program/log.ts";
import { connectInTime } from "../../../room/participants/connect-in-time.ts";
import { disposeRtc } from "../../helpers/livekit/dispose-rtc.ts";
import { withSilentServer } from "../../helpers/servers/with-silent-server.ts";

const logger = createLogger({ level: "silent", name: "test" });

t.teardown(disposeRtc);

t.test("a join is given up in time", async (t) => {
  await withSilentServer(async ({ host }) => {
    const startMs = performance.now();
    await t.rejects(connectInTime(new Room(), `ws://${host}`, "token", 300), { code: "UPSTREAM_TIMEOUT" });
    t.ok(performance.now() - startMs < 10_000);
  });
});

t.test("a control room that stays silent ends the session in time", async (t) => {
  await withSilentServer(async ({ host }) => {
    const startMs = performance.now();
    const reason = await new Promise((resolve) => {
      const room = new ControlRoom({
        url: `ws://${host}`,
        token: "token",
        logger,
        end: resolve,
        joinTimeoutMs: 300,
        speak: async () => undefined,
        addContext: async () => undefined,
        type: async () => undefined,
        turns: () => [],
        still: async () => new Uint8Array(),
      });
      room.join();
    });
    t.equal(reason, "worker_lost");
    t.ok(performance.now() - startMs < 40_000, `${performance.now() - startMs} ms`);
  });
});
