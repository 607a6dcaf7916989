// What a sender may be told about segments that were cut off, and what may be billed.
import t from "tap";
import { checkBilling } from "../../../../lab/bench/chaos/check-billing.ts";
import { checkReports } from "../../../../lab/bench/chaos/check-reports.ts";

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

t.test("billed time is the time shown, with or without the time away; never more, never less", async (t) => {
  t.equal(checkBilling(58, 60, 0), "", "the last report is some seconds old");
  t.equal(checkBilling(58, 60, 15), "");
  t.equal(checkBilling(41, 60, 15), "");
  t.equal(checkBilling(75, 60, 15), "billed 75 s of 60 s, 15 s of it away", "an overlap");
  t.equal(checkBilling(20, 60, 15), "billed 20 s of 60 s, 15 s of it away", "a gap");
});
