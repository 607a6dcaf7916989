// The slots of a worker, under launches, leaving and returning users, and ends in any order.
import t from "tap";
import { SessionSlots } from "../../../agent-worker/capacity/session-slots.ts";
import { createSeededRandom } from "../../../lab/soak/seeded-random.ts";

const SEEDS = 40;
const STEPS = 500;

t.test("a job that needs the slot of a vacant session ends the one that has waited longest", async (t) => {
  const slots = new SessionSlots();
  for (const id of ["a", "b", "c"]) t.same(slots.take(id, 3), []);
  t.equal(slots.take("d", 3), null, "every slot is taken");
  slots.setVacant("b", true);
  slots.setVacant("a", true);
  t.same([slots.taken, slots.present], [1, 3]);
  t.same(slots.take("d", 4), [], "none needs to end while there is another slot");
  t.same(slots.take("e", 4), ["b"]);
  slots.setVacant("b", false);
  t.same([slots.taken, slots.present, slots.has("b")], [3, 4, false], "it has no slot to return to");
  slots.setVacant("a", false);
  t.equal(slots.take("f", 4), null, "a user who is back keeps the slot");
  t.same([slots.release("a"), slots.release("a")], [true, false]);
});

t.test("in any order, no more sessions than slots, and no refusal while a slot is free", async (t) => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = createSeededRandom(seed);
    const most = 1 + random.integer(4);
    const slots = new SessionSlots();
    const used = new Set<string>();
    /** Longest vacant first. */
    const vacant: string[] = [];
    for (let step = 0; step < STEPS; step++) {
      const action = random.weighted({ launch: 4, leave: 3, return: 2, end: 2 });
      if (action === "launch") {
        const id = `${seed}.${step}`;
        const hadFree = used.size < most;
        const mustEnd = used.size + vacant.length === most && vacant.length > 0 ? [vacant[0]] : [];
        const ending = slots.take(id, most);
        if (hadFree) {
          t.strictSame(ending, mustEnd, `seed ${seed}, step ${step}: it gets a slot`);
          vacant.splice(0, mustEnd.length);
          used.add(id);
        } else t.equal(ending, null, `seed ${seed}, step ${step}: none is free`);
      } else if (action === "leave" && used.size > 0) {
        const id = random.pick([...used]);
        used.delete(id);
        vacant.push(id);
        slots.setVacant(id, true);
      } else if (action === "return" && vacant.length > 0) {
        const [id] = vacant.splice(random.integer(vacant.length), 1);
        used.add(id);
        slots.setVacant(id, false);
      } else if (action === "end" && used.size > 0) {
        const id = random.pick([...used]);
        used.delete(id);
        slots.release(id);
      }
      if (slots.taken !== used.size || slots.taken > most || slots.present > most) {
        t.fail(`seed ${seed}, step ${step}: ${slots.taken} of ${most} taken, ${slots.present} present`);
      }
    }
  }
});
