// When a session says that it renders video.
import t from "tap";
import { RenderedVideo } from "../../../agent-worker/session/rendered-video.ts";
import { waitFor } from "../../helpers/wait-for.ts";

function stage({
  needsVideo,
  viewersRender,
  announcingLimitMs,
}: Record<"needsVideo" | "viewersRender", boolean> & { announcingLimitMs?: number }) {
  const listeners = new Set<() => void>();
  const watch = {
    needsVideo,
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const told: boolean[] = [];
  const onChange = (isRendered: boolean): unknown => told.push(isRendered);
  const video = new RenderedVideo({ watch, viewersRender, onChange, announcingLimitMs });
  return {
    told,
    listeners,
    video,
    turn(needs: boolean) {
      watch.needsVideo = needs;
      for (const listener of listeners) listener();
    },
  };
}

t.test("each change is told once", async (t) => {
  const { told, turn, video, listeners } = stage({ needsVideo: true, viewersRender: false });
  t.same(told, [true]);
  turn(true);
  turn(false);
  turn(false);
  turn(true);
  t.same(told, [true, false, true]);
  video.close();
  t.equal(listeners.size, 0);
});

t.test("frames that announce the track of a session that viewers render are not video", async (t) => {
  const { told, turn, video } = stage({ needsVideo: true, viewersRender: true });
  turn(true);
  turn(false);
  t.same(told, [], "it never rendered for a viewer");
  turn(true);
  turn(false);
  t.same(told, [true, false]);
  video.close();
});

t.test("video that is needed for longer than announcing takes is told", async (t) => {
  const { told, turn, video } = stage({ needsVideo: true, viewersRender: true, announcingLimitMs: 5 });
  await waitFor(() => told.length === 1, "video");
  turn(false);
  t.same(told, [true, false]);
  video.close();
});
