// Joining and leaving the caller's room, on a real server.
import { createServer } from "node:net";
import type { Room } from "@livekit/rtc-node";
import { AccessToken, ParticipantInfo_State } from "livekit-server-sdk";
import t from "tap";
import { joinMediaRoom, type MediaRoomOptions } from "../../../agent-worker/room/media-room.ts";
import { createLogger } from "../../../program/log.ts";
import type { EndReason } from "../../../shared/runtime-api.ts";
import { type TestLiveKit, withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { TestRoom } from "../../helpers/rooms/test-room.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });

async function join(livekit: TestLiveKit, options: Partial<MediaRoomOptions> = {}) {
  const ends: EndReason[] = [];
  const vacancies: boolean[] = [];
  const mediaRoom = await joinMediaRoom({
    livekitUrl: livekit.url,
    livekitToken: await livekit.mintToken("avatar", { kind: "agent" }),
    mayContact: () => true,
    logger,
    onEnd: (reason) => ends.push(reason),
    onVacancy: (isVacant) => vacancies.push(isVacant),
    ...options,
  });
  return { mediaRoom, ends, vacancies };
}

/** The server counts a participant as active shortly after the SDK reports the connection. A participant that is
 *  removed in between may not be notified. */
async function isActive(livekit: TestLiveKit): Promise<boolean> {
  const { state } = await livekit.rooms.getParticipant(livekit.roomName, "avatar");
  return state === ParticipantInfo_State.ACTIVE;
}

async function joinUser(
  livekit: TestLiveKit,
  identity: string,
  kind: "standard" | "agent" = "standard",
): Promise<Room> {
  const room = new TestRoom();
  await room.connect(livekit.url, await livekit.mintToken(identity, { kind }), {
    autoSubscribe: true,
    dynacast: false,
  });
  return room;
}

t.test("a token or URL with which no room can be joined is refused, and the message does not contain it", async (t) => {
  await withLiveKit(async (livekit) => {
    const expired = new AccessToken(livekit.apiKey, livekit.apiSecret, { identity: "avatar", ttl: -60 });
    expired.addGrant({ room: livekit.roomName, roomJoin: true });
    const foreign = new AccessToken(livekit.apiKey, "another-secret-another-secret-another", { identity: "avatar" });
    foreign.addGrant({ room: livekit.roomName, roomJoin: true });
    for (const livekitToken of ["garbled.token.here", await expired.toJwt(), await foreign.toJwt()]) {
      try {
        await join(livekit, { livekitToken });
        t.fail("joined");
      } catch (error) {
        t.match(error, { code: "UPSTREAM_ERROR", message: "The LiveKit server refused the avatar's connection" });
        t.notMatch(String((error as Error).cause), livekitToken);
      }
    }
    for (const livekitUrl of [
      "not a url",
      "ftp://127.0.0.1",
      "ws://user:password@127.0.0.1:7880",
      "file:///etc/passwd",
    ]) {
      await t.rejects(join(livekit, { livekitUrl }), { code: "VALIDATION_ERROR" }, livekitUrl);
    }
    await t.rejects(join(livekit, { livekitUrl: "ws://127.0.0.1:9", joinTimeoutMs: 5_000 }), { name: "ServiceError" });
  });
});

t.test("joining fails after the timeout if the server does not answer", async (t) => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as { port: number };
  await withLiveKit(async (livekit) => {
    const startMs = performance.now();
    const joining = join(livekit, { livekitUrl: `ws://127.0.0.1:${port}`, joinTimeoutMs: 700 });
    await t.rejects(joining, { code: "UPSTREAM_TIMEOUT" });
    t.ok(performance.now() - startMs < 2_000);
  });
  silent.close();
});

t.test(
  "the avatar stays while a user is present, and leaves soon after the last one; agents do not count as users",
  async (t) => {
    await withLiveKit(async (livekit) => {
      const first = await joinUser(livekit, "first");
      const agent = await joinUser(livekit, "agent", "agent");
      const { mediaRoom, ends, vacancies } = await join(livekit, { leaveGraceMs: 60_000 });
      const second = await joinUser(livekit, "second");
      await waitFor(() => mediaRoom.room.remoteParticipants.has("second"), "the second user is seen");
      await first.disconnect();
      await waitFor(() => !mediaRoom.room.remoteParticipants.has("first"), "the first user has left");
      await second.disconnect();
      await waitFor(() => !mediaRoom.room.remoteParticipants.has("second"), "the second user has left, too");
      const back = await joinUser(livekit, "second");
      await waitFor(() => mediaRoom.room.remoteParticipants.has("second"), "and is back soon");
      t.same(ends, [], "a page that is loaded again keeps its avatar");
      t.same(vacancies, [true, false], "the room was vacant in between");
      await back.disconnect();
      await mediaRoom.close();
      const hasty = await join(livekit, { leaveGraceMs: 100 });
      const last = await joinUser(livekit, "last");
      await waitFor(() => hasty.mediaRoom.room.remoteParticipants.has("last"), "a user is seen");
      await last.disconnect();
      await waitFor(() => hasty.ends.length === 1, "the end");
      t.same(hasty.ends, ["last_user_left"]);
      await agent.disconnect();
      await hasty.mediaRoom.close();
      await hasty.mediaRoom.close();
      t.same([ends.length, hasty.ends.length], [0, 1], "told once");
    });
  },
);

t.test("the avatar leaves a room that no user enters within the time limit", async (t) => {
  await withLiveKit(async (livekit) => {
    const { mediaRoom, ends } = await join(livekit, { idleTimeoutMs: 300 });
    await waitFor(() => ends.length === 1, "the end");
    t.same(ends, ["last_user_left"]);
    await mediaRoom.close();
  });
});

t.test("an avatar leaves a room without users soon after its sender, unless the sender comes back", async (t) => {
  await withLiveKit(async (livekit) => {
    const sender = await joinUser(livekit, "voice-agent", "agent");
    const other = await joinUser(livekit, "other-agent", "agent");
    const livekitToken = await livekit.mintToken("avatar", {
      kind: "agent",
      attributes: { "lk.publish_on_behalf": "voice-agent" },
    });
    const { mediaRoom, ends, vacancies } = await join(livekit, { livekitToken, leaveGraceMs: 60_000 });
    await other.disconnect();
    await waitFor(() => !mediaRoom.room.remoteParticipants.has("other-agent"), "another agent has left");
    t.same(vacancies, [], "which changes nothing");
    await sender.disconnect();
    await waitFor(() => mediaRoom.isVacant, "the room is vacant");
    const back = await joinUser(livekit, "voice-agent", "agent");
    await waitFor(() => !mediaRoom.isVacant, "the sender is back");
    t.same(ends, []);
    await mediaRoom.close();

    const hasty = await join(livekit, { livekitToken, leaveGraceMs: 300, staysForAudio: true });
    await back.disconnect();
    await waitFor(() => hasty.mediaRoom.isVacant, "the sender has left");
    hasty.mediaRoom.noteAudio();
    await waitFor(() => hasty.ends.length === 1, "the end");
    t.same([hasty.ends, hasty.vacancies], [["last_user_left"], [true]]);
    await hasty.mediaRoom.close();
  });
});

t.test("audio keeps an avatar of a self-hosted worker in a room without users, silence does not", async (t) => {
  await withLiveKit(async (livekit) => {
    const { mediaRoom, ends } = await join(livekit, { idleTimeoutMs: 300, staysForAudio: true });
    for (let times = 0; times < 6; times++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      mediaRoom.noteAudio();
    }
    t.same(ends, [], "twice the time limit has passed");
    await waitFor(() => ends.length === 1, "the end");
    t.same(ends, ["last_user_left"]);
    await mediaRoom.close();
  });
});

t.test(
  "removal, a second avatar with the same identity and the end of the room end the session, each with its own reason",
  async (t) => {
    await withLiveKit(async (livekit) => {
      const removed = await join(livekit);
      await waitFor(() => isActive(livekit), "the avatar is active");
      await livekit.rooms.removeParticipant(livekit.roomName, "avatar");
      await waitFor(() => removed.ends.length === 1, "the end by removal");
      t.same(removed.ends, ["avatar_removed"]);
      const replaced = await join(livekit);
      await waitFor(() => isActive(livekit), "the avatar is active again");
      const successor = await join(livekit);
      await waitFor(() => replaced.ends.length === 1, "the end by replacement");
      t.same(replaced.ends, ["avatar_removed"]);
      await waitFor(() => isActive(livekit), "the successor is active");
      await livekit.rooms.deleteRoom(livekit.roomName);
      await waitFor(() => successor.ends.length === 1, "the end of the room");
      t.same(successor.ends, ["room_closed"]);
      const quiet = await join(livekit);
      await quiet.mediaRoom.close();
      t.same(quiet.ends, [], "leaving by oneself is no end");
      for (const { mediaRoom } of [removed, replaced, successor]) await mediaRoom.close();
    });
  },
);
