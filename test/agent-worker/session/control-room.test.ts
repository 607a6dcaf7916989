// Calls of the api to a session's process, on a real server.
import { randomUUID } from "node:crypto";
import type { Room } from "@livekit/rtc-node";
import { AccessToken, RoomServiceClient } from "livekit-server-sdk";
import t from "tap";
import { ControlRoom, registerControlRpc } from "../../../agent-worker/session/control-room.ts";
import { createLogger } from "../../../program/log.ts";
import { EngineError } from "../../../shared/engine-error.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { STILL_MAX_BYTES, type TurnRecord } from "../../../shared/runtime-api.ts";
import { RPC_SPEAK, RPC_STILL, RPC_TURNS } from "../../../shared/wire-names.ts";
import { useLiveKit } from "../../helpers/livekit/use-livekit.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { TestRoom } from "../../helpers/rooms/test-room.ts";
import { waitFor } from "../../helpers/wait-for.ts";

t.test(
  "a control room that LiveKit closes as empty is joined again; one that the api deletes ends the session",
  async (t) => {
    const { url, apiKey, apiSecret } = await useLiveKit();
    const rooms = new RoomServiceClient(url, apiKey, apiSecret);
    const name = `ctl-${randomUUID()}`;
    await rooms.createRoom({ name, emptyTimeout: 2 });
    const token = new AccessToken(apiKey, apiSecret, { identity: "avatar" });
    token.addGrant({ roomJoin: true, room: name });
    token.kind = "agent";
    const ends: string[] = [];
    const control = new ControlRoom({
      url,
      token: await token.toJwt(),
      logger: createLogger({ level: "silent", name: "test" }),
      speak: async () => undefined,
      addContext: async () => undefined,
      type: async () => undefined,
      still: async () => new Uint8Array(),
      turns: () => [],
      end: (reason) => ends.push(reason),
    });
    control.join();
    const sidOf = async () => {
      const there = await rooms.listParticipants(name).catch(() => []);
      return there.length > 0 && (await rooms.listRooms([name]))[0]?.sid;
    };
    const first = await waitFor(sidOf, "it joins");
    await waitFor(async () => {
      const sid = await sidOf();
      return sid && sid !== first;
    }, "it joins again");
    t.same(ends, []);
    await rooms.deleteRoom(name);
    await waitFor(() => ends.length > 0, "the session ends");
    t.same(ends, ["worker_draining"]);
    await control.close();
  },
);

const TURN: TurnRecord = {
  number: 1,
  answered_at: "2026-01-01T00:00:00.000Z",
  text: "How late is it?",
  is_typed: false,
  confidence: 0.8,
  text_ms: 200,
  decided_ms: 300,
  words_ms: 500,
  sound_ms: null,
  told: { instructions: "Be kind.", history: [], passages: [], has_image: false, is_cut: false },
};

const FAILURES: Record<string, Error> = {
  voice: new EngineError("unavailable", "Too many sentences are waiting for the voice. Try again."),
  session: new ServiceError("SERVICE_UNAVAILABLE", "The avatar session is not live"),
  internal: new TypeError("password is undefined"),
};

t.test("the api gets the messages of the session and of its voice, and none of internal errors", async (t) => {
  await withLiveKit(async (livekit) => {
    const [worker, api] = [new TestRoom(), new TestRoom()];
    const join = async (room: Room, identity: string) =>
      room.connect(livekit.url, await livekit.mintToken(identity), { autoSubscribe: false, dynacast: false });
    await join(worker, "avatar");
    const spoken: string[] = [];
    let still = new Uint8Array(STILL_MAX_BYTES).fill(7);
    registerControlRpc(worker, {
      logger: createLogger({ level: "silent", name: "test" }),
      speak: async (message) => {
        spoken.push(message);
        if (FAILURES[message]) throw FAILURES[message];
      },
      addContext: async () => undefined,
      type: async () => undefined,
      still: async () => {
        if (still.length === 0) throw FAILURES.session;
        return still;
      },
      turns: (after) => {
        if (after === 9) throw FAILURES.session;
        return [{ ...TURN, number: after + 1 }];
      },
      end: () => undefined,
    });
    await join(api, "api");
    const answerTo = async (fields: object, method = RPC_SPEAK): Promise<{ jpeg?: string }> => {
      const call = {
        destinationIdentity: "avatar",
        method,
        payload: JSON.stringify({ request_id: "r-1", ...fields }),
      };
      return JSON.parse((await api.localParticipant?.performRpc(call)) ?? "null");
    };
    t.same(await answerTo({ message: "Hello" }), { ok: true });
    t.same(await answerTo({ message: "Hello", emotion: "sad:0.5" }), { ok: true });
    t.same(spoken.splice(0), ["Hello", "[sad:0.5] Hello"], "an emotion becomes a tag before the message");
    t.same(await answerTo({ message: "Hello", emotion: "joy" }), { ok: false, error: "malformed payload" });
    t.same(await answerTo({ message: "voice" }), {
      ok: false,
      error: "Too many sentences are waiting for the voice. Try again.",
    });
    t.same(await answerTo({ message: "session" }), { ok: false, error: "The avatar session is not live" });
    t.same(await answerTo({ message: "internal" }), { ok: false, error: "internal error" });
    t.same(await answerTo({}), { ok: false, error: "malformed payload" });
    const { jpeg, ...rest } = await answerTo({}, RPC_STILL);
    t.same(rest, { ok: true });
    t.same(Buffer.from(jpeg ?? "", "base64"), Buffer.from(still), "the largest still passes");
    still = new Uint8Array();
    t.same(await answerTo({}, RPC_STILL), { ok: false, error: "The avatar session is not live" });
    t.same(await answerTo({ after: 3 }, RPC_TURNS), { ok: true, turns: [{ ...TURN, number: 4 }] });
    t.same(await answerTo({ after: 9 }, RPC_TURNS), { ok: false, error: "The avatar session is not live" });
    t.same(await answerTo({ after: "all" }, RPC_TURNS), { ok: false, error: "malformed payload" });
    await Promise.all([worker.disconnect(), api.disconnect()]);
  });
});
