// What the receiver gives of an agent's streams, and what it reports to the agent, on a room in memory.
import { setTimeout as delay } from "node:timers/promises";
import { AudioFrame } from "@livekit/rtc-node";
import t from "tap";
import { DataStreamAudioReceiver } from "../../../../sdk/livekit-agents/runner/data-stream-audio-receiver.ts";
import { RPC_CLEAR_BUFFER, RPC_PLAYBACK_FINISHED, TOPIC_AUDIO_STREAM } from "../../../../shared/wire-names.ts";
import { ramp } from "../../../helpers/faces/with-engine.ts";
import { FakeRoom } from "../../../helpers/rooms/fake-room.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const MONO = { sample_rate: "16000", num_channels: "1" };

/** A started receiver: what it has given so far, lengths of frames in samples. */
async function receive(options: { senderIdentity?: string; frameSizeMs?: number } = {}) {
  const room = new FakeRoom();
  room.join("agent");
  const receiver = new DataStreamAudioReceiver(room.asRoom, options);
  await receiver.start();
  const given: (number | "end" | "clear")[] = [];
  receiver.on("clear_buffer", () => given.push("clear"));
  const ended = (async () => {
    for await (const item of receiver) given.push(item instanceof AudioFrame ? item.data.length : "end");
  })();
  const open = (identity = "agent") => room.openStream(TOPIC_AUDIO_STREAM, identity, MONO);
  return { room, receiver, given, ended, open, reports: () => reportsIn(room) };
}

function reportsIn({ calls }: FakeRoom): { playback_position: number; interrupted: boolean }[] {
  return calls.filter(({ method }) => method === RPC_PLAYBACK_FINISHED).map(({ payload }) => JSON.parse(payload));
}

t.test("frames have the wanted length, and a segment ends behind its last one", async (t) => {
  const { receiver, given, ended, open } = await receive({ frameSizeMs: 20 });
  const stream = open();
  stream.write(ramp(500));
  await waitFor(() => given.length === 1, "the first frame");
  stream.end();
  await waitFor(() => given.length === 3, "the end of the segment");
  t.same(given, [320, 180, "end"]);
  await receiver.aclose();
  await ended;
});

t.test("each segment is reported once, also one without audio", async (t) => {
  const { receiver, given, open, reports } = await receive();
  open().end();
  const stream = open();
  stream.write(ramp(1600));
  stream.end();
  await waitFor(() => given.length === 2, "the segment with audio");
  receiver.notifyPlaybackStarted();
  receiver.notifyPlaybackFinished(0.1, false);
  receiver.notifyPlaybackFinished(9, true);
  await waitFor(() => reports().length === 2, "both reports");
  t.same(reports(), [
    { playback_position: 0, interrupted: false },
    { playback_position: 0.1, interrupted: false },
  ]);
  await receiver.aclose();
});

t.test("a clear drops what is not read, and cut segments are reported together", async (t) => {
  const { room, receiver, given, open, reports } = await receive();
  const first = open();
  first.write(ramp(1600));
  await waitFor(() => given.length === 1, "the first frame");
  t.equal(await room.call("agent", RPC_CLEAR_BUFFER), "ok");
  first.write(ramp(1600));
  first.end();
  receiver.notifyPlaybackFinished(0.05, true);
  const second = open();
  second.write(ramp(1600));
  second.end();
  await waitFor(() => given.includes("end"), "the next segment");
  t.same(given, [1600, "clear", 1600, "end"]);
  receiver.notifyPlaybackFinished(0.1, false);
  await waitFor(() => reports().length === 2, "both reports");
  t.same(reports(), [
    { playback_position: 0.05, interrupted: true },
    { playback_position: 0.1, interrupted: false },
  ]);
  await receiver.aclose();
});

t.test("segments that wait behind the one that is cut are reported as interrupted, too", async (t) => {
  const room = new FakeRoom();
  room.join("agent");
  const unread = new DataStreamAudioReceiver(room.asRoom);
  await unread.start();
  const items = unread[Symbol.asyncIterator]();
  for (const samples of [1600, 1600]) {
    const stream = room.openStream(TOPIC_AUDIO_STREAM, "agent", MONO);
    stream.write(ramp(samples));
    stream.end();
  }
  t.ok((await items.next()).value instanceof AudioFrame);
  await delay(20);
  await room.call("agent", RPC_CLEAR_BUFFER);
  unread.notifyPlaybackFinished(0.02, true);
  await waitFor(() => reportsIn(room).length === 2, "both reports");
  t.same(
    reportsIn(room).map(({ playback_position }) => playback_position),
    [0.02, 0],
  );
  await unread.aclose();
});

t.test("unread audio beyond a bound is dropped, and segments beyond 256 are refused", async (t) => {
  const room = new FakeRoom();
  room.join("agent");
  const unread = new DataStreamAudioReceiver(room.asRoom, { frameSizeMs: 1000 });
  await unread.start();
  const long = room.openStream(TOPIC_AUDIO_STREAM, "agent", MONO);
  const minute = new Int16Array(60 * 16_000);
  for (let count = 0; count < 40; count++) long.write(minute);
  long.end();
  await delay(200);
  for (let count = 0; count < 256; count++) room.openStream(TOPIC_AUDIO_STREAM, "agent", MONO).end();
  await waitFor(() => reportsIn(room).length === 1, "the refusal");
  t.same(reportsIn(room), [{ playback_position: 0, interrupted: true }]);
  let seconds = 0;
  for await (const item of unread) {
    if (!(item instanceof AudioFrame)) break;
    seconds += item.data.length / 16_000;
  }
  t.equal(seconds, 30 * 60);
  await unread.aclose();
});

t.test("only the named sender is heard, and may interrupt", async (t) => {
  const { room, receiver, given, open } = await receive({ senderIdentity: "voice" });
  const other = open("agent");
  await waitFor(() => other.isClosedByReader, "another agent's stream is closed");
  t.equal(await room.call("agent", RPC_CLEAR_BUFFER), "ignored");
  const stream = open("voice");
  stream.write(ramp(100));
  stream.end();
  await waitFor(() => given.includes("end"), "the sender's segment");
  t.same(given, [100, "end"]);
  await receiver.aclose();
});

t.test("a receiver of a room that is not connected says so", async (t) => {
  const room = new FakeRoom();
  room.isConnected = false;
  await t.rejects(new DataStreamAudioReceiver(room.asRoom).start(), /Connect the room/);
});
