import t from "tap";
import { PeerWatch } from "../../../relay/webrtc/peer-watch.ts";
import { waitFor } from "../../helpers/wait-for.ts";

t.test("a peer has vanished when nothing of it arrives for seven seconds, and not before", async (t) => {
  let nowMs = 0;
  let count = 0;
  let checks = 0;
  let vanished = 0;
  const watch = new PeerWatch({
    received: async () => {
      checks += 1;
      if (checks === 3) throw new Error("no count this time");
      return count;
    },
    onVanished: () => {
      vanished += 1;
    },
    checkMs: 20,
    now: () => nowMs,
  });
  watch.start();
  t.teardown(() => watch.close());
  await waitFor(() => checks === 1, "the first look");
  nowMs = 6_900;
  await waitFor(() => checks === 3, "two more looks, one of them without a count");
  t.equal(vanished, 0);
  count = 5;
  nowMs = 7_100;
  await waitFor(() => checks === 4, "something arrived");
  nowMs = 14_000;
  await waitFor(() => checks === 5, "it is silent for less than seven seconds");
  t.equal(vanished, 0);
  nowMs = 14_200;
  await waitFor(() => vanished === 1, "it has vanished");
});

t.test("a peer without a count has vanished as well, once", async (t) => {
  let nowMs = 0;
  let vanished = 0;
  const watch = new PeerWatch({
    received: () => new Promise(() => undefined),
    onVanished: () => {
      vanished += 1;
    },
    checkMs: 20,
    now: () => nowMs,
  });
  watch.start();
  t.teardown(() => watch.close());
  nowMs = 6_900;
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.equal(vanished, 0);
  nowMs = 7_100;
  await waitFor(() => vanished === 1, "it has vanished");
});
