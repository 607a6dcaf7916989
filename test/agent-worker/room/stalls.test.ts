// A room with a slow avatar: its frames block the process. The voice has no gap, the video gives way, and
// comes back.
import { monitorEventLoopDelay } from "node:perf_hooks";
import t from "tap";
import type { PlayoutReport } from "../../../room/playout/playout-metrics.ts";
import type { Avatar } from "../../../src/face/rendering/avatar.ts";
import { greyAvatar, type TestListener, withRoomAvatar } from "../../helpers/rooms/with-room-avatar.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const RATE_HZ = 16_000;
/** Audio that the pacer queues ahead, less what it appends at a time, ms. A process that is stopped for longer cannot
 *  keep its voice; on a crowded machine other work may stop it. */
const BEARABLE_STALL_MS = 150;
/** Silence within two seconds of voice that a crowded machine may cause on the way to the listener, ms. Video before
 *  audio would cause a second of it. */
const LOST_ON_THE_WAY_MS = 150;
const LOUD = 300;
/** Brightness of the grey avatar with its jaw shut; codecs change it a little. */
const SHUT = 60;

/** An avatar with frames that block the process for `stallMs`. */
function slowAvatar(): Avatar & { stallMs: number; renders: number } {
  const avatar = greyAvatar();
  return Object.assign(avatar, {
    stallMs: 0,
    renders: 0,
    render: ((render) =>
      async function (this: ReturnType<typeof slowAvatar>, parameters: Float32Array) {
        this.renders += 1;
        for (const endMs = performance.now() + this.stallMs; performance.now() < endMs; );
        return render(parameters);
      })(avatar.render),
  });
}

/** A voice: a tone with overtones that never falls silent. */
function hum(seconds: number): Int16Array {
  return Int16Array.from({ length: seconds * RATE_HZ }, (_, i) => {
    const phase = (2 * Math.PI * 150 * i) / RATE_HZ;
    return 5000 * Math.sin(phase) + 3000 * Math.sin(3 * phase) + 2000 * Math.sin(7 * phase);
  });
}

/** Silence within what was heard, ms. */
function holesMs({ heard }: TestListener): number {
  const isLoud = heard.map(({ rms }) => rms > LOUD);
  return isLoud.slice(isLoud.indexOf(true), isLoud.lastIndexOf(true)).filter((loud) => !loud).length * 10;
}

t.test("a slow renderer costs frames, then the rate, then the moving face, and never the voice", async (t) => {
  const avatar = slowAvatar();
  await withRoomAvatar(
    async ({ joinSender, listener, runner }) => {
      const sender = await joinSender("agent");
      /** Speaks; each frame then takes `stallMs`; resolves when the segment is over. */
      const speak = async (seconds: number, stallMs: number): Promise<PlayoutReport> => {
        const ends = sender.finished.length;
        runner.metrics.report();
        listener.heard.length = 0;
        const stalls = monitorEventLoopDelay({ resolution: 5 });
        stalls.enable();
        await sender.say(hum(seconds));
        // Only now: the sender shares the process, and a late sender pauses the voice, too.
        avatar.stallMs = stallMs;
        await waitFor(() => sender.finished.length > ends, "the segment ends");
        stalls.disable();
        const stoppedMs = stalls.max / 1e6;
        avatar.stallMs = 0;
        const report = runner.metrics.report();
        const heardMs = listener.loudMs();
        t.comment(`${JSON.stringify(report)}; stopped for ${Math.round(stoppedMs)} ms; heard ${heardMs} ms`);
        t.match(sender.finished.at(-1), { positionS: seconds, interrupted: false });
        const isBearable = stoppedMs < BEARABLE_STALL_MS;
        t.ok(report.audioGaps === 0 || !isBearable, `no gap is sent (${report.audioGaps})`);
        t.ok(holesMs(listener) < LOST_ON_THE_WAY_MS || !isBearable, `none is heard (${holesMs(listener)} ms)`);
        return report;
      };
      const untilFull = () => waitFor(() => runner.metrics.frameRate === "full", "every frame is rendered again");

      await untilFull();
      const before = avatar.renders;
      const sentBefore = runner.metrics.totals.frames;
      const slow = await speak(2, 55);
      t.ok(slow.rateChanges.half >= 1, "the rate is halved");
      t.ok(slow.droppedFrames + slow.withheldFrames >= 12, "frames are left out");
      const isRestIncluded = slow.rateChanges.frozen;
      t.ok(
        avatar.renders - before <= runner.metrics.totals.frames - sentBefore + 1 + isRestIncluded,
        "a frame that is left out is not rendered",
      );
      await untilFull();

      listener.frames.length = 0;
      const stuck = await speak(2, 110);
      t.ok(stuck.rateChanges.frozen >= 1, "the face freezes");
      t.ok(stuck.frames < 20, `${stuck.frames} frames are sent in two seconds`);
      const last = listener.frames.at(-1)?.brightness ?? 0;
      t.ok(Math.abs(last - SHUT) < 8, `and its mouth is shut (${last})`);

      await untilFull();
      const fine = await speak(1, 0);
      t.ok(fine.frames > 15, `then it moves again (${fine.frames} frames)`);
    },
    { avatar },
  );
});
