// A real api with an account, a ready agent and a worker that takes launches, for proofs of the contract.
import { balanceOf } from "../../api/accounts/credits/ledger.ts";
import type { TestAnswer, TestApi } from "../helpers/service/with-api.ts";
import { LAUNCH, type SessionStage, withSessions } from "../helpers/service/with-sessions.ts";
import { routesOf } from "./prove.ts";

export const GENERATE = "/v1/agent/generate";

export interface ContractCalls {
  stage: SessionStage;
  api: TestApi;
  secret: string;
  userId: string;
  agentCode: string;
  /** Routes of the api, as `post /v1/…`. */
  routes: ReadonlySet<string>;
  /** Calls as the account. */
  call(method: string, path: string, body?: object): Promise<TestAnswer>;
  /** Creates an agent as the account, or with another secret. */
  generate(body: object, as?: string): Promise<TestAnswer>;
  /** Launches into a room with the account's agent, unless `changes` say otherwise. */
  launchAs(as: string, roomName: string, changes?: Record<string, unknown>): Promise<TestAnswer>;
  /** Credits left of the account, or of another. */
  balance(of?: string): Promise<number>;
  /** How many agents or sessions the account has, or another. */
  countOf(table: "agents" | "avatar_sessions", of?: string): Promise<number>;
}

/** Gives `work` the calls; addresses of this machine are let through, so that tests can serve images. */
export function withContract(work: (calls: ContractCalls) => Promise<void>): Promise<void> {
  const environment = { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" };
  return withSessions({ plan: "pro", credits: 5_000, environment }, async (stage) => {
    const { api, secret, userId, agentCode } = stage;
    const { database } = api.services;
    await work({
      stage,
      api,
      secret,
      userId,
      agentCode,
      routes: routesOf(api.describe()),
      call: (method, path, body) => api.call(method, path, { secret, body }),
      generate: (body, as = secret) => api.call("POST", GENERATE, { secret: as, body }),
      launchAs: async (as, roomName, changes) =>
        api.call("POST", LAUNCH, { secret: as, body: await stage.launchBody(roomName, changes) }),
      balance: async (of = userId) => (await balanceOf(database, of)).total,
      countOf: async (table, of = userId) =>
        (await database.selectFrom(table).select("user_id").where("user_id", "=", of).execute()).length,
    });
  });
}
