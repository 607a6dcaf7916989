// Agents of one account with 1000 credits. Their jobs run only when the test runs them.
import type { Test } from "tap";
import type { Account } from "../../../api/accounts/account.ts";
import { createAccount } from "../../../api/accounts/account-store.ts";
import { balanceOf, grantCredits } from "../../../api/accounts/credits/ledger.ts";
import type { Plan } from "../../../api/accounts/plans/plans.ts";
import type { AgentServices } from "../../../api/agents/agent-services.ts";
import { type AgentRequest, createAgent } from "../../../api/agents/create-agent.ts";
import { creationJob } from "../../../api/agents/creation/creation-job.ts";
import { missingInputs } from "../../../api/agents/creation/fetch-inputs.ts";
import { fetchInputsJob } from "../../../api/agents/creation/fetch-inputs-job.ts";
import type { Baker } from "../../../api/agents/portraits/portrait-process.ts";
import { type Agent, withDraft } from "../../../api/agents/record/agent.ts";
import { findAgentByCode } from "../../../api/agents/record/agent-store.ts";
import { createApi } from "../../../api/create-api.ts";
import { createPool } from "../../../api/kernel/database/database.ts";
import { parseConfig } from "../../../program/config.ts";
import { createLogger } from "../../../program/log.ts";
import { goldenBaker } from "../faces/golden-baker.ts";
import { sharedPortraits } from "../faces/shared-portraits.ts";
import { withDatabase } from "../servers/with-database.ts";

const logger = createLogger({ name: "test", level: "silent" });

export interface AgentsContext {
  /** URL of the database. */
  url: string;
  dataDir: string;
  /** A test may replace any of them. */
  services: AgentServices;
  account: Account;
  startJobs(): Promise<void>;
  balance(): Promise<number>;
  /** Gives the account more credits. */
  grant(amountCredits: number): Promise<void>;
  /** Default: an essence-2 agent without an image. */
  create(request?: Partial<AgentRequest>): Promise<Agent>;
  load(agent: Pick<Agent, "code">): Promise<Agent>;
  /** Runs the agent's jobs here, as the given attempt. Default: the last. */
  runJob(agent: Agent, attempt?: { isLastAttempt?: boolean; signal?: AbortSignal }): Promise<void>;
}

export interface WithAgentsOptions {
  /** Default `pro`. */
  plan?: Plan;
  /** Default: one that hands out a small ready avatar. */
  baker?: Baker | "real";
  environment?: Record<string, string>;
}

/** Gives `work` a database with one account. */
export async function withAgents(
  t: Test,
  work: (context: AgentsContext) => Promise<void>,
  { plan = "pro", baker = goldenBaker(), environment }: WithAgentsOptions = {},
): Promise<void> {
  await withDatabase(async ({ url }) => {
    const dataDir = t.testdir();
    const pool = createPool({ url, logger });
    const api = await createApi({
      config: parseConfig({ AVATAR_DATA_DIR: dataDir, AVATAR_ALLOW_PRIVATE_ADDRESSES: "1", ...environment }),
      pool,
      livekit: { url: "ws://127.0.0.1:9", apiKey: "none", apiSecret: "no-server-no-server-no-server-no-server" },
      logger,
      baker: baker === "real" ? undefined : baker,
      inspector: sharedPortraits().inspector,
      voices: sharedPortraits().voices,
    });
    const services = { ...api.agents };
    const { database } = services;
    const at = new Date();
    const account = await createAccount(database, { email: "a@example.test", plan, createdAt: at });
    if (!account) throw new Error("a fresh database has no accounts");
    const { userId } = account;
    const grant = async (amountCredits: number) => {
      const reference = crypto.randomUUID();
      await grantCredits(database, { userId, pool: "plan", amountCredits, reason: "test", reference, at });
    };
    await grant(1000);
    const [creating, fetching] = [creationJob(services), fetchInputsJob(services)];
    const load = async ({ code }: { code: string }) => {
      const agent = await findAgentByCode(database, code);
      if (!agent) throw new Error(`no agent ${code}`);
      return agent;
    };
    try {
      await work({
        url,
        dataDir,
        services,
        account,
        startJobs: () => api.start(),
        balance: async () => (await balanceOf(database, userId)).total,
        grant,
        async create(request = {}) {
          const body = { prompt: "You are Nova.", model: "essence-2", hasVideo: false, secretId: null, ...request };
          const defaults = { account, aspectRatio: "1:1", framing: "portrait", transparency: false } as const;
          const { answer } = await createAgent(services, { ...defaults, ...body }, null);
          return load({ code: answer.agent_id });
        },
        load,
        async runJob(agent, { isLastAttempt = true, signal = new AbortController().signal } = {}) {
          const payload = { agentId: agent.id, revision: agent.revision };
          const attempt = { attempt: 1, isLastAttempt, signal };
          await creating.run(payload, attempt);
          const current = withDraft(await load(agent));
          if (current.progressMessage !== "Fetching the files" || missingInputs(current).length === 0) return;
          await fetching.run(payload, attempt);
          await creating.run(payload, attempt);
        },
      });
    } finally {
      await api.close();
      await pool.end();
    }
  });
}
