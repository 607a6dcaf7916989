import t from "tap";
import { workerLoad } from "../../../agent-worker/capacity/worker-load.ts";

t.test("only the number of sessions makes a worker full; a busy machine has a high load but is not full", async (t) => {
  t.equal(workerLoad(8, 8, 0), 1);
  t.equal(workerLoad(9, 8, 0), 1);
  t.equal(workerLoad(0, 8, 0), 0);
  t.ok(workerLoad(7, 8, 1000) < 1);
  t.ok(workerLoad(0, 8, 1000) > workerLoad(0, 8, 0));
  t.ok(workerLoad(4, 8, 0) > workerLoad(1, 8, 0));
});
