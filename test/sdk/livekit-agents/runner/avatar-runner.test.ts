// A video generator of one's own in a real room: an agent speaks through it, a listener sees and hears it.
import { voice } from "@livekit/agents";
import { type AudioFrame, VideoBufferType, VideoFrame } from "@livekit/rtc-node";
import t from "tap";
import { AvatarRunner } from "../../../../sdk/livekit-agents/runner/avatar-runner.ts";
import { DataStreamAudioReceiver } from "../../../../sdk/livekit-agents/runner/data-stream-audio-receiver.ts";
import { VideoGenerator } from "../../../../sdk/livekit-agents/runner/video-generator.ts";
import { ATTRIBUTE_PUBLISH_ON_BEHALF } from "../../../../shared/wire-names.ts";
import { disposeRtc } from "../../../helpers/livekit/dispose-rtc.ts";
import { withLiveKit } from "../../../helpers/livekit/with-livekit.ts";
import { TestRoom } from "../../../helpers/rooms/test-room.ts";
import { AVATAR_IDENTITY, TestListener, TestSender } from "../../../helpers/rooms/with-room-avatar.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

t.teardown(disposeRtc);

const RATE_HZ = 16_000;
const SIZE_PX = 64;
const FPS = 25;

/** Grey pictures, brighter while it speaks. */
class Lamp extends VideoGenerator {
  readonly #waiting: (AudioFrame | voice.AudioSegmentEnd)[] = [];

  override pushAudio(frame: AudioFrame | voice.AudioSegmentEnd): void {
    this.#waiting.push(frame);
  }

  override clearBuffer(): void {
    this.#waiting.length = 0;
  }

  override async *[Symbol.asyncIterator]() {
    for (;;) {
      const item = this.#waiting.shift();
      if (item instanceof voice.AudioSegmentEnd) {
        yield item;
        continue;
      }
      const data = new Uint8Array((SIZE_PX * SIZE_PX * 3) / 2).fill(128);
      data.fill(item ? 200 : 50, 0, SIZE_PX * SIZE_PX);
      yield new VideoFrame(data, SIZE_PX, SIZE_PX, VideoBufferType.I420);
      if (item) yield item;
    }
  }
}

/** A tone of 150 Hz with overtones. */
function hum(seconds: number): Int16Array {
  return Int16Array.from({ length: seconds * RATE_HZ }, (_, i) => {
    const phase = (2 * Math.PI * 150 * i) / RATE_HZ;
    return 5000 * Math.sin(phase) + 3000 * Math.sin(3 * phase);
  });
}

t.test("the runner paces a generator, and reports what was played", async (t) => {
  await withLiveKit(async (livekit) => {
    const rooms: TestRoom[] = [];
    const enter = async (identity: string, kind: "agent" | "standard", attributes?: Record<string, string>) => {
      const room = new TestRoom();
      rooms.push(room);
      const listener = new TestListener(room);
      const token = await livekit.mintToken(identity, { kind, attributes });
      await room.connect(livekit.url, token, { autoSubscribe: kind === "standard", dynacast: false });
      return { room, listener };
    };
    const { listener } = await enter("user", "standard");
    const sender = new TestSender((await enter("agent", "agent")).room);
    const { room } = await enter(AVATAR_IDENTITY, "agent", { [ATTRIBUTE_PUBLISH_ON_BEHALF]: "agent" });
    const runner = new AvatarRunner(room, {
      audioRecv: new DataStreamAudioReceiver(room, { frameSizeMs: 1000 / FPS }),
      videoGen: new Lamp(),
      options: {
        videoWidth: SIZE_PX,
        videoHeight: SIZE_PX,
        videoFps: FPS,
        audioSampleRate: RATE_HZ,
        audioChannels: 1,
      },
    });
    await t.rejects(runner.waitForComplete(), /not been started/);
    await runner.start();
    await waitFor(() => listener.frames.length > 5, "video arrives");
    t.ok(listener.frames.every(({ brightness }) => brightness < 100));

    const firstMs = performance.now();
    await sender.say(hum(2));
    await waitFor(() => sender.finished.length === 1, "the speech is over");
    const overMs = performance.now();
    const frames = listener.frames.filter(({ atMs }) => atMs >= firstMs && atMs < overMs);
    const fps = frames.length / ((overMs - firstMs) / 1000);
    t.ok(fps > 17 && fps < 27, `${fps} fps`);
    t.ok(frames.filter(({ brightness }) => brightness > 150).length > 25, "bright while it speaks");
    await waitFor(() => listener.loudMs(firstMs) > 1850, "all of it is heard");
    t.same(
      sender.reports.map(({ method }) => method),
      ["started", "finished"],
    );
    t.match(sender.finished[0], { positionS: 2, interrupted: false });

    const secondMs = performance.now();
    await sender.say(hum(5));
    await sender.say(hum(5));
    await waitFor(() => listener.loudMs(secondMs) > 500, "the second speech is heard");
    const heardS = listener.loudMs(secondMs) / 1000;
    const clearedMs = performance.now();
    await sender.clear();
    await waitFor(() => sender.finished.length === 3, "both segments are reported");
    await waitFor(() => performance.now() - clearedMs > 800, "what was on its way is heard");
    t.ok(listener.loudMs(clearedMs) < 500, `${listener.loudMs(clearedMs)} ms after the interruption`);
    t.equal(listener.loudMs(clearedMs + 500), 0);
    const [, cut, waiting] = sender.finished;
    t.ok(cut.interrupted && Math.abs((cut.positionS ?? 0) - heardS) < 0.3, `${cut.positionS} s, ${heardS} s heard`);
    t.match(waiting, { positionS: 0, interrupted: true });

    await sender.say(hum(1));
    await waitFor(() => sender.finished.length === 4, "the next speech is over");
    t.match(sender.finished[3], { positionS: 1, interrupted: false });
    await runner.aclose();
    await runner.waitForComplete();
    for (const each of rooms) await each.disconnect();
  });
});
