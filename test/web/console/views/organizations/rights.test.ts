// Links of invitations, and what roles let a person do.
import t from "tap";
import type { Person } from "../../../../../web/console/data/console-access.ts";
import { invitationLink, tokenOf } from "../../../../../web/console/views/organizations/invitation-link.ts";
import { rightsOf } from "../../../../../web/console/views/organizations/rights.ts";

const person: Person = {
  signed_in: true,
  user_id: "u",
  email: "a@b.test",
  plan: "Pro",
  organization_id: null,
  is_operator: false,
  operations: [],
};

t.test("the link of an invitation keeps its token from servers, and is read as it was sent", async (t) => {
  const token = "abc_-DEF0123";
  const link = invitationLink(new URL("https://host.example/below/"), token);
  t.equal(link, `https://host.example/below/console/organizations/invitation#token=${token}`);
  for (const pasted of [link, ` ${link}\n`, `#token=${token}`, token]) t.equal(tokenOf(pasted), token, pasted);
  for (const pasted of ["", "https://host.example/", "two words", `${link.split("#")[0]}#link=x`]) {
    t.equal(tokenOf(pasted), "", pasted);
  }
});

t.test("roles decide what a person may do, and with the secret of an organization nothing is changed", async (t) => {
  t.match(rightsOf("owner", person), { mayChange: true, mayManage: true, mayInspect: true, isOwner: true });
  t.match(rightsOf("admin", person), { mayChange: true, mayManage: true, mayInspect: true, isOwner: false });
  t.match(rightsOf("member", person), { mayChange: true, mayManage: false, mayInspect: false, isOwner: false });
  const bound = { ...person, organization_id: "o" };
  t.match(rightsOf("owner", bound), { mayChange: false, mayManage: false, mayInspect: true, isOwner: false });
});
