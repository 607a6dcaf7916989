// A LiveKit server that dies and comes back: the avatar's users and its sender return after the avatar, and nothing is
// lost that the sender waits for.
import { AccessToken } from "livekit-server-sdk";
import t from "tap";
import { AvatarAttributes } from "../../../agent-worker/room/avatar-attributes.ts";
import { joinMediaRoom } from "../../../agent-worker/room/media-room.ts";
import { createLogger } from "../../../program/log.ts";
import { SenderBinding } from "../../../room/participants/sender-binding.ts";
import { PlaybackReporter } from "../../../room/sender/playback-reporter.ts";
import type { EndReason } from "../../../shared/runtime-api.ts";
import { ATTRIBUTE_AGENT_STATE, RPC_PLAYBACK_FINISHED } from "../../../shared/wire-names.ts";
import { disposeRtc } from "../../helpers/livekit/dispose-rtc.ts";
import { type OwnLiveKit, withOwnLiveKit } from "../../helpers/livekit/with-own-livekit.ts";
import { TestRoom } from "../../helpers/rooms/test-room.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });
// The native part of rtc-node keeps a process alive until it is disposed.
t.teardown(disposeRtc);
/** Clients wait longer before each attempt to reconnect. */
const RETURN_TIMEOUT_MS = 60_000;

async function mintToken({ apiKey, apiSecret }: OwnLiveKit, identity: string, kind: "standard" | "agent") {
  const token = new AccessToken(apiKey, apiSecret, { identity });
  token.addGrant({ room: "restarted", roomJoin: true, canUpdateOwnMetadata: true });
  token.kind = kind;
  return token.toJwt();
}

t.test("after a restart of the LiveKit server the avatar stays, and reports what its sender waits for", async (t) => {
  await withOwnLiveKit(async (livekit) => {
    const join = async (identity: string, kind: "standard" | "agent") => {
      const room = new TestRoom();
      await room.connect(livekit.url, await mintToken(livekit, identity, kind), {
        autoSubscribe: false,
        dynacast: false,
      });
      return room;
    };
    const ends: EndReason[] = [];
    const user = await join("user", "standard");
    const sender = await join("sender", "agent");
    const positions: number[] = [];
    sender.localParticipant!.registerRpcMethod(RPC_PLAYBACK_FINISHED, async ({ payload }) => {
      positions.push(JSON.parse(payload).playback_position);
      return "ok";
    });
    const livekitToken = await mintToken(livekit, "avatar", "agent");
    const mediaRoom = await joinMediaRoom({
      livekitUrl: livekit.url,
      livekitToken,
      mayContact: () => true,
      logger,
      onEnd: (reason) => ends.push(reason),
      leaveGraceMs: 1,
    });
    const { room } = mediaRoom;
    const isBack = () => room.remoteParticipants.has("user") && room.remoteParticipants.has("sender");
    await waitFor(isBack, "both are seen");
    const attributes = new AvatarAttributes({ room, livekitToken, logger });
    attributes.ready();
    const shownState = () => user.remoteParticipants.get("avatar")?.attributes[ATTRIBUTE_AGENT_STATE];
    await waitFor(() => shownState() === "listening", "the avatar's state");
    const binding = new SenderBinding(room);
    binding.start();
    const reporter = new PlaybackReporter({ room, logger });
    reporter.start();
    for (const id of ["first", "second", "third"]) reporter.open(id, "sender");

    const gone = new Set<string>();
    room.on("participantDisconnected", ({ identity }) => gone.add(identity));
    const goneForUser = new Set<string>();
    user.on("participantDisconnected", ({ identity }) => goneForUser.add(identity));
    const restarted = livekit.restart();
    await waitFor(() => gone.size === 2, "the avatar has lost both", RETURN_TIMEOUT_MS);
    reporter.finished("first", { positionMs: 1_000, interrupted: false });
    reporter.finished("second", { positionMs: 2_000, interrupted: false });
    await restarted;
    await waitFor(isBack, "both are back", RETURN_TIMEOUT_MS);
    reporter.finished("third", { positionMs: 3_000, interrupted: false });
    await waitFor(() => reporter.openSegments.length === 0, "all reports");
    t.same(positions, [1, 2, 3], "once each, in order");
    t.equal(binding.identity, "sender", "no other agent takes its place");
    t.same(ends, [], "the avatar stays");
    t.ok(goneForUser.has("avatar"));
    await waitFor(() => shownState() === "listening", "the avatar's state is known to the new server");
    attributes.close();

    await reporter.close();
    binding.close();
    await mediaRoom.close();
    for (const each of [user, sender]) await each.disconnect();
  });
});
