// The avatar's tracks in a real room, as a listener receives them.
import { setTimeout as delay } from "node:timers/promises";
import t from "tap";
import { AvatarListener } from "../../../cli/demo/avatar-listener.ts";
import { publishAvatarTracks } from "../../../room/playout/publish-avatar-tracks.ts";
import { HOP_MS, PLAYOUT_SAMPLE_RATE_HZ } from "../../../shared/units.ts";
import { withLiveKit } from "../../helpers/livekit/with-livekit.ts";
import { TestRoom } from "../../helpers/rooms/test-room.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const SIZE_PX = 64;
const HOP_SAMPLES = (PLAYOUT_SAMPLE_RATE_HZ * HOP_MS) / 1000;
/** Audio heard while no frame has been rendered yet: as long as a slow machine takes for its first one. */
const WITHOUT_FRAME_HOPS = 12;

t.test("viewers hear the queued audio and see the avatar's first video frame, even if it comes late", async (t) => {
  await withLiveKit(async (livekit) => {
    const lumas: number[] = [];
    let heardSamples = 0;
    let loudSamples = 0;
    const listener = new AvatarListener("avatar", {
      onFrame: ({ frame }) => lumas.push(frame.data[(SIZE_PX * SIZE_PX) / 2]),
      onAudio: ({ samples }) => {
        heardSamples += samples.length;
        loudSamples += samples.filter((sample) => Math.abs(sample) > 1000).length;
      },
    });
    await listener.start(livekit.url, await livekit.mintToken("listener"));
    const room = new TestRoom();
    await room.connect(livekit.url, await livekit.mintToken("avatar"), { autoSubscribe: false, dynacast: false });
    const tracks = await publishAvatarTracks({
      room,
      widthPx: SIZE_PX,
      heightPx: SIZE_PX,
      sampleRateHz: PLAYOUT_SAMPLE_RATE_HZ,
      codec: "h264",
      maxBitrateKbps: 500,
    });
    // An array of its own, which is not copied, and one within a larger buffer, which is.
    const arrays = [
      new Int16Array(HOP_SAMPLES),
      new Int16Array(3 * HOP_SAMPLES).subarray(HOP_SAMPLES, 2 * HOP_SAMPLES),
    ];
    for (let hop = 0; hop < WITHOUT_FRAME_HOPS || heardSamples < WITHOUT_FRAME_HOPS * HOP_SAMPLES; hop++) {
      const samples = arrays[hop % 2];
      for (let i = 0; i < HOP_SAMPLES; i++)
        samples[i] = 8000 * Math.sin((2 * Math.PI * 200 * i) / PLAYOUT_SAMPLE_RATE_HZ);
      const queued = tracks.queueAudio(samples);
      // The array is reused at once, while the native side still has the tone in its queue.
      samples.fill(0);
      await queued;
      await tracks.queueAudio(samples);
    }
    const loudShare = loudSamples / heardSamples;
    t.ok(loudShare > 0.2 && loudShare < 0.6, `of tone and silence in turn, ${loudShare.toFixed(2)} is loud`);
    t.same(lumas, [], "nothing is seen before there is something to see");
    const frameBytes = (SIZE_PX * SIZE_PX * 3) / 2;
    const data = new Uint8Array(2 * frameBytes).fill(128, frameBytes).subarray(frameBytes);
    for (let hop = 0; hop < 750 && lumas.length === 0; hop++) {
      tracks.showFrame({ data, widthPx: SIZE_PX, heightPx: SIZE_PX }, BigInt(hop * HOP_MS * 1000));
      await delay(HOP_MS);
    }
    await waitFor(() => lumas.length > 0, "a frame is seen");
    t.ok(Math.abs(lumas[0] - 128) < 8, `it is as bright as it was rendered (${lumas[0]})`);
    await listener.close();
    await tracks.close();
    await room.disconnect();
  });
});
