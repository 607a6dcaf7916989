// Avatar sessions from REST to the room and back, with the real worker: started, seen, replaced after a crash, ended.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { RoomEvent, TrackKind } from "@livekit/rtc-node";
import { AccessToken } from "livekit-server-sdk";
import t from "tap";
import { TestRoom } from "../helpers/rooms/test-room.ts";
import { type TestStack, withStack } from "../helpers/service/with-stack.ts";
import { waitFor } from "../helpers/wait-for.ts";

const AVATAR = "rest-avatar";

async function mint(stack: TestStack, identity: string, roomName: string, kind: "agent" | "standard"): Promise<string> {
  const token = new AccessToken(stack.livekit.apiKey, stack.livekit.apiSecret, { identity, ttl: 600 });
  token.addGrant({ roomJoin: true, room: roomName });
  token.kind = kind;
  return token.toJwt();
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely, and a wrong shape fails them anyway
async function call(stack: TestStack, method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(stack.baseUrl + path, {
    method,
    headers: { "api-secret": stack.apiSecret, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  return { ...(await response.json()), httpStatus: response.status };
}

async function launch(stack: TestStack, roomName: string, fields: object) {
  return call(stack, "POST", "/v1/runtime-tokens/request", {
    mode: "gpu",
    livekit_url: stack.livekit.url,
    livekit_token: await mint(stack, AVATAR, roomName, "agent"),
    room_name: roomName,
    ...fields,
  });
}

/** The process of an avatar session, by the worker's log. */
async function findSessionProcess({ dataDir }: TestStack, sessionId: string): Promise<number> {
  const lines = (await readFile(join(dataDir, "logs", "worker.log"), "utf8")).split("\n");
  const line = lines.findLast((text) => text.includes("session given to a process") && text.includes(sessionId));
  return Number(/"runBy":(\d+)/.exec(line ?? "")?.[1]);
}

t.test(
  "a session is started, checked, back after a crash of its process, and ended over REST",
  { timeout: 240_000 },
  async (t) => {
    await withStack(async (stack) => {
      const roomName = `rest-${crypto.randomUUID()}`;
      const viewer = new TestRoom();
      const tracks = new Set<number | undefined>();
      let leaves = 0;
      viewer.on(RoomEvent.TrackSubscribed, (track, _publication, participant) => {
        if (participant.identity === AVATAR) tracks.add(track.kind);
      });
      viewer.on(RoomEvent.ParticipantDisconnected, (participant) => {
        if (participant.identity !== AVATAR) return;
        leaves += 1;
        tracks.clear();
      });
      await viewer.connect(stack.livekit.url, await mint(stack, "viewer", roomName, "standard"));
      const isSeen = () => tracks.has(TrackKind.KIND_VIDEO) && tracks.has(TrackKind.KIND_AUDIO);
      try {
        const { session_id: id } = await launch(stack, roomName, { agent_id: stack.agentCode });
        const statusOf = async () => (await call(stack, "GET", `/v1/runtime-sessions/${id}`)).status;
        await waitFor(isSeen, "both tracks of the avatar");
        await waitFor(async () => (await statusOf()) === "live", "the session to be live");

        const spoken = await call(stack, "POST", `/v1/agent/${stack.agentCode}/speak`, {
          message: "Hello from the other side.",
        });
        t.match(spoken, { httpStatus: 200, delivered_to_rooms: 1, rooms: [roomName] });

        const isBilled = async () => (await call(stack, "GET", `/v1/runtime-sessions/${id}`)).billed_seconds > 0;
        await waitFor(isBilled, "the first heartbeat");
        const victim = await findSessionProcess(stack, id);
        const killedMs = performance.now();
        process.kill(victim, "SIGKILL");
        await waitFor(() => leaves === 1, "the avatar to be gone", 60_000);
        await waitFor(isSeen, "the avatar to come back by itself", 90_000);
        t.equal(await statusOf(), "live", "the api noticed nothing");
        t.comment(`back ${((performance.now() - killedMs) / 1000).toFixed(1)} s after the kill`);

        const ended = await call(stack, "POST", `/v1/runtime-sessions/${id}/end`);
        t.match(ended, { session_id: id, ended: true, slot_released: true });
        t.ok(ended.billed_seconds > 0);
        await waitFor(() => tracks.size === 0, "the avatar to leave");
        t.ok(viewer.isConnected, "the caller's room stays");

        const image = (await readFile(new URL("../fixtures/portraits/astronaut.png", import.meta.url))).toString(
          "base64",
        );
        const photo = await launch(stack, roomName, { image });
        t.match(photo, { status: "starting", model: "expression-1", session_id: /^cs_/ });
        await waitFor(isSeen, "the photo's avatar", 60_000);
        await call(stack, "POST", `/v1/runtime-sessions/${photo.session_id}/end`);
      } finally {
        await viewer.disconnect();
      }
    });
  },
);
