// Which playback reports a sender may get for segments that were cut off.
import t from "tap";
import { checkReports } from "../../../bench/chaos/check-reports.ts";

const report = (positionS: number, interrupted: boolean) => ({ atMs: 0, positionS, interrupted });
const LENGTHS_S = [6, 1, 1];

t.test("one report for each segment: the one that played is interrupted, the others never began", async (t) => {
  t.ok(checkReports([report(1.4, true), report(0, true), report(0, true)], LENGTHS_S).isRight);
  t.ok(checkReports([report(6, false), report(1, false), report(1, false)], LENGTHS_S).isRight, "all were played");
  t.ok(checkReports([report(6, false), report(0.4, true), report(0, true)], LENGTHS_S).isRight, "cut off later");
});

t.test("missing, repeated and impossible reports are wrong, and named", async (t) => {
  const cases: [ReturnType<typeof report>[], RegExp][] = [
    [[], /0 of 3 reports/],
    [[report(1.4, true), report(0, true), report(0, true), report(0, true)], /4 of 3 reports/],
    [[report(0, true), report(0, true), report(0.9, true)], /report 3 says 0.9 s of a segment that never began/],
    [[report(7, true), report(0, true), report(0, true)], /report 1 says 7 s of 6 s/],
    [[report(2, false), report(1, false), report(1, false)], /report 1 ends early/],
    [[report(1.4, true), report(1, false), report(1, false)], /report 2 is not interrupted/],
  ];
  for (const [reports, problem] of cases) t.match(checkReports(reports, LENGTHS_S), { isRight: false, problem });
});
