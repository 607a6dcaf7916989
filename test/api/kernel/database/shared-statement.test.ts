// One statement for many requests: each gets its own answer, and sees what was committed before it asked.
import t from "tap";
import type { Database } from "../../../../api/kernel/database/database.ts";
import { createSharedStatement } from "../../../../api/kernel/database/shared-statement.ts";

t.test("requests that arrive while a statement runs are combined in the next statement", async (t) => {
  const batches: number[][] = [];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const double = createSharedStatement<number, number>(() => async (items) => {
    batches.push([...items]);
    if (batches.length === 1) await held;
    return items.map((item) => item * 2);
  });
  const [one, other] = [{}, {}] as Database[];
  const first = double(one, 1);
  await new Promise((resolve) => setImmediate(resolve));
  const rest = [double(one, 2), double(one, 3), double(one, 2)];
  t.equal(await double(other, 9), 18, "another database waits for nothing");
  release();
  t.same(await Promise.all([first, ...rest]), [2, 4, 6, 4]);
  t.same(batches, [[1], [9], [2, 3, 2]]);
});
