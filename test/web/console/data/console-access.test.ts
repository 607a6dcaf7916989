// What the console reads before it shows anything.
import t from "tap";
import { toConsoleAccess } from "../../../../web/console/data/console-access.ts";

const PERSON = {
  signed_in: true,
  user_id: "u1",
  email: "a@example.com",
  plan: "free",
  organization_id: null,
  is_operator: false,
  operations: ["agents.list"],
} as const;

t.test("who is signed in is read by its form; an answer of another form is refused by the name of its field", (t) => {
  t.same(toConsoleAccess({ ...PERSON, more: 1 }), PERSON);
  t.same(toConsoleAccess({ ...PERSON, organization_id: "o1" }), { ...PERSON, organization_id: "o1" });
  const stranger = { signed_in: false, issuer: "Example", session_ended: true };
  t.same(toConsoleAccess(stranger), stranger);
  t.same(toConsoleAccess({ ...stranger, issuer: null }), { ...stranger, issuer: null });
  t.throws(() => toConsoleAccess({ ...stranger, session_ended: 1 }), { message: /session_ended/ });
  const wrong = {
    signed_in: "yes",
    user_id: 1,
    email: null,
    plan: undefined,
    organization_id: 3,
    is_operator: "no",
    operations: ["agents.list", 2],
  };
  for (const [name, value] of Object.entries(wrong)) {
    t.throws(
      () => toConsoleAccess({ ...PERSON, [name]: value }),
      { name: "TypeError", message: new RegExp(name) },
      name,
    );
  }
  t.throws(() => toConsoleAccess({ signed_in: false }), { message: /issuer/ });
  t.throws(() => toConsoleAccess({}), { message: /signed_in/ });
  t.end();
});
