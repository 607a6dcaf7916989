// The avatar runner between a room in memory and a real engine with an avatar that renders nothing. The tracks are
// native.
import t from "tap";
import { type AvatarRunner, startAvatarRunner } from "../../../agent-worker/room/avatar-runner.ts";
import { createLogger } from "../../../program/log.ts";
import { pacedEngine } from "../../../room/playout/paced-engine.ts";
import { VideoWatch } from "../../../room/playout/video-watch.ts";
import { FACE_PARAMETER_COUNT, FACE_PARAMETER_INDEX } from "../../../shared/face-parameters.ts";
import {
  RPC_CLEAR_BUFFER,
  RPC_PLAYBACK_FINISHED,
  RPC_TRIGGER_DYNAMICS,
  TOPIC_AUDIO_STREAM,
} from "../../../shared/wire-names.ts";
import type { Voice } from "../../../src/speech/voice/voice.ts";
import { ramp, withEngine } from "../../helpers/faces/with-engine.ts";
import { disposeRtc } from "../../helpers/livekit/dispose-rtc.ts";
import { FakeRoom } from "../../helpers/rooms/fake-room.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** The native library would keep this process alive. */
t.teardown(disposeRtc);

const RATE_HZ = 16_000;
const MONO = { sample_rate: String(RATE_HZ), num_channels: "1" };

const voice = {
  async *synthesize(text: string) {
    const sentence = { text, phonemes: [], words: [], visemes: [] };
    yield { sampleRateHz: RATE_HZ, samples: ramp(RATE_HZ / 10), sentence, endsSentence: true };
  },
} as unknown as Voice;

const SMILE = FACE_PARAMETER_INDEX.smile;
/** `wave` changes little; a greeting is a broad smile of a second. */
const GESTURES = new Map([
  ["wave", new Float32Array(3 * FACE_PARAMETER_COUNT).fill(0.1)],
  [
    "mini_wave_hello",
    new Float32Array(25 * FACE_PARAMETER_COUNT).map((_, i) => (i % FACE_PARAMETER_COUNT === SMILE ? 0.9 : 0)),
  ],
]);

async function withRunner(work: (room: FakeRoom, runner: AvatarRunner, poses: Float32Array[]) => Promise<void>) {
  await withEngine({ ...pacedEngine(), gestures: GESTURES }, async (engine, poses) => {
    const room = new FakeRoom({ boundTo: "voice" });
    room.join("voice");
    const failures: unknown[] = [];
    const logger = createLogger({ level: "silent", name: "test" });
    const runner = await startAvatarRunner({
      room: room.asRoom,
      watch: new VideoWatch({ room: room.asRoom, logger }),
      engine,
      widthPx: 16,
      heightPx: 16,
      voice,
      speech: { voiceId: "F1", language: "en" },
      hasSpeechCues: true,
      codec: "vp8",
      maxBitrateKbps: 100,
      logger,
      onFailure: (error) => failures.push(error),
    });
    try {
      await work(room, runner, poses);
      if (failures.length > 0) throw failures[0];
    } finally {
      await runner.close();
      await runner.close();
    }
  });
}

/** The reports that a segment is over, as their sender reads them. */
function finished(room: FakeRoom): { playback_position: number; interrupted: boolean }[] {
  return room.calls.filter(({ method }) => method === RPC_PLAYBACK_FINISHED).map(({ payload }) => JSON.parse(payload));
}

t.test("segments of the sender are played in order, each reported as finished once, at its length", async (t) => {
  await withRunner(async (room) => {
    for (const samples of [RATE_HZ / 5, RATE_HZ / 10]) {
      const stream = room.openStream(TOPIC_AUDIO_STREAM, "voice", MONO);
      stream.write(ramp(samples));
      stream.end();
    }
    await waitFor(() => finished(room).length === 2, "both are reported");
    t.same(finished(room), [
      { playback_position: 0.2, interrupted: false },
      { playback_position: 0.1, interrupted: false },
    ]);
    t.ok(room.calls.every(({ to }) => to === "voice"));
  });
});

t.test("only the bound sender can clear the buffer; each interrupted segment is reported once", async (t) => {
  await withRunner(async (room, runner, poses) => {
    for (let i = 0; i < 2; i++) {
      const stream = room.openStream(TOPIC_AUDIO_STREAM, "voice", MONO);
      stream.write(ramp(RATE_HZ * 5));
      stream.end();
    }
    await waitFor(() => room.calls.length > 0, "the first one has started");
    t.equal(await room.call("user", RPC_CLEAR_BUFFER), "ignored");
    t.equal(await room.call("voice", RPC_CLEAR_BUFFER), "ok");
    await waitFor(() => finished(room).length === 2, "both are reported");
    const [first, second] = finished(room);
    t.ok(first.interrupted && first.playback_position > 0 && first.playback_position < 5, JSON.stringify(first));
    t.same(second, { playback_position: 0, interrupted: true });
    const smiles = () => poses.filter((pose) => pose[SMILE] > 0.7).length;
    t.equal(smiles(), 0);
    t.equal(await runner.say("Hello."), true, "and the avatar speaks by itself afterwards");
    await waitFor(() => room.texts.length === 1, "with a caption");
    await waitFor(() => smiles() > 0, "with the gesture of a greeting");
    t.equal(finished(room).length, 2, "which no sender is told");
  });
});

t.test("gestures are triggered by name; other payloads get an answer, too", async (t) => {
  await withRunner(async (room) => {
    const trigger = async (payload: string) => JSON.parse(await room.call("user", RPC_TRIGGER_DYNAMICS, payload));
    t.match(await trigger('{"action":"wave"}'), { action: "wave", animation_triggered: true, played: "wave" });
    t.match(await trigger('{"action":"fly"}'), { animation_triggered: false, status: "success", reason: "too_often" });
    const flood = await Promise.all(Array.from({ length: 200 }, () => trigger('{"action":"wave"}')));
    const started = flood.filter((answer) => answer.animation_triggered).length;
    t.ok(started <= 1 && flood.every(({ status }) => status === "success"), `${started} of a flood started`);
    t.match(await trigger("no json"), { action: "", animation_triggered: false, reason: "invalid_payload" });
  });
});
