// Slots of owners: taken at once, or after a wait in order of arrival.
import t from "tap";
import { OwnerSlots } from "../../program/owner-slots.ts";

t.test("each owner has its own slots, and a release counts once", async (t) => {
  const slots = new OwnerSlots(2);
  const first = slots.take("a");
  slots.take("a");
  t.equal(slots.take("a"), undefined);
  t.ok(slots.take("b"), "another owner's are free");
  t.same([slots.count, slots.full], [3, ["a"]]);
  first?.();
  first?.();
  t.same([slots.count, slots.full], [2, []]);
  t.ok(slots.take("a"));
  t.equal(slots.take("a"), undefined, "the second release was ignored");
});

t.test("waiting tasks enter in order of arrival; one that waits for too long gives up its place", async (t) => {
  const slots = new OwnerSlots(1);
  const leave = await slots.enter("a");
  const entered: string[] = [];
  const second = slots.enter("a").then((leaveSecond) => {
    entered.push("second");
    return leaveSecond;
  });
  t.equal(await slots.enter("a", 20), undefined);
  const fourth = slots.enter("a", 60_000).then((leaveFourth) => {
    entered.push("fourth");
    return leaveFourth;
  });
  leave();
  (await second)();
  const last = await fourth;
  t.same(entered, ["second", "fourth"]);
  t.equal(slots.count, 1, "a slot that is passed on stays taken");
  last?.();
  t.same([slots.count, slots.full], [0, []]);
});
