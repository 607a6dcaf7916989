// Gives an account something of everything that the console shows, at fixed times.
import { addSecret } from "../../../api/accounts/secrets/secret-store.ts";
import { insertMessages } from "../../../api/sessions/messages/message-store.ts";
import { insertAvatarSession } from "../../../api/sessions/record/avatar-session-store.ts";
import { addAgent } from "../service/add-agent.ts";
import { newSession } from "../service/new-session.ts";
import type { TestApi } from "../service/with-api.ts";

const MINUTE_MS = 60_000;
const AGENTS = [
  { code: "MAYA000001", name: "Maya" },
  { code: "LEON000002", name: "Leon, der Museumsführer" },
] as const;

/** Two agents, a live and a finished session with its transcript, two more secrets, and a webhook. Its clock stands. */
export async function seedAccount(api: TestApi, userId: string, secret: string): Promise<void> {
  const { services } = api;
  const { database } = services;
  const at = (minutesAgo: number) => new Date(api.clock.now() - minutesAgo * MINUTE_MS);
  for (const [index, { code, name }] of AGENTS.entries()) {
    await addAgent(services, { userId, code });
    await database
      .updateTable("agents")
      .set({ name, created_at: at(200 + index) })
      .where("code", "=", code)
      .execute();
  }
  const live = newSession({ userId, id: "cs_live", agentCode: AGENTS[0].code, createdAt: at(3), roomName: "museum" });
  const ended = newSession({ userId, id: "cs_ended", agentCode: AGENTS[1].code, createdAt: at(90), roomName: "foyer" });
  for (const session of [live, ended]) await insertAvatarSession(database, session);
  await database
    .updateTable("avatar_sessions")
    .set({ status: "live", live_at: at(2.9), last_seen_at: at(0) })
    .where("id", "=", live.id)
    .execute();
  await database
    .updateTable("avatar_sessions")
    .set({
      status: "ended",
      live_at: at(89),
      ended_at: at(80),
      last_seen_at: at(80),
      served_deciseconds: 5_400,
      credits: 18,
    })
    .where("id", "=", ended.id)
    .execute();
  await database.transaction().execute((transaction) =>
    insertMessages(transaction, ended.id, [
      { seq: 1, role: "user", message: "When does the museum open?", saidAt: at(88) },
      { seq: 2, role: "assistant", message: "At ten, from Tuesday to Sunday.", saidAt: at(87.9) },
    ]),
  );
  for (const alias of ["website", "cli@desk"]) await addSecret(database, { userId, alias, createdAt: at(600) });
  const created = await api.call("POST", "/v1/webhooks", {
    secret,
    body: { url: "https://hooks.example/avatars", events: ["agent.ready"] },
  });
  if (created.status >= 400) throw new Error(`the webhook was refused: ${JSON.stringify(created.body)}`);
}
