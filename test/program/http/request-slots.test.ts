import t from "tap";
import { RequestSlots } from "../../../program/http/request-slots.ts";

const slotsOf = () => new RequestSlots({ most: 3, mostPerOwner: 2, refusal: "Too many.", retryAfterSeconds: 5 });
const REFUSED = { code: "SERVICE_UNAVAILABLE", message: "Too many.", retryAfterSeconds: 5 };

t.test("slots are bounded in all and for each owner, and one that is given back is free", (t) => {
  const slots = slotsOf();
  const release = slots.take("ada");
  slots.take("ada");
  t.throws(() => slots.take("ada"), REFUSED, "ada has all of hers");
  slots.take("bob");
  t.throws(() => slots.take("carl"), REFUSED, "none is left");
  release();
  release();
  t.equal(slots.count, 2, "giving back twice frees one");
  slots.take("carl");
  t.throws(() => slots.take("bob"), REFUSED);
  t.end();
});

t.test("work in a slot gives it back, also when it fails, and is not begun without one", async (t) => {
  const slots = slotsOf();
  t.equal(await slots.run("ada", async () => slots.count), 1);
  await t.rejects(
    slots.run("ada", () => Promise.reject(new Error("broken"))),
    { message: "broken" },
  );
  t.equal(slots.count, 0);
  for (const owner of ["ada", "bob", "carl"]) slots.take(owner);
  let isBegun = false;
  await t.rejects(
    slots.run("dora", async () => {
      isBegun = true;
    }),
    REFUSED,
  );
  t.notOk(isBegun);
});
