// Who drives the avatar, and what becomes of their audio streams, on a room in memory.
import { ParticipantKind } from "@livekit/rtc-node";
import t from "tap";
import { createLogger } from "../../../program/log.ts";
import { SenderBinding } from "../../../room/participants/sender-binding.ts";
import { AudioReceiver } from "../../../room/sender/audio-receiver.ts";
import { AGENT_NAME, TOPIC_AUDIO_STREAM } from "../../../shared/wire-names.ts";
import { notingEngine } from "../../helpers/faces/noting-engine.ts";
import { ramp } from "../../helpers/faces/with-engine.ts";
import { FakeRoom } from "../../helpers/rooms/fake-room.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });
const MONO = { sample_rate: "16000", num_channels: "1" };

function receive(room: FakeRoom, { silenceLimitMs }: { silenceLimitMs?: number } = {}) {
  const { engine, notes, samples, full } = notingEngine();
  const refused: string[] = [];
  const binding = new SenderBinding(room.asRoom);
  binding.start();
  const receiver = new AudioReceiver({
    room: room.asRoom,
    binding,
    engine,
    logger,
    silenceLimitMs,
    onAudio: () => undefined,
    onSegment: (id, sender) => notes.push(`segment ${id} of ${sender}`),
    onSegmentRefused: (id) => refused.push(id),
  });
  receiver.start();
  return { receiver, notes, samples, refused, full };
}

t.test("SenderBinding", async (t) => {
  t.test("the participant named in the join token is bound, even before it joins", async (t) => {
    const room = new FakeRoom({ boundTo: "voice" });
    const binding = new SenderBinding(room.asRoom);
    binding.start();
    room.join("another-agent");
    t.equal(binding.identity, "voice");
    t.notOk(binding.isBound("another-agent"));
    t.notOk(await binding.becomesBound("another-agent"));
  });

  t.test(
    "without a named participant the first agent is bound until it leaves; then the agent that joined earliest",
    async (t) => {
      const room = new FakeRoom();
      const binding = new SenderBinding(room.asRoom);
      binding.start();
      room.join("user", ParticipantKind.STANDARD);
      t.equal(binding.identity, undefined, "users never drive the avatar");
      for (const agent of ["first", "second", "third"]) room.join(agent);
      t.equal(binding.identity, "first");
      room.leave("second");
      t.equal(binding.identity, "first");
      room.leave("first");
      t.equal(binding.identity, "third");
      binding.close();
      room.leave("third");
      room.join("fourth");
      t.equal(binding.identity, "third", "a closed binding follows no more");
    },
  );

  t.test(
    "an avatar never drives another one: agents that act for a sender or are named like one are passed over",
    (t) => {
      const room = new FakeRoom();
      const binding = new SenderBinding(room.asRoom);
      binding.start();
      room.join("other-avatar", ParticipantKind.AGENT, { "lk.publish_on_behalf": "voice" });
      room.join(AGENT_NAME);
      t.equal(binding.identity, undefined);
      room.join("voice");
      t.equal(binding.identity, "voice");
      room.leave("voice");
      t.equal(binding.identity, undefined);
      t.end();
    },
  );

  t.test("audio of a participant that the server has not announced yet waits for the announcement", async (t) => {
    const room = new FakeRoom();
    const binding = new SenderBinding(room.asRoom);
    binding.start();
    const isBound = binding.becomesBound("late");
    room.join("user", ParticipantKind.STANDARD);
    room.join("late");
    t.ok(await isBound);
  });
});

t.test("AudioReceiver", async (t) => {
  t.test("a stream becomes a segment with the same samples for every chunk size", async (t) => {
    const room = new FakeRoom({ boundTo: "voice" });
    const { notes, samples } = receive(room);
    const stream = room.openStream(TOPIC_AUDIO_STREAM, "voice", MONO);
    stream.write(ramp(100));
    stream.write(ramp(7, 101));
    stream.end();
    await waitFor(() => notes.length === 3, "the segment ends");
    t.same(notes, ["segment room-1 of voice", "open room-1 16000", "end room-1"]);
    t.same(samples.get("room-1"), [...ramp(107)]);
  });

  t.test("streams of other participants and streams without valid attributes are closed unread", async (t) => {
    const room = new FakeRoom({ boundTo: "voice" });
    const { notes } = receive(room);
    room.join("user", ParticipantKind.STANDARD);
    const foreign = room.openStream(TOPIC_AUDIO_STREAM, "user", MONO);
    const unclear = room.openStream(TOPIC_AUDIO_STREAM, "voice", { sample_rate: "fast" });
    await waitFor(() => foreign.isClosedByReader && unclear.isClosedByReader, "both are closed");
    t.same(notes, []);
  });

  t.test(
    "without a bound sender a few streams wait for the server to announce their sender; more are closed",
    async (t) => {
      const room = new FakeRoom();
      const { notes } = receive(room);
      const streams = Array.from({ length: 100 }, (_, i) => room.openStream(TOPIC_AUDIO_STREAM, `agent-${i}`, MONO));
      await waitFor(() => streams.slice(8).every(({ isClosedByReader }) => isClosedByReader), "92 are closed");
      t.notOk(streams.slice(0, 8).some(({ isClosedByReader }) => isClosedByReader));
      room.join("agent-3");
      await waitFor(() => notes.length === 2, "the first agent drives the avatar");
      t.match(notes, ["segment room-1 of agent-3", "open room-1 16000"]);
      const later = room.openStream(TOPIC_AUDIO_STREAM, "agent-9", MONO);
      await waitFor(() => later.isClosedByReader, "no other one does");
    },
  );

  t.test(
    "a stream that fails or times out ends its segment once; the audio that has arrived still plays",
    async (t) => {
      const room = new FakeRoom({ boundTo: "voice" });
      const { notes, samples } = receive(room, { silenceLimitMs: 50 });
      const broken = room.openStream(TOPIC_AUDIO_STREAM, "voice", MONO);
      broken.write(ramp(10));
      broken.breakOff();
      await waitFor(() => notes.includes("end room-1"), "the broken one ends");
      const silent = room.openStream(TOPIC_AUDIO_STREAM, "voice", MONO);
      silent.write(ramp(20));
      await waitFor(() => silent.isClosedByReader, "the silent one ends");
      t.same(
        notes.filter((note) => note.startsWith("end")),
        ["end room-1", "end room-2"],
      );
      t.same([samples.get("room-1")?.length, samples.get("room-2")?.length], [10, 20]);
    },
  );

  t.test("a new stream supersedes the previous one, which ends soon and plays first", async (t) => {
    const room = new FakeRoom({ boundTo: "voice" });
    const { notes } = receive(room);
    const first = room.openStream(TOPIC_AUDIO_STREAM, "voice", MONO);
    first.write(ramp(10));
    await waitFor(() => notes.includes("open room-1 16000"), "the first is open");
    const second = room.openStream(TOPIC_AUDIO_STREAM, "voice", MONO);
    await waitFor(() => first.isClosedByReader, "the first ends without its sender");
    t.same(
      notes.filter((note) => !note.startsWith("segment")),
      ["open room-1 16000", "open room-2 16000", "end room-1"],
    );
    t.notOk(second.isClosedByReader);
  });

  t.test("an engine with a full queue refuses the segment, and the session goes on", async (t) => {
    const room = new FakeRoom({ boundTo: "voice" });
    const { refused, full, notes } = receive(room);
    full.is = true;
    const stream = room.openStream(TOPIC_AUDIO_STREAM, "voice", MONO);
    await waitFor(() => stream.isClosedByReader, "it is closed");
    t.same(refused, ["room-1"]);
    full.is = false;
    room.openStream(TOPIC_AUDIO_STREAM, "voice", MONO).end();
    await waitFor(() => notes.includes("end room-2"), "the next one plays");
  });

  t.test("closing ends all streams, and new ones are refused", async (t) => {
    const room = new FakeRoom({ boundTo: "voice" });
    const { receiver, notes } = receive(room);
    const stream = room.openStream(TOPIC_AUDIO_STREAM, "voice", MONO);
    await waitFor(() => notes.length === 2, "it is open");
    receiver.close();
    t.ok(stream.isClosedByReader && notes.includes("end room-1"));
    room.openStream(TOPIC_AUDIO_STREAM, "voice", MONO);
    t.equal(notes.length, 3);
    t.equal(room.listenerCount("participantDisconnected"), 1, "only the binding listens");
  });
});
