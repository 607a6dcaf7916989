// Transcripts in a room: what LiveKit's clients get of them, and their bounds.
import { build } from "esbuild";
import t from "tap";
import { Transcriptions } from "../../../agent-worker/room/transcriptions.ts";
import { CHROMIUM_MISSING, findChromium, withChromium } from "../../../lab/bench/with-chromium.ts";
import { createLogger } from "../../../program/log.ts";
import { FakeRoom } from "../../helpers/rooms/fake-room.ts";
import { withRoomAvatar } from "../../helpers/rooms/with-room-avatar.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });

function person(room: FakeRoom, sendTimeoutMs?: number): Transcriptions {
  const options = { identity: () => "ada", trackSid: () => "TR_ada", grows: false, logger, sendTimeoutMs };
  return new Transcriptions({ room: room.asRoom, ...options });
}

t.test("a flood of texts is bounded in number, size and rate; the newest are shown, the rest is counted", async (t) => {
  const room = new FakeRoom();
  const transcriptions = person(room);
  for (let i = 1; i <= 12_800; i++) transcriptions.show({ id: `${i}`, text: "x".repeat(20_000), isFinal: true });
  t.equal(transcriptions.dropped, 12_800 - 51, "fifty wait, and one is on its way");
  await waitFor(() => room.texts.length >= 40, "as many as may come at once");
  t.ok(room.texts.length < 45, "the others wait for their time");
  t.same([...new Set(room.texts.map(({ text }) => text.length))], [5_000]);
  await waitFor(() => room.texts.length === 51, "all of them");
  t.equal(room.texts.at(-1)?.attributes["lk.segment_id"], "12800");
});

t.test("interim texts that wait are replaced, a final one is not", async (t) => {
  const room = new FakeRoom();
  const transcriptions = person(room);
  for (let i = 1; i <= 1_000; i++) transcriptions.show({ id: "1", text: `${i}`, isFinal: i === 1_000 });
  transcriptions.show({ id: "2", text: "Next", isFinal: false });
  await waitFor(() => room.texts.length === 3, "the first, the last, the next");
  t.same(
    room.texts.map(({ text }) => text),
    ["1", "1000", "Next"],
  );
  t.equal(transcriptions.dropped, 0);
});

t.test("a room that takes no text holds up nothing", async (t) => {
  const room = new FakeRoom();
  const { streamText } = room.localParticipant;
  room.localParticipant.streamText = () => new Promise(() => undefined);
  const transcriptions = person(room, 20);
  transcriptions.show({ id: "1", text: "Lost", isFinal: true });
  room.localParticipant.streamText = streamText;
  transcriptions.show({ id: "2", text: "Shown", isFinal: true });
  await waitFor(() => room.texts.length === 1, "the next text");
  t.equal(room.texts[0].text, "Shown");
});

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("LiveKit's browser client gets words and packets of the avatar's track", { skip }, async (t) => {
  const bundle = await build({
    stdin: { contents: 'export * from "livekit-client"', resolveDir: import.meta.dirname },
    bundle: true,
    format: "iife",
    globalName: "LiveKit",
    write: false,
    logLevel: "silent",
  });
  await withRoomAvatar(async ({ url, mintToken, runner }) => {
    await withChromium(async (browser) => {
      const page = await browser.newPage();
      await page.addScriptTag({ content: bundle.outputFiles[0].text });
      const token = JSON.stringify(await mintToken("browser"));
      await page.evaluate(`(async () => {
        const room = new LiveKit.Room();
        window.packets = [];
        window.streams = [];
        room.on("transcriptionReceived", (segments, participant, publication) => window.packets.push({
          who: participant?.identity, source: publication?.source,
          segments: segments.map(({ id, text, final }) => ({ id, text, final })),
        }));
        room.registerTextStreamHandler("lk.transcription", async (reader, { identity }) => {
          const { attributes } = reader.info;
          window.streams.push({ identity, isFinal: attributes["lk.transcription_final"], text: await reader.readAll() });
        });
        await room.connect(${JSON.stringify(url)}, ${token});
      })()`);
      t.equal(await runner.say("Good morning to you."), true);
      const read = (name: string) => page.evaluate(`window.${name}`) as Promise<Record<string, unknown>[]>;
      await waitFor(async () => (await read("packets")).length === 4, "four words");
      const packets = await read("packets");
      const texts = ["Good", "Good morning", "Good morning to", "Good morning to you."];
      t.match(
        packets,
        texts.map((text, index) => ({
          who: "avatar",
          source: "microphone",
          segments: [{ id: "speak-1-1", text, final: index === 3 }],
        })),
      );
      await waitFor(async () => (await read("streams")).length === 2, "two streams");
      t.match(await read("streams"), [
        { identity: "avatar", isFinal: "false", text: "Good morning to" },
        { identity: "avatar", isFinal: "true", text: "Good morning to you." },
      ]);
    });
  });
});
