// The states of an avatar session: each move of the table, from every state, and what a move leaves behind.
import { readFileSync } from "node:fs";
import t from "tap";
import {
  createSessionMachine,
  MAX_DISPATCHES,
  MOVES,
  type MoveName,
} from "../../../../api/sessions/life/session-machine.ts";
import { createFamilyHealth } from "../../../../api/sessions/readiness/family-health.ts";
import type { AvatarSession, AvatarSessionStatus } from "../../../../api/sessions/record/avatar-session.ts";
import { findAvatarSession, moveAvatarSession } from "../../../../api/sessions/record/avatar-session-store.ts";
import { newSession } from "../../../helpers/service/new-session.ts";
import { type TestApi, withApi } from "../../../helpers/service/with-api.ts";
import { readSources } from "../../../structure/read-sources.ts";

type MachineMove = Exclude<MoveName, "admit">;

let sessions = 0;

/** A session in the given state, as the machine left it. */
async function addSession(
  { services }: TestApi,
  userId: string,
  options: {
    status?: AvatarSessionStatus;
    isSelfHosted?: boolean;
    portraitKey?: string;
    servedDeciseconds?: number;
  } = {},
): Promise<string> {
  const { status = "starting", isSelfHosted = false, portraitKey = null, servedDeciseconds = 0 } = options;
  const { database } = services;
  const id = `cs_machine${sessions++}`;
  const at = new Date(services.now());
  const machine = createSessionMachine({ services, health: createFamilyHealth(services.now) });
  await database.transaction().execute((transaction) =>
    machine.admit(
      transaction,
      newSession({
        id,
        userId,
        isSelfHosted,
        portraitKey,
        avatarIdentity: id,
        createdAt: at,
        launchTokenId: `token-${id}`,
        sealedLivekitToken: Buffer.from("sealed"),
      }),
    ),
  );
  if (status !== "starting") {
    const patch = { servedDeciseconds, liveAt: at, ...(status === "ended" && { endedAt: at, credits: 0 }) };
    await moveAvatarSession(database, id, { from: "starting", to: status, patch });
  }
  return id;
}

t.test("every move is possible only from the states in its row", async (t) => {
  await withApi(
    async (api) => {
      const { account } = await api.addAccount({ credits: 5 });
      const machine = createSessionMachine({
        services: api.services,
        health: createFamilyHealth(api.services.now),
      });
      const make: Record<MachineMove, (id: string) => Promise<void>> = {
        accept: (id) => machine.hold(id, (held) => held.accept()),
        goLive: (id) => machine.hold(id, (held) => held.goLive()),
        redispatch: (id) => machine.hold(id, (held) => held.redispatch()),
        handOver: (id) => machine.hold(id, (held) => held.handOver()),
        end: (id) => machine.hold(id, (held) => held.end("ended_by_api")),
        withdraw: (id) => machine.hold(id, (held) => held.withdraw()),
      };
      for (const name of Object.keys(make) as MachineMove[]) {
        for (const status of ["starting", "live", "ended"] as const) {
          const id = await addSession(api, account.userId, { status });
          if (MOVES[name].from.includes(status)) {
            await make[name](id);
            const after = await findAvatarSession(api.services.database, id);
            t.equal(after?.status ?? "removed", MOVES[name].to, `${name} leads from ${status} to ${MOVES[name].to}`);
          } else {
            await t.rejects(make[name](id), { message: new RegExp(`is ${status}: the move ${name} needs`) });
            const after = await findAvatarSession(api.services.database, id);
            t.equal(after?.status, status, `a refused ${name} leaves ${status}`);
          }
        }
      }
      const selfHosted = await addSession(api, account.userId, { isSelfHosted: true });
      await t.rejects(make.accept(selfHosted), /a cloud session/);
      await t.rejects(make.redispatch(selfHosted), /a cloud session/);
      await t.rejects(make.handOver(selfHosted), /a cloud session/);
      const accepted = await addSession(api, account.userId);
      await make.accept(accepted);
      await t.rejects(make.withdraw(accepted), /no worker has taken/);
      const losing = await addSession(api, account.userId, { status: "live" });
      await make.redispatch(losing);
      await make.redispatch(losing);
      await t.rejects(make.redispatch(losing), /fewer than 2 lost workers/, "a third loss in a row is no redispatch");
      const draining = await addSession(api, account.userId, { status: "live" });
      for (let dispatches = 1; dispatches < MAX_DISPATCHES; dispatches++) await make.handOver(draining);
      t.match(await findAvatarSession(api.services.database, draining), { dispatchNumber: 50, lostWorkers: 0 });
      await t.rejects(make.handOver(draining), /fewer than 50 dispatches/, "draining goes on for long, not for ever");
      await make.redispatch(draining);
      await t.rejects(make.end("cs_none"), { code: "NOT_FOUND" });
    },
    { background: false },
  );
});

t.test("a move is notified when it commits, and the end of a session deletes its secrets and portrait", async (t) => {
  await withApi(
    async (api) => {
      const { database, notifications, pool, storage } = api.services;
      await notifications.start();
      const { account } = await api.addAccount({ credits: 5 });
      const { userId } = account;
      const machine = createSessionMachine({ services: api.services, health: createFamilyHealth(api.services.now) });
      const stored = async (name: string) => (await storage.put(`session-portraits/${name}`, Buffer.from(name))).key;

      const waiting = await addSession(api, userId);
      let checks = 0;
      const accepted = notifications.waitFor(
        { channel: "avatar_session", payload: waiting, timeoutMs: 20_000 },
        async () => {
          checks += 1;
          return (await findAvatarSession(database, waiting))?.acceptedAt ?? undefined;
        },
      );
      await machine.hold(waiting, (held) => held.accept());
      t.ok(await accepted, "the wait ends with the move");
      t.ok(checks <= 3, `${checks} checks: woken, not polled`);
      const refused = await addSession(api, userId);
      await t.rejects(
        machine.hold(refused, async (held) => {
          await held.accept();
          throw new Error("rolled back");
        }),
        /rolled back/,
      );
      t.equal((await findAvatarSession(database, refused))?.acceptedAt, null);

      const ended = await addSession(api, userId, {
        status: "live",
        portraitKey: await stored("ended"),
        servedDeciseconds: 300,
      });
      const session = await machine.hold(ended, async (held): Promise<AvatarSession> => {
        await held.end("last_user_left", { hasLeft: true });
        return held.session;
      });
      t.match(session, { status: "ended", endReason: "last_user_left", credits: 2, leftAt: Date });
      t.equal(await storage.sizeOf("session-portraits/ended"), null, "the portrait is deleted");
      const row = await database.selectFrom("avatar_sessions").selectAll().where("id", "=", ended).executeTakeFirst();
      t.match(row, { portrait_key: null, sealed_livekit_token: null, credits: 2 });

      const withdrawn = await addSession(api, userId, { portraitKey: await stored("withdrawn") });
      await machine.hold(withdrawn, (held) => held.withdraw());
      t.equal(await storage.sizeOf("session-portraits/withdrawn"), null);
      t.equal(await findAvatarSession(database, withdrawn), null, "a refused launch leaves no row");

      // Without its connection the wait still ends, only later.
      await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen avatar_session'");
      const late = await addSession(api, userId);
      const found = notifications.waitFor({ channel: "avatar_session", payload: late, timeoutMs: 20_000 }, async () =>
        (await findAvatarSession(database, late))?.acceptedAt === null ? undefined : true,
      );
      await machine.hold(late, (held) => held.accept());
      t.equal(await found, true, "a lost connection delays, and loses nothing");
      t.equal(
        await notifications.waitFor(
          { channel: "avatar_session", payload: "cs_none", timeoutMs: 30 },
          async () => undefined,
        ),
        undefined,
        "the wait is bounded",
      );
    },
    { background: false },
  );
});

t.test("only the session machine writes the status of a session", async (t) => {
  const writers = /\b(insertAvatarSession|moveAvatarSession|deleteAvatarSession|endUnserved)\b/;
  const offenders = (await readSources(["api"])).filter(({ path }) => {
    const text = readFileSync(path, "utf8");
    const imported = text.match(/import \{[^}]*\} from "[^"]*-store\.ts"/g) ?? [];
    return imported.some((statement) => writers.test(statement));
  });
  t.same(
    offenders.map(({ path }) => path),
    ["api/sessions/life/session-machine.ts"],
  );
});
