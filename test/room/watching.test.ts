// Real rooms: an avatar renders while a participant takes its video, whether or not the participant says so.
import { setTimeout as delay } from "node:timers/promises";
import { type Room, RoomEvent, TrackKind, type VideoFrameEvent, VideoStream } from "@livekit/rtc-node";
import t from "tap";
import { createLogger } from "../../program/log.ts";
import { FaceInRoom } from "../../room/face-in-room.ts";
import { connectInTime } from "../../room/participants/connect-in-time.ts";
import { pacedEngine } from "../../room/playout/paced-engine.ts";
import { VideoWatch, type VideoWatchOptions } from "../../room/playout/video-watch.ts";
import { RPC_WATCH } from "../../shared/wire-names.ts";
import { createEngine } from "../../src/face/engine/create-engine.ts";
import { lipSyncModel, runtime } from "../helpers/faces/with-engine.ts";
import { type TestLiveKit, withLiveKit } from "../helpers/livekit/with-livekit.ts";
import { TestRoom } from "../helpers/rooms/test-room.ts";
import { AVATAR_IDENTITY, greyAvatar } from "../helpers/rooms/with-room-avatar.ts";
import { waitFor } from "../helpers/wait-for.ts";

/** How much later a first frame may come than where video is rendered already, ms (ADR 111). */
const SEEN_MS = 1_000;
const CALLED_MS = 300;

interface Viewer {
  room: Room;
  /** From the subscription (or from `call`) to the first frame, ms. */
  firstFrame: Promise<number>;
  readonly frames: number;
}

interface Watching extends TestLiveKit {
  face: FaceInRoom;
  /** Frames that the avatar has rendered. */
  readonly rendered: number;
  /** Joins, and subscribes to everything. `calls`: it says that it needs video. */
  view(identity: string, options?: { isHidden?: boolean; calls?: boolean }): Promise<Viewer>;
  /** Resolves when the avatar renders (or not), with the time that took, ms. */
  becomes(needsVideo: boolean): Promise<number>;
}

async function withFace(
  work: (watching: Watching) => Promise<void>,
  { dynacast = true, ...options }: Partial<VideoWatchOptions> & { dynacast?: boolean } = {},
): Promise<void> {
  await withLiveKit(async (livekit) => {
    const rooms: Room[] = [];
    const avatar = greyAvatar();
    let rendered = 0;
    const { render } = avatar;
    avatar.render = (...pose) => {
      rendered++;
      return render(...pose);
    };
    const engine = await createEngine({ avatar, runtime, lipSyncModel, ...pacedEngine() });
    const room = new TestRoom();
    const token = await livekit.mintToken(AVATAR_IDENTITY, { kind: "agent" });
    if (dynacast) await connectInTime(room, livekit.url, token, 10_000);
    else await room.connect(livekit.url, token, { autoSubscribe: false, dynacast });
    rooms.push(room);
    const failures: unknown[] = [];
    const logger = createLogger({ level: "silent", name: "test" });
    const watch = new VideoWatch({ room, logger, ...options });
    watch.start();
    const face = await FaceInRoom.publish({
      room,
      watch,
      engine,
      widthPx: avatar.widthPx,
      heightPx: avatar.heightPx,
      codec: "vp8",
      maxBitrateKbps: 500,
      logger,
      onFailure: (error) => failures.push(error),
    });
    face.start();
    try {
      await work({
        ...livekit,
        face,
        get rendered() {
          return rendered;
        },
        view: async (identity, { isHidden = false, calls = false } = {}) => {
          const viewer = new TestRoom();
          rooms.push(viewer);
          let frames = 0;
          let startMs = 0;
          const firstFrame = new Promise<number>((resolve) => {
            viewer.on(RoomEvent.TrackSubscribed, async (track) => {
              if (track.kind !== TrackKind.KIND_VIDEO) return;
              if (!startMs) startMs = performance.now();
              for await (const _ of new VideoStream(track) as unknown as AsyncIterable<VideoFrameEvent>) {
                if (++frames === 1) resolve(performance.now() - startMs);
              }
            });
          });
          const grant = isHidden ? { hidden: true, canPublish: false } : {};
          await viewer.connect(livekit.url, await livekit.mintToken(identity, { grant }), {
            autoSubscribe: true,
            dynacast: false,
          });
          if (calls) {
            startMs = performance.now();
            const payload = JSON.stringify({ needs: "video" });
            const call = { destinationIdentity: AVATAR_IDENTITY, method: RPC_WATCH, payload };
            t.same(JSON.parse(await viewer.localParticipant!.performRpc(call)), { ok: true, renders: "video" });
          }
          return {
            room: viewer,
            firstFrame,
            get frames() {
              return frames;
            },
          };
        },
        becomes: async (needsVideo) => {
          const startMs = performance.now();
          await waitFor(() => face.watch.needsVideo === needsVideo, `needsVideo turns ${needsVideo}`);
          return performance.now() - startMs;
        },
      });
      t.same(failures, []);
    } finally {
      await face.close();
      for (const one of rooms.reverse()) await one.disconnect();
      await engine.close();
    }
  });
}

t.jobs = 3;

t.test("without a subscriber nothing is rendered, and every subscriber sees the face at once", async (t) => {
  await withFace(async (watching) => {
    const { face, becomes, view } = watching;
    await becomes(false);
    const before = watching.rendered;
    const { frames, unwatchedFrames } = face.metrics.totals;
    t.ok(before > 50, "rendered until the server said that it has no subscriber");
    await waitFor(() => face.metrics.totals.unwatchedFrames >= unwatchedFrames + 50, "the face moves on");
    t.equal(watching.rendered, before);
    t.equal(face.metrics.totals.frames, frames);

    const silent = await view("silent");
    const silentMs = await silent.firstFrame;
    await silent.room.disconnect();
    const stoppedMs = await becomes(false);
    t.ok(stoppedMs > 3_000 && stoppedMs < 12_000, `${Math.round(stoppedMs)} ms after the last one left`);

    const recorder = await view("recorder", { isHidden: true });
    const hiddenMs = await recorder.firstFrame;
    await delay(2_000);
    t.ok(recorder.frames >= 25, `${recorder.frames} frames follow`);
    await recorder.room.disconnect();
    await becomes(false);

    const caller = await view("caller", { calls: true });
    const calledMs = await caller.firstFrame;
    const beside = await view("beside");
    const besideMs = await beside.firstFrame;
    await beside.room.disconnect();
    const later = (ms: number) => Math.round(ms - besideMs);
    t.ok(later(silentMs) <= SEEN_MS, `a subscriber that says nothing: ${later(silentMs)} ms later`);
    t.ok(later(hiddenMs) <= SEEN_MS, `a hidden subscriber: ${later(hiddenMs)} ms later`);
    t.ok(later(calledMs) <= CALLED_MS, `a participant that calls: ${later(calledMs)} ms later`);
    await delay(6_500);
    t.equal(face.watch.needsVideo, true, "for as long as it subscribes");
    t.comment(`first frame: silent ${silentMs}, hidden ${hiddenMs}, caller ${calledMs} ms; stopped in ${stoppedMs} ms`);
  });
});

t.test("where the server never pauses a sender, the avatar renders as if it was watched", async (t) => {
  await withFace(
    async (watching) => {
      await delay(13_000);
      t.equal(watching.face.watch.needsVideo, true);
      t.equal(watching.face.metrics.totals.unwatchedFrames, 0);
    },
    { dynacast: false },
  );
});

t.test("a session that viewers render announces its track, and then renders only for subscribers", async (t) => {
  await withFace(
    async (watching) => {
      const ms = await watching.becomes(false);
      t.ok(ms < 5_000, `${Math.round(ms)} ms`);
      const listener = await watching.view("late");
      const firstMs = await listener.firstFrame;
      const beside = await watching.view("beside");
      const besideMs = await beside.firstFrame;
      t.ok(firstMs <= besideMs + SEEN_MS, `found by its request for a key frame: ${Math.round(firstMs - besideMs)} ms`);
      await beside.room.disconnect();
      await listener.room.disconnect();
      await watching.becomes(false);
    },
    { viewersRender: true, viewersMayRender: true },
  );
});
