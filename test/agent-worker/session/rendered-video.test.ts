// When a session says that it renders video, and how long it has not.
import t from "tap";
import { RenderedVideo } from "../../../agent-worker/session/rendered-video.ts";
import { waitFor } from "../../helpers/wait-for.ts";

/** A room that needs video at first, and a clock. */
function stage({ viewersRender, announcingLimitMs }: { viewersRender: boolean; announcingLimitMs?: number }) {
  let nowMs = 1_000;
  const listeners = new Set<() => void>();
  const watch = {
    needsVideo: true,
    viewersRender,
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const told: boolean[] = [];
  const onChange = (isRendered: boolean): unknown => told.push(isRendered);
  const video = new RenderedVideo({ watch, onChange, announcingLimitMs, nowMs: () => nowMs });
  return {
    told,
    listeners,
    video,
    pass: (seconds: number) => {
      nowMs += seconds * 1000;
    },
    turn(needs: boolean) {
      watch.needsVideo = needs;
      for (const listener of listeners) listener();
    },
  };
}

t.test("each change is told once, and only time without video counts", async (t) => {
  const { told, turn, video, listeners, pass } = stage({ viewersRender: false });
  t.same(told, [true]);
  pass(10);
  t.equal(video.secondsWithout, 0);
  turn(true);
  turn(false);
  pass(7);
  t.equal(video.secondsWithout, 7);
  turn(false);
  turn(true);
  pass(3);
  t.equal(video.secondsWithout, 7);
  turn(true);
  pass(2);
  turn(false);
  pass(1.25);
  t.equal(video.secondsWithout, 8.25);
  t.same(told, [true, false, true, false]);
  video.close();
  t.equal(listeners.size, 0);
});

t.test("frames that announce the track of a session that viewers render are not video", async (t) => {
  const { told, turn, video, pass } = stage({ viewersRender: true });
  pass(0.8);
  turn(true);
  turn(false);
  pass(9.2);
  t.same(told, [], "it never rendered for a viewer");
  t.equal(video.secondsWithout, 10);
  turn(true);
  pass(5);
  t.equal(video.secondsWithout, 10, "later video counts at once");
  turn(false);
  t.same(told, [true, false]);
  video.close();
});

t.test("video that is needed for longer than announcing takes is told, and counts from then on", async (t) => {
  const { told, turn, video, pass } = stage({ viewersRender: true, announcingLimitMs: 5 });
  pass(5);
  await waitFor(() => told.length === 1, "video");
  pass(55);
  t.equal(video.secondsWithout, 5, "a viewer of the video from the start pays for it");
  turn(false);
  t.same(told, [true, false]);
  video.close();
});
