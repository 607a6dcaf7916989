// CPU time of sessions that share a process.
import t, { type Test } from "tap";
import { CpuShares } from "../../../agent-worker/session/cpu-shares.ts";

function countedProcess() {
  const counted = { cpuMs: 0, nowMs: 0 };
  const shares = new CpuShares({ processMs: () => counted.cpuMs, nowMs: () => counted.nowMs });
  const spend = (cpuMs: number, wallMs: number): void => {
    counted.cpuMs += cpuMs;
    counted.nowMs += wallMs;
  };
  return { shares, spend };
}

const near = (t: Test, found: number, wanted: number, what: string) =>
  t.ok(Math.abs(found - wanted) < 1e-9, `${what}: ${found}, wanted ${wanted}`);

t.test("a session alone in its process has all of its CPU time since it began", async (t) => {
  const { shares, spend } = countedProcess();
  spend(900, 1_000);
  const share = shares.open(() => ({ lipSyncMs: 0, renderMs: 0 }));
  spend(400, 2_000);
  near(t, share.read(), 0.2, "cores");
  spend(100, 1_000);
  near(t, share.read(), 0.1, "since the reading before");
  t.equal(share.read(), 0, "no time has passed");
});

t.test("sessions that share a process get what they have done of its CPU time, whenever they are read", async (t) => {
  const { shares, spend } = countedProcess();
  const work = { lipSyncMs: 0, renderMs: 0 };
  const silent = shares.open(() => ({ lipSyncMs: 0, renderMs: 0 }));
  const other = shares.open(() => ({ lipSyncMs: 0, renderMs: 0 }));
  const streaming = shares.open(() => work);
  spend(90, 1_000);
  near(t, silent.read(), 0.03, "a third, while none does more than the others");
  work.renderMs = 135;
  spend(360, 1_000);
  // 30 ms for each, and 270 ms for the frames.
  near(t, silent.read(), 0.03, "without the frames of another");
  near(t, other.read(), 0.03, "over both seconds");
  near(t, streaming.read(), (0.03 + 0.3) / 2, "over both seconds, with its frames");
  silent.close();
  work.lipSyncMs = 30;
  spend(90, 1_000);
  near(t, other.read(), 0.03, "one of three parts");
  near(t, streaming.read(), 0.06, "two of three: it spoke");
});
