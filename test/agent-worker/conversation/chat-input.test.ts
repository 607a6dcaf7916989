// What participants type in a LiveKit client, on a real server.
import { Room } from "@livekit/rtc-node";
import t from "tap";
import { ChatInput } from "../../../agent-worker/conversation/chat-input.ts";
import { createLogger } from "../../../shared/log.ts";
import { TOPIC_CHAT } from "../../../shared/wire-names.ts";
import { waitFor } from "../../helpers/wait-for.ts";
import { withLiveKit } from "../../helpers/with-livekit.ts";

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
      logger: createLogger({ level: "silent", name: "test" }),
      now: () => nowMs,
    });
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
