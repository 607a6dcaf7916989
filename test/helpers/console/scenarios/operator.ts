// The operator's view: for the operator alone, with what runs.
import { ensureOperatorAccount } from "../../../../api/accounts/operator-account.ts";
import { insertAvatarSession, moveAvatarSession } from "../../../../api/sessions/record/avatar-session-store.ts";
import { noteWorker } from "../../../../api/sessions/workers/worker-registry.ts";
import { newSession } from "../../service/new-session.ts";
import type { ConsoleScenario } from "../console-scenario.ts";

const OPERATOR_SECRET = "a-secret-of-the-operator-with-many-characters";

export const operatorScenario: ConsoleScenario = {
  name: "operator: only the operator sees the installation, which changes under the page",
  async run({ t, api, account, open, assertFits }) {
    const { database, now } = api.services;
    const stranger = await open({ path: "/operator" });
    await stranger.getByText("There is nothing at this address.").waitFor();
    t.equal(await stranger.getByRole("link", { name: "Operator" }).count(), 0, "not in the menu of others");

    await ensureOperatorAccount({ database, secret: OPERATOR_SECRET, now: new Date(now()) });
    const page = await open({ path: "/operator", secret: OPERATOR_SECRET });
    await page.getByRole("heading", { name: "Operator", level: 1 }).waitFor();
    await page.getByText("No worker reports").waitFor();
    await page.getByText("its rooms are not known").waitFor();
    await assertFits(page, "nothing runs");

    const report = { worker_id: crypto.randomUUID(), providers: ["cpu" as const], active_sessions: 1, max_sessions: 4 };
    const told = {
      light_sessions: 2,
      max_light_sessions: 12,
      host: "renderer-with-a-rather-long-name.example.test",
      version: "0.1.0",
      cores: 8,
      free_cores: 5.3,
      session_cores: 0.3,
      light_session_cores: 0.08,
    };
    await noteWorker(database, { ...report, ...told }, new Date(now()));
    const session = await insertAvatarSession(database, newSession({ userId: account.userId, agentCode: "guide" }));
    const patch = { liveAt: new Date(now()), servedDeciseconds: 1500 };
    await moveAvatarSession(database, session.id, { from: "starting", to: "live", patch });
    await page.getByText("1 worker. 3 more can be streamed.").waitFor();
    await page.getByRole("row", { name: /renderer-with.*takes sessions 1 of 4 2 of 12 – 5.3 of 8/ }).waitFor();
    await page.getByRole("row", { name: new RegExp(`${session.id} live ${account.email}.* 2:30 10 4$`) }).waitFor();
    await assertFits(page, "a worker and a session");
    await noteWorker(database, { ...report, ...told, max_sessions: 1, is_draining: true }, new Date(now()));
    await page.getByText("drains", { exact: true }).waitFor();
    await page.getByText("1 worker. 0 more can be streamed.").waitFor();

    const phone = await open({
      path: "/operator",
      secret: OPERATOR_SECRET,
      width: 320,
      theme: "dark",
      language: "de",
    });
    await phone.getByText("läuft aus", { exact: true }).waitFor();
    await assertFits(phone, "on a phone");
  },
};
