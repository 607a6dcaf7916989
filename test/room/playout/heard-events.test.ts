import t from "tap";
import { HeardEvents } from "../../../room/playout/heard-events.ts";
import { waitFor } from "../../helpers/wait-for.ts";

function listen(): { told: string[]; heard: HeardEvents } {
  const told: string[] = [];
  const heard = new HeardEvents({
    segmentStarted: (id) => void told.push(`${id} started`),
    segmentQueued: (id, { fromMs, untilMs, inMs }) => void told.push(`${id} ${fromMs}-${untilMs} in ${inMs}`),
    segmentFinished: (id, { positionMs, interrupted }) =>
      void told.push(`${id} finished ${Math.round(positionMs)}${interrupted ? " interrupted" : ""}`),
  });
  return { told, heard };
}

t.test("events are reported in the order of the audio, not before it is heard", async (t) => {
  const { told, heard } = listen();
  heard.started("a", 20);
  heard.finished("a", 500, 60);
  heard.started("b", 20);
  heard.finished("b", 40, 60);
  t.same(told, [], "nothing is told ahead");
  heard.queued("a", { fromMs: 40, untilMs: 80, inMs: 20 });
  t.same(told.splice(0), ["a 40-80 in 80"], "but what is queued, with the time until it is heard");
  await waitFor(() => told.length === 4, "all is told");
  t.same(told, ["a started", "a finished 500", "b started", "b finished 40"]);
});

t.test("an interruption is reported at once, after all earlier events, at the position that was heard", async (t) => {
  const { told, heard } = listen();
  heard.started("a", 20);
  heard.finished("a", 500, 0);
  heard.started("b", 0);
  heard.queued("b", { fromMs: 0, untilMs: 40, inMs: -80 });
  heard.queued("b", { fromMs: 40, untilMs: 80, inMs: -40 });
  heard.queued("b", { fromMs: 80, untilMs: 120, inMs: 1000 });
  told.length = 0;
  heard.queueCleared();
  heard.interrupted("b");
  heard.interrupted("c");
  t.same(told, ["a started", "a finished 500", "b started", "b finished 80 interrupted", "c finished 0 interrupted"]);
});

t.test("of a segment that is all heard, silence queued after it changes no position", async (t) => {
  const { told, heard } = listen();
  heard.queued("late", { fromMs: 200, untilMs: 240, inMs: -500 });
  heard.queueCleared();
  heard.interrupted("late");
  t.equal(told[1], "late finished 240 interrupted");
});

t.test(
  "a segment that loses its last audio from the queue is interrupted, and an unheard segment is never started",
  async (t) => {
    const { told, heard } = listen();
    heard.started("a", 0);
    heard.queued("a", { fromMs: 500, untilMs: 1000, inMs: -300 });
    heard.finished("a", 1000, 200);
    told.length = 0;
    heard.queueCleared();
    t.match(told[1], /^a finished 80\d interrupted$/);
    heard.started("b", 100);
    heard.queued("b", { fromMs: 0, untilMs: 40, inMs: 100 });
    heard.finished("b", 40, 140);
    told.length = 0;
    heard.queueCleared();
    t.same(told, ["b finished 0 interrupted"]);
    heard.started("c", 0);
    heard.close();
    heard.queueCleared();
    t.equal(told.length, 1, "a closed queue tells nothing");
  },
);
