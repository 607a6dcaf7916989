// What an avatar tells about itself in a real room: its name and its attributes.
import { type RemoteParticipant, type Room, RoomEvent } from "@livekit/rtc-node";
import t from "tap";
import { AvatarAttributes } from "../../../agent-worker/room/avatar-attributes.ts";
import { createLogger } from "../../../program/log.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { TestRoom } from "../../helpers/rooms/test-room.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });

t.test("an avatar has its agent's name, if its token allows it and names it nothing else", async (t) => {
  await withLiveKit(async ({ url, mintToken }) => {
    const viewer = new TestRoom();
    await viewer.connect(url, await mintToken("viewer"), { autoSubscribe: false, dynacast: false });
    const seen = (identity: string) => viewer.remoteParticipants.get(identity) as RemoteParticipant | undefined;
    const join = async (identity: string, canUpdateOwnMetadata: boolean) => {
      const room = new TestRoom();
      const livekitToken = await mintToken(identity, { grant: { canUpdateOwnMetadata } });
      await room.connect(url, livekitToken, { autoSubscribe: false, dynacast: false });
      return { room, attributes: new AvatarAttributes({ room, livekitToken, logger }) };
    };
    const allowed = await join("allowed", true);
    await allowed.attributes.showName("Zoe");
    await waitFor(() => seen("allowed")?.name === "Zoe", "the name arrives");
    await waitFor(() => allowed.room.localParticipant?.name === "Zoe", "the avatar knows its name");
    await allowed.attributes.showName("Another");
    const refused = await join("refused", false);
    await refused.attributes.showName("Zoe");
    await waitFor(() => seen("refused"), "the other one is announced");
    t.equal(seen("refused")?.name, "");
    t.equal(seen("allowed")?.name, "Zoe", "a name that is there stays");

    let changes = 0;
    viewer.on(RoomEvent.ParticipantAttributesChanged, () => {
      changes += 1;
    });
    for (let i = 0; i < 2_000; i++) allowed.attributes.thinks(i % 2 === 0);
    allowed.attributes.thinks(true);
    allowed.attributes.showLlm("model");
    await waitFor(() => seen("allowed")?.attributes["lk.agent.state"] === "thinking", "the last state");
    await waitFor(() => Object.values(seen("allowed")?.attributes ?? {}).includes("model"), "and the rest");
    t.ok(changes <= 3, `2,000 changes are sent as ${changes}`);
    for (const { room } of [allowed, refused]) await room.disconnect();
    await viewer.disconnect();
  });
});

/** Attributes in a room with a server that takes every change and confirms none. */
function withSilentServer() {
  const sent: Record<string, string>[] = [];
  const setAttributes = (changed: Record<string, string>) => {
    sent.push(changed);
    return new Promise(() => undefined);
  };
  const room = { localParticipant: { setAttributes } } as unknown as Room;
  // A token that allows it; only the server checks the signature.
  const payload = Buffer.from('{"video":{"canUpdateOwnMetadata":true}}').toString("base64url");
  return { sent, attributes: new AvatarAttributes({ room, livekitToken: `e30.${payload}.x`, logger }) };
}

t.test("a server that does not answer holds up nothing: the room is told of an error in bounded time", async (t) => {
  const { attributes } = withSilentServer();
  const startMs = performance.now();
  await attributes.fail("model_failed");
  t.ok(performance.now() - startMs < 20_000, "within its timeout");
});

t.test("a change that is not confirmed yet delays none after it, so that no state is skipped", async (t) => {
  const { sent, attributes } = withSilentServer();
  attributes.ready();
  await waitFor(() => sent.length === 1, "the first state is sent");
  attributes.started("a");
  await waitFor(() => sent.length === 2, "the second is sent", 1_500);
  attributes.thinks(true);
  attributes.finished("a");
  await waitFor(() => sent.length === 3, "and the third", 1_500);
  t.same(
    sent.map((changed) => changed["lk.agent.state"]),
    ["listening", "speaking", "thinking"],
  );
  attributes.close();
});
