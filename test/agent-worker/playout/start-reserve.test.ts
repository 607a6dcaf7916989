// The start reserve on a time of its own.
import t from "tap";
import { StartReserve } from "../../../agent-worker/playout/start-reserve.ts";

t.test("the reserve grows with each underrun, up to a bound, and is forgotten after half a minute without one", (t) => {
  let nowMs = 0;
  const reserve = new StartReserve({ now: () => nowMs });
  const grown = [reserve.ms];
  for (let underrun = 0; underrun < 5; underrun++) {
    nowMs += 1000;
    reserve.ranDry();
    grown.push(reserve.ms);
  }
  t.same(grown, [100, 140, 180, 220, 260, 260]);
  nowMs += 30_000;
  t.equal(reserve.ms, 260);
  nowMs += 1;
  t.equal(reserve.ms, 100);
  reserve.ranDry();
  t.equal(reserve.ms, 140, "as after the first one");
  t.end();
});

t.test("a full machine needs more", (t) => {
  let freeCores = 0;
  const reserve = new StartReserve({ freeCores: () => freeCores, now: () => 0 });
  t.equal(reserve.ms, 140);
  reserve.ranDry();
  t.equal(reserve.ms, 140, "the first underrun is explained by it");
  reserve.ranDry();
  t.equal(reserve.ms, 180);
  freeCores = 0.5;
  t.equal(reserve.ms, 180);
  t.end();
});
