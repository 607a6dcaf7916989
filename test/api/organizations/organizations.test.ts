// Organizations over REST: the rights of each role, and that a removed member loses access.
import t from "tap";
import type { Account } from "../../../api/accounts/account.ts";
import { chargeCredits } from "../../../api/accounts/credits/ledger.ts";
import type { Plan } from "../../../api/accounts/plans/plans.ts";
import { type TestApi, withIdleApi } from "../../helpers/service/with-api.ts";

// Hundreds of requests, which take long on a busy machine.

interface Person {
  account: Account;
  secret: string;
  call(method: string, path: string, body?: unknown): ReturnType<TestApi["call"]>;
}

async function person(api: TestApi, plan: Plan = "pro"): Promise<Person> {
  const { account, secret } = await api.addAccount({ plan, credits: 100 });
  return { account, secret, call: (method, path, body) => api.call(method, path, { secret, body }) };
}

/** Invites an account, accepts the invitation, and returns the member id. */
async function join(org: string, by: Person, who: Person, role: "admin" | "member"): Promise<string> {
  const invited = await by.call("POST", `${org}/members/invite`, { email: who.account.email.toUpperCase(), role });
  const accepted = await who.call("POST", "/v2/organizations/accept-invite", { token: invited.body.invite_token });
  if (accepted.status !== 200) throw new Error(JSON.stringify(accepted.body));
  return accepted.body.member.id;
}

const code = (status: number, name: string) => ({ status, body: { error: { code: name, httpStatus: status } } });

t.test("an organization needs Pro or higher, its managers rename it, and other accounts cannot see it", async (t) => {
  await withIdleApi(async (api) => {
    const owner = await person(api);
    const made = await owner.call("POST", "/v2/organizations", { name: "  Äda & Söhne  " });
    t.same(Object.keys(made.body).sort(), ["created_at", "id", "max_members", "name", "owner_user_id", "plan", "slug"]);
    t.match(made, {
      status: 200,
      body: {
        name: "Äda & Söhne",
        slug: "ada-sohne",
        owner_user_id: owner.account.userId,
        plan: "pro",
        max_members: 10,
      },
    });
    const org = `/v2/organizations/${made.body.id}`;
    t.match(
      (await owner.call("POST", "/v2/organizations", { name: "ada sohne" })).body.slug,
      /^ada-sohne-[0-9a-f]{6}$/,
    );
    t.match(
      await owner.call("POST", "/v2/organizations", { name: "x", slug: "ada-sohne" }),
      code(409, "VALIDATION_ERROR"),
    );
    for (const body of [{}, { name: "" }, { name: "x", slug: "A b" }, { name: "x".repeat(101) }]) {
      t.equal((await owner.call("POST", "/v2/organizations", body)).status, 400, JSON.stringify(body));
    }
    const creator = await person(api, "creator");
    t.match(await creator.call("POST", "/v2/organizations", { name: "x" }), {
      status: 403,
      body: { error: { code: "PLAN_REQUIRED", upgrade_url: /^http/ } },
    });
    t.equal(
      (await (await person(api, "business")).call("POST", "/v2/organizations", { name: "b" })).body.max_members,
      25,
    );
    t.equal(
      (await (await person(api, "enterprise")).call("POST", "/v2/organizations", { name: "e" })).body.max_members,
      50,
    );

    t.match(await owner.call("PATCH", org, { name: "New", slug: "new" }), {
      status: 200,
      body: { name: "New", slug: "new" },
    });
    t.match(await owner.call("GET", org), { body: { name: "New", slug: "new" } });
    t.match(await owner.call("PATCH", org, {}), code(400, "MISSING_PARAM"));
    t.match(await owner.call("PATCH", org, { slug: (await other()).body.slug }), code(409, "VALIDATION_ERROR"));

    async function other() {
      return owner.call("POST", "/v2/organizations", { name: "Other" });
    }
    for (const [method, path, body] of [
      ["GET", org],
      ["PATCH", org, { name: "x" }],
      ["DELETE", org],
      ["POST", `${org}/transfer-ownership`, { user_id: creator.account.userId }],
      ["GET", `${org}/members`],
      ["POST", `${org}/members/invite`, { email: "x@y.test" }],
      ["PATCH", `${org}/members/${made.body.id}`, { role: "admin" }],
      ["DELETE", `${org}/members/${made.body.id}`],
      ["POST", `${org}/members/${made.body.id}/resend-invite`],
      ["GET", `${org}/api-secrets`],
      ["POST", `${org}/api-secrets`, {}],
      ["DELETE", `${org}/api-secrets/x`],
      ["GET", `${org}/usage`],
      ["GET", `${org}/audit-log`],
      ["GET", "/v2/organizations/none"],
    ] as const) {
      t.match(await creator.call(method, path, body), code(404, "NOT_FOUND"), `${method} ${path} for a stranger`);
      t.equal((await api.call(method, path, { body })).status, 401);
    }
    const mine = await owner.call("GET", `/v2/users/${owner.account.userId}/organizations`);
    t.match(mine.body, { user_id: owner.account.userId, organizations: [{ name: "New", role: "owner" }, {}, {}] });
    t.match(await owner.call("GET", `/v2/users/${creator.account.userId}/organizations`), code(403, "FORBIDDEN"));
  });
});

t.test("an invitation by e-mail address can be accepted once within seven days and takes a seat", async (t) => {
  await withIdleApi(async (api) => {
    const owner = await person(api);
    const { id } = (await owner.call("POST", "/v2/organizations", { name: "Seats" })).body;
    const org = `/v2/organizations/${id}`;
    const [ada, bob] = [await person(api, "creator"), await person(api, "creator")];
    const accept = (who: Person, token: string) => who.call("POST", "/v2/organizations/accept-invite", { token });

    const invited = await owner.call("POST", `${org}/members/invite`, { email: ada.account.email });
    t.match(invited, {
      status: 200,
      body: { email: ada.account.email, role: "member", status: "invited", user_id: null, invite_token: /^[\w-]{32}$/ },
    });
    const { id: adaId, invite_token: token, invite_expires_at: expires } = invited.body;
    t.ok(Math.abs(Date.parse(expires) - Date.now() - 7 * 86_400_000) < 60_000);
    t.match(
      await owner.call("POST", `${org}/members/invite`, { email: ada.account.email }),
      code(409, "VALIDATION_ERROR"),
    );
    t.match(await accept(bob, token), code(403, "FORBIDDEN"), "an invitation is for one address");
    t.match(await accept(ada, "nothing"), code(404, "NOT_FOUND"));
    const again = await owner.call("POST", `${org}/members/${adaId}/resend-invite`);
    t.equal(again.status, 200);
    t.match(await accept(ada, token), code(404, "NOT_FOUND"), "the token before is void");
    t.match(await accept(ada, again.body.invite_token), {
      status: 200,
      body: { organization: { id }, member: { id: adaId, status: "active", user_id: ada.account.userId } },
    });
    t.match(await accept(ada, again.body.invite_token), code(404, "NOT_FOUND"), "and a used one");
    t.match(await owner.call("POST", `${org}/members/${adaId}/resend-invite`), code(409, "VALIDATION_ERROR"));
    for (const body of [{}, { email: "no address" }, { email: "x@y.test", role: "owner" }]) {
      t.equal((await owner.call("POST", `${org}/members/invite`, body)).status, 400, JSON.stringify(body));
    }

    const late = await owner.call("POST", `${org}/members/invite`, { email: bob.account.email, role: "admin" });
    await api.services.database
      .updateTable("organization_members")
      .set({ invite_expires_at: new Date(Date.now() - 1) })
      .where("id", "=", late.body.id)
      .execute();
    t.match(await accept(bob, late.body.invite_token), code(409, "VALIDATION_ERROR"), "an expired invitation");

    const race = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        owner.call("POST", `${org}/members/invite`, { email: `p${index}@seats.test` }),
      ),
    );
    t.equal(race.filter(({ status }) => status === 200).length, 7, "ten seats: three were taken");
    t.match(race.find(({ status }) => status !== 200)?.body, {
      error: { code: "PLAN_REQUIRED", upgrade_url: /^http/, message: /10 seats/ },
    });
    t.equal((await owner.call("GET", `${org}/members`)).body.total, 10);
    t.equal((await owner.call("DELETE", `${org}/members/${late.body.id}`)).status, 200, "an invitation is withdrawn");
    t.equal((await owner.call("POST", `${org}/members/invite`, { email: "last@seats.test" })).status, 200);
  });
});

t.test(
  "roles limit what members may do, only a transfer changes the owner, and the audit log records every change",
  async (t) => {
    await withIdleApi(async (api) => {
      const [owner, admin, member] = [await person(api), await person(api), await person(api, "creator")];
      const { id } = (await owner.call("POST", "/v2/organizations", { name: "Roles" })).body;
      const org = `/v2/organizations/${id}`;
      const adminId = await join(org, owner, admin, "admin");
      const memberId = await join(org, admin, member, "member");
      const ownerId = (await owner.call("GET", `${org}/members`)).body.members[0].id;

      for (const [method, path, body] of [
        ["PATCH", org, { name: "x" }],
        ["POST", `${org}/members/invite`, { email: "x@y.test" }],
        ["PATCH", `${org}/members/${adminId}`, { role: "member" }],
        ["DELETE", `${org}/members/${adminId}`],
        ["GET", `${org}/usage`],
        ["GET", `${org}/audit-log`],
        ["DELETE", org],
        ["POST", `${org}/transfer-ownership`, { user_id: member.account.userId }],
      ] as const) {
        t.match(await member.call(method, path, body), code(403, "FORBIDDEN"), `${method} ${path} for a member`);
      }
      t.match(await admin.call("DELETE", org), code(403, "FORBIDDEN"));
      t.match(
        await admin.call("POST", `${org}/transfer-ownership`, { user_id: admin.account.userId }),
        code(403, "FORBIDDEN"),
      );
      t.match(
        await admin.call("DELETE", `${org}/members/${ownerId}`),
        code(409, "VALIDATION_ERROR"),
        "the owner stays",
      );
      t.match(
        await admin.call("PATCH", `${org}/members/${ownerId}`, { role: "member" }),
        code(409, "VALIDATION_ERROR"),
      );
      t.match(await owner.call("DELETE", `${org}/members/${ownerId}`), code(409, "VALIDATION_ERROR"));
      t.match(
        await owner.call("PATCH", `${org}/members/${memberId}`, { role: "owner" }),
        code(400, "VALIDATION_ERROR"),
      );
      t.match(
        await owner.call("PATCH", `${org}/members/${crypto.randomUUID()}`, { role: "admin" }),
        code(404, "NOT_FOUND"),
      );
      t.match(await owner.call("PATCH", `${org}/members/${memberId}`, { role: "admin" }), { body: { role: "admin" } });
      t.match(await owner.call("PATCH", `${org}/members/${memberId}`, { role: "member" }), {
        body: { role: "member" },
      });

      const transfer = (userId: string) => owner.call("POST", `${org}/transfer-ownership`, { user_id: userId });
      t.match(await transfer(member.account.userId), code(403, "PLAN_REQUIRED"), "the new owner needs the plan");
      t.match(await transfer(crypto.randomUUID()), code(404, "NOT_FOUND"));
      t.match(await transfer(admin.account.userId), { status: 200, body: { owner_user_id: admin.account.userId } });
      t.match(await owner.call("DELETE", org), code(403, "FORBIDDEN"), "the owner before is an admin");

      await api.services.database.transaction().execute((transaction) =>
        chargeCredits(transaction, {
          account: member.account,
          amountCredits: 30,
          reason: "r",
          reference: "c",
          agentCode: null,
          at: new Date(),
          links: api.services.links,
        }),
      );
      const { usage } = (await owner.call("GET", `${org}/usage`)).body;
      t.same(
        usage.map((row: { email: string; total_credits_used: number }) => [row.email, row.total_credits_used]),
        [
          [owner.account.email, 0],
          [admin.account.email, 0],
          [member.account.email, 30],
        ],
      );

      const { events } = (await admin.call("GET", `${org}/audit-log?limit=100`)).body;
      t.same(
        events.map((event: { action: string }) => event.action),
        [
          "organization.transferred",
          "member.role_changed",
          "member.role_changed",
          "member.joined",
          "member.invited",
          "member.joined",
          "member.invited",
          "organization.created",
        ],
      );
      t.match(events[0], { actor_email: owner.account.email, target: admin.account.email });
      const page = (await admin.call("GET", `${org}/audit-log?limit=2&offset=1`)).body;
      t.same(page.events, events.slice(1, 3), "pages follow each other");
      t.same(page.pagination, { limit: 2, offset: 1, total: 8, has_more: true });
      t.equal((await admin.call("GET", `${org}/audit-log?limit=2&offset=6`)).body.pagination.has_more, false);
      t.equal((await admin.call("GET", `${org}/audit-log?limit=0`)).status, 400);

      t.equal((await member.call("DELETE", `${org}/members/${memberId}`)).status, 200, "a member may leave");
      t.match(await member.call("GET", org), code(404, "NOT_FOUND"));
    });
  },
);

t.test(
  "an organization's secret acts for its member, and is revoked with the member or the organization",
  async (t) => {
    await withIdleApi(async (api) => {
      const [owner, member] = [await person(api), await person(api)];
      const { id } = (await owner.call("POST", "/v2/organizations", { name: "Secrets" })).body;
      const org = `/v2/organizations/${id}`;
      const memberId = await join(org, owner, member, "member");
      const issue = async (who: Person, alias?: string) => {
        const { status, body } = await who.call("POST", `${org}/api-secrets`, { alias });
        t.equal(status, 200, JSON.stringify(body));
        return body as { alias: string; secret: string };
      };
      const works = async (secret: string) => (await api.call("POST", "/v1/validate", { secret })).body.valid;
      const ci = await issue(owner, "ci");
      const desk = await issue(member, "cli@desk");
      t.match((await issue(member)).alias, /^secret-/);
      t.match(await member.call("POST", `${org}/api-secrets`, { alias: "ci" }), code(409, "VALIDATION_ERROR"));
      t.match(await member.call("POST", `${org}/api-secrets`, { alias: "a/b" }), code(400, "VALIDATION_ERROR"));

      const me = await api.call("GET", "/v1/me", { secret: desk.secret });
      t.equal(me.body.data.user_id, member.account.userId, "it acts for who issued it");
      const personal = await member.call("GET", `/v2/${member.account.userId}/api-secrets`);
      t.equal(personal.body.total_count, 1, "it is not among the member's personal ones");
      t.equal(
        (await member.call("POST", `/v2/${member.account.userId}/api-secrets`, { alias: "cli@desk" })).status,
        200,
      );

      const listed = (await member.call("GET", `${org}/api-secrets`)).body;
      t.match(listed, { org_id: id, total_count: 3 });
      t.match(listed.data[0], {
        alias: "ci",
        user_id: owner.account.userId,
        key_display: `${"*".repeat(12)}${ci.secret.slice(-4)}`,
      });
      t.notOk(JSON.stringify(listed).includes(ci.secret));

      t.match(await member.call("DELETE", `${org}/api-secrets/ci`), code(403, "FORBIDDEN"));
      t.match(await owner.call("DELETE", `${org}/api-secrets/none`), code(404, "NOT_FOUND"));
      t.equal((await owner.call("DELETE", `${org}/api-secrets/ci`)).status, 200);
      t.equal(await works(ci.secret), false);
      t.equal(await works(desk.secret), true);
      t.equal((await owner.call("DELETE", `${org}/members/${memberId}`)).status, 200);
      t.equal(await works(desk.secret), false, "who is taken out has no access left");
      t.equal(await works(member.secret), true, "but its own");

      const last = await issue(owner, "last");
      t.match(await owner.call("DELETE", org), { status: 200, body: { id, deleted: true } });
      t.equal(await works(last.secret), false);
      t.match(await owner.call("GET", org), code(404, "NOT_FOUND"));
      t.equal(
        (await owner.call("POST", "/v2/organizations", { name: "Secrets", slug: "secrets" })).status,
        200,
        "its slug is free",
      );
    });
  },
);

t.test("a removed member and a deleted organization are published in the transaction of the change", async (t) => {
  await withIdleApi(async (api) => {
    const [owner, other] = [await person(api), await person(api)];
    const { body: made } = await owner.call("POST", "/v2/organizations", { name: "Events" });
    const org = `/v2/organizations/${made.id}`;
    const member = await join(org, owner, other, "member");
    const received: unknown[] = [];
    let isRefused = true;
    const { events } = api.services;
    events.on("organization.member_removed", async (_, { organizationId, userId }) => {
      received.push({ organizationId, userId });
      if (isRefused) throw new Error("a listener failed");
    });
    events.on("organization.deleted", async (_, { organizationId }) => void received.push(organizationId));
    t.equal((await owner.call("DELETE", `${org}/members/${member}`)).status, 500);
    t.equal((await other.call("GET", org)).status, 200, "a listener that fails takes the change back");
    isRefused = false;
    const invited = await owner.call("POST", `${org}/members/invite`, { email: "new@example.test", role: "member" });
    t.equal((await owner.call("DELETE", `${org}/members/${invited.body.id}`)).status, 200);
    t.equal((await other.call("DELETE", `${org}/members/${member}`)).status, 200);
    t.equal((await owner.call("DELETE", org)).status, 200);
    const removed = { organizationId: made.id, userId: other.account.userId };
    t.same(received, [removed, removed, made.id], "a withdrawn invitation is not published");
  });
});

t.test("access that an organization's secret gave ends with the secret", async (t) => {
  await withIdleApi(async (api) => {
    const owner = await person(api);
    const { userId } = owner.account;
    const { body: made } = await owner.call("POST", "/v2/organizations", { name: "Narrow" });
    const org = `/v2/organizations/${made.id}`;
    const { secret } = (await owner.call("POST", `${org}/api-secrets`, {})).body;
    const call = (method: string, path: string, body?: object) => api.call(method, path, { secret, body });
    for (const [method, path, body] of [
      ["POST", `/v2/${userId}/api-secrets`, {}],
      ["GET", `/v2/${userId}/api-secrets`],
      ["DELETE", `/v2/${userId}/api-secrets/test`],
      ["POST", `/v2/${userId}/runtime/revoke-all`, {}],
      ["POST", `${org}/api-secrets`, {}],
      ["POST", `${org}/members/invite`, { email: "a@b.test" }],
      ["PATCH", org, { name: "x" }],
      ["DELETE", org],
      ["POST", "/v2/organizations", { name: "x" }],
      ["POST", "/v2/organizations/accept-invite", { token: "x" }],
      ["POST", "/v1/webhooks", { url: "https://hooks.example/x" }],
      ["PUT", `/v2/${userId}/session-webhook`, { url: "https://hooks.example/x" }],
    ] as const) {
      t.match(await call(method, path, body), code(403, "FORBIDDEN"), `${method} ${path}`);
    }
    for (const path of ["/v1/agents", "/v1/me", org, `${org}/members`, "/v1/knowledge/kbs"]) {
      t.equal((await call("GET", path)).status, 200, path);
    }
  });
});
