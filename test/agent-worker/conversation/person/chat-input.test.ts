// What participants type in a LiveKit client, on a real server.
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Room, RoomEvent, type TextStreamWriter } from "@livekit/rtc-node";
import t from "tap";
import { ChatInput } from "../../../../agent-worker/conversation/person/chat-input.ts";
import { createLogger } from "../../../../program/log.ts";
import { TOPIC_CHAT } from "../../../../shared/wire-names.ts";
import { withLiveKit } from "../../../helpers/livekit/with-livekit.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });

t.test("only the linked person types, 5,000 characters at most, and not ten thousand messages", async (t) => {
  await withLiveKit(async (livekit) => {
    const rooms = { avatar: new Room(), ada: new Room(), eve: new Room() };
    for (const [identity, room] of Object.entries(rooms)) {
      await room.connect(livekit.url, await livekit.mintToken(identity), { autoSubscribe: false, dynacast: false });
    }
    const texts: string[] = [];
    let nowMs = 0;
    const input = new ChatInput({
      room: rooms.avatar,
      isLinked: (identity) => identity === "ada",
      onText: (text) => texts.push(text),
      logger,
      now: () => nowMs,
    });
    input.start();
    const type = async (from: Room, text: string) => {
      await from.localParticipant?.sendText(text, { topic: TOPIC_CHAT });
    };
    await type(rooms.eve, "I am not linked.");
    await type(rooms.ada, "  Hello.  ");
    await type(rooms.ada, "   ");
    await type(rooms.ada, "x".repeat(20_000));
    await waitFor(() => texts.length === 2, "two texts");
    t.same([texts[0], texts[1].length], ["Hello.", 5_000]);
    for (let i = 0; i < 100; i++) await type(rooms.ada, `Message ${i}.`);
    await waitFor(() => texts.length + input.ignored === 102, "all of them came");
    t.equal(texts.length, 9, "ten at once, of which one was empty");
    nowMs += 4_000;
    await type(rooms.ada, "Later.");
    await waitFor(() => texts.at(-1) === "Later.", "more may come later");
    input.close();
    for (const room of Object.values(rooms)) await room.disconnect();
  });
});

t.test("a message that overtakes the news of its sender's arrival is taken", async (t) => {
  await withLiveKit(async (livekit) => {
    const rooms = { avatar: new Room(), ada: new Room() };
    for (const [identity, room] of Object.entries(rooms)) {
      await room.connect(livekit.url, await livekit.mintToken(identity), { autoSubscribe: false, dynacast: false });
    }
    const people = rooms.avatar.remoteParticipants;
    await waitFor(() => people.size === 1, "the news");
    const ada = people.get("ada")!;
    const texts: string[] = [];
    const isLinked = (identity: string) => people.has(identity);
    const input = new ChatInput({ room: rooms.avatar, isLinked, onText: (text) => texts.push(text), logger });
    input.start();
    const type = (text: string) => rooms.ada.localParticipant?.sendText(text, { topic: TOPIC_CHAT });

    // As if the news were still on its way.
    people.delete("ada");
    await type("At once.");
    await delay(300);
    t.same(texts, [], "nothing is taken of one who is not linked");
    people.set("ada", ada);
    rooms.avatar.emit(RoomEvent.ParticipantConnected, ada);
    await waitFor(() => texts.length === 1, "the message");
    await type("Later.");
    await waitFor(() => texts.length === 2, "another message");
    t.same(texts, ["At once.", "Later."]);
    input.close();
    for (const room of Object.values(rooms)) await room.disconnect();
  });
});

t.test("streams that are not read use no memory, however much comes in them, and a person's has to end", async (t) => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heldMb = () => {
    collect();
    return process.memoryUsage().arrayBuffers / 2 ** 20;
  };
  await withLiveKit(async (livekit) => {
    const rooms = { avatar: new Room(), ada: new Room(), eve: new Room() };
    for (const [identity, room] of Object.entries(rooms)) {
      await room.connect(livekit.url, await livekit.mintToken(identity), { autoSubscribe: false, dynacast: false });
    }
    const texts: string[] = [];
    const input = new ChatInput({
      room: rooms.avatar,
      isLinked: (identity) => identity === "ada",
      onText: (text) => texts.push(text),
      logger,
      now: () => 0,
      completeMs: 100,
    });
    input.start();
    const open = (room: Room) => room.localParticipant!.streamText({ topic: TOPIC_CHAT });
    // Ada may send ten messages at once; none of them ends.
    const unended: TextStreamWriter[] = [];
    for (let i = 0; i < 10; i++) unended.push(await open(rooms.ada));
    await unended[0].write("Not all of it.");
    await waitFor(() => input.ignored === 10, "they are given up");
    const streams = [await open(rooms.eve), await open(rooms.ada), unended[0]];
    await waitFor(() => input.ignored === 11, "one more is too many");
    const beforeMb = heldMb();
    for (let i = 0; i < 400; i++) for (const stream of streams) await stream.write("x".repeat(15_000));
    // Packets of a participant arrive in order: all that was written before has come.
    let marks = 0;
    rooms.avatar.registerTextStreamHandler("mark", (reader) => void reader.readAll().then(() => marks++));
    for (const room of [rooms.ada, rooms.eve]) await room.localParticipant!.sendText("mark", { topic: "mark" });
    await waitFor(() => marks === 2, "everything arrived");
    t.ok(heldMb() - beforeMb < 4, "of 17 MB, less than 4 are held");
    t.same(texts, []);
    input.close();
    for (const room of Object.values(rooms)) await room.disconnect();
  });
});
