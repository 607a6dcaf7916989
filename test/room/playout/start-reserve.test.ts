// The start reserve on a time of its own.
import t from "tap";
import { StartReserve } from "../../../room/playout/start-reserve.ts";

t.test("the reserve grows with repeated underruns, up to a bound, and forgets them after half a minute", (t) => {
  let nowMs = 0;
  const reserve = new StartReserve(() => nowMs);
  const grown = [reserve.ms];
  for (let underrun = 0; underrun < 7; underrun++) {
    nowMs += 1000;
    reserve.ranDry();
    grown.push(reserve.ms);
  }
  t.same(grown, [100, 100, 140, 180, 220, 260, 260, 260], "a single underrun changes nothing");
  nowMs += 30_000;
  t.equal(reserve.ms, 260);
  nowMs += 1;
  t.equal(reserve.ms, 100);
  reserve.ranDry();
  t.equal(reserve.ms, 100, "as after the first one");
  t.end();
});
