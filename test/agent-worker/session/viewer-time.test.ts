import t from "tap";
import { ViewerTime } from "../../../agent-worker/session/viewer-time.ts";

/** A room's need for video, and a clock. */
function stage({ needsVideo, viewersRender }: { needsVideo: boolean; viewersRender: boolean }) {
  let nowMs = 1_000;
  const listeners = new Set<() => void>();
  const watch = {
    needsVideo,
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const time = new ViewerTime({ watch, viewersRender, nowMs: () => nowMs });
  return {
    time,
    listeners,
    pass: (seconds: number) => {
      nowMs += seconds * 1000;
    },
    turn(needs: boolean) {
      watch.needsVideo = needs;
      for (const listener of listeners) listener();
    },
  };
}

t.test("only time without video counts", async (t) => {
  const { time, pass, turn, listeners } = stage({ needsVideo: true, viewersRender: false });
  pass(10);
  t.equal(time.seconds, 0);
  turn(false);
  pass(7);
  t.equal(time.seconds, 7);
  turn(false);
  turn(true);
  pass(3);
  t.equal(time.seconds, 7);
  turn(true);
  pass(2);
  turn(false);
  pass(1.25);
  t.equal(time.seconds, 8.25);
  time.close();
  t.equal(listeners.size, 0);
});

t.test("the frames that announce the track of a session without a stream are no video for a viewer", async (t) => {
  const announced = stage({ needsVideo: true, viewersRender: true });
  announced.pass(0.8);
  announced.turn(false);
  announced.pass(9.2);
  t.equal(announced.time.seconds, 10);
  announced.turn(true);
  announced.pass(5);
  t.equal(announced.time.seconds, 10, "later video counts at once");

  const watched = stage({ needsVideo: true, viewersRender: true });
  watched.pass(60);
  t.equal(watched.time.seconds, 5, "a viewer of the video from the start pays for it");
});
