import t from "tap";
import { TokenBucket } from "../../program/token-bucket.ts";

t.test("a bucket gives its burst at once, then its rate", async (t) => {
  let nowMs = 0;
  const bucket = new TokenBucket({ perSecond: 4, burst: 3 }, () => nowMs);
  for (let count = 0; count < 3; count++) {
    t.equal(bucket.waitMs, 0);
    bucket.take(1);
  }
  t.equal(bucket.waitMs, 250);
  nowMs = 125;
  t.equal(bucket.waitMs, 125);
  nowMs = 60_000;
  t.ok(bucket.isFull);
  bucket.take(3);
  t.equal(bucket.waitMs, 250, "no more than the burst is kept");
});

t.test("what costs more than there is makes the next one wait, unless it is given back", async (t) => {
  const bucket = new TokenBucket({ perSecond: 1, burst: 5 }, () => 0);
  bucket.take(10);
  t.equal(bucket.waitMs, 6_000);
  bucket.giveBack(10);
  t.ok(bucket.isFull);
  bucket.giveBack(10);
  bucket.take(5);
  t.equal(bucket.waitMs, 1_000, "a full bucket takes nothing back");
});
