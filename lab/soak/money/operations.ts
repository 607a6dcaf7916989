// The soak's operations: every way in which clients, operators and time move credits. Each operation records what the
// api promised; at the end the ledger is compared with these records.
import { setAccountStatus } from "../../../api/accounts/account-store.ts";
import { CREDIT_POOLS } from "../../../api/accounts/account-tables.ts";
import { grantCredits } from "../../../api/accounts/credits/ledger.ts";
import { addMonths, changePlan, renewPlans } from "../../../api/accounts/plans/plan-months.ts";
import type { Database } from "../../../api/kernel/database/database.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { type CallOptions, callOnce, callUntilAnswered, type Reply } from "./api-caller.ts";
import type { ApiClients } from "./api-clients.ts";
import type { ImageServer } from "./image-server.ts";

export interface SoakAccount {
  userId: string;
  secret: string;
}

/** What was promised about one agent. */
export interface AgentPromise {
  account: SoakAccount;
  /** Orders that were answered with 200: creations, and models added for credits. */
  accepted: number;
  /** Orders with an answer that was lost and never learnt. */
  unknown: number;
  /** Orders that may have been turned away without a charge after they were accepted (too many essence-2 at once). */
  mayBeFree: number;
  /** Whether nothing that was ordered for it can come to anything. */
  isDoomed: boolean;
}

export interface Promises {
  agents: Map<string, AgentPromise>;
  /** Orders with a lost answer and no known agent, by account. */
  lostOrders: Map<string, number>;
  sessions: { id: string; account: SoakAccount }[];
  /** Credits granted by operators: reference and amount. */
  grants: Map<string, { userId: string; credits: number }>;
  /** What must never happen, as it was seen. */
  violations: string[];
  /** How operations ended, by name and outcome. */
  outcomes: Map<string, number>;
}

export interface SoakContext {
  random: SeededRandom;
  clients: ApiClients;
  database: Database;
  accounts: readonly SoakAccount[];
  images: ImageServer;
  promises: Promises;
  /** How many agents may still be made for real, which takes seconds of computing each. */
  realAgents: number;
  /** The operator's calendar: plans are changed and renewed at its time. */
  calendar: Date;
}

const WEIGHTS = {
  create: 34,
  createWithoutKey: 6,
  createForReal: 2,
  regenerate: 8,
  addModel: 4,
  deleteAgent: 8,
  session: 14,
  grant: 8,
  changePlan: 3,
  passMonth: 1,
  suspend: 1,
  read: 11,
} as const;
export type OperationName = keyof typeof WEIGHTS;

const MODELS = ["expression-1", "expression-1", "essence-1", "essence-2", "expression-2"] as const;
const PLANS = ["pro", "business", "enterprise"] as const;
const MINUTE_MS = 60_000;

/** Does one operation, chosen at random. Returns its name. */
export async function operate(context: SoakContext): Promise<OperationName> {
  const name = context.random.weighted(WEIGHTS);
  const outcome = await OPERATIONS[name](context);
  const key = `${name}: ${outcome}`;
  context.promises.outcomes.set(key, (context.promises.outcomes.get(key) ?? 0) + 1);
  return name;
}

const OPERATIONS: Readonly<Record<OperationName, (context: SoakContext) => Promise<string>>> = {
  create: (context) => create(context, context.images.nextUrl()),
  async createForReal(context) {
    if (context.realAgents <= 0) return "skipped";
    context.realAgents -= 1;
    return create(context, undefined);
  },
  async createWithoutKey(context) {
    const account = context.random.pick(context.accounts);
    const order = { model: context.random.pick(MODELS), image: context.images.nextUrl() };
    const reply = await call(context, "POST", "/v1/agent/generate", { secret: account.secret, body: order });
    if (reply?.status === 200) noteOrder(context, account, reply.body.agent_id, order, { isNew: true });
    if (!reply) bump(context.promises.lostOrders, account.userId);
    return outcomeOf(reply);
  },
  async regenerate(context) {
    const agent = pickAgent(context);
    if (!agent) return "skipped";
    const [code, { account }] = agent;
    const order = { agent_id: code, model: context.random.pick(MODELS), image: context.images.nextUrl() };
    const reply = await insist(context, account, order);
    if (reply.status === 200) noteOrder(context, account, code, order, { isNew: false });
    return outcomeOf(reply);
  },
  async addModel(context) {
    const agent = pickAgent(context);
    if (!agent) return "skipped";
    const [code, promise] = agent;
    const model = context.random.pick(["essence-1", "essence-2", "expression-2"]);
    // Repeating this call never charges again. But after a lost answer it is unknown which of the two was charged.
    const path = `/v1/agent/${code}/models`;
    const reply = await call(context, "POST", path, { secret: promise.account.secret, body: { model } });
    if (!reply) promise.unknown += 1;
    else if (reply.status === 200 && reply.body.credits > 0) {
      promise.accepted += 1;
      promise.isDoomed = false;
    }
    return outcomeOf(reply);
  },
  async deleteAgent(context) {
    const agent = pickAgent(context);
    if (!agent) return "skipped";
    const [code, { account }] = agent;
    return outcomeOf(await call(context, "DELETE", `/v1/agent/${code}`, { secret: account.secret }));
  },
  session: (context) => serveSession(context),
  async grant(context) {
    const { userId } = context.random.pick(context.accounts);
    const amountCredits = 1 + context.random.integer(400);
    const reference = `soak-grant:${context.promises.grants.size}`;
    context.promises.grants.set(reference, { userId, credits: amountCredits });
    const grant = { userId, pool: context.random.pick(CREDIT_POOLS), amountCredits, reason: "soak", reference };
    const times = 1 + context.random.integer(3);
    const granted = await Promise.all(
      Array.from({ length: times }, () => grantCredits(context.database, { ...grant, at: new Date() })),
    );
    if (granted.filter(Boolean).length !== 1) context.promises.violations.push(`${reference} was granted ${granted}`);
    return "done";
  },
  async changePlan(context) {
    const { userId } = context.random.pick(context.accounts);
    const change = { userId, plan: context.random.pick(PLANS), now: context.calendar };
    await context.database.transaction().execute((transaction) => changePlan(transaction, change));
    return change.plan;
  },
  async passMonth(context) {
    context.calendar = addMonths(context.calendar, 1);
    const now = context.calendar;
    await Promise.all([1, 2, 3].map(() => renewPlans(context.database, now)));
    return "done";
  },
  async suspend(context) {
    const { userId } = context.random.pick(context.accounts);
    await setAccountStatus(context.database, userId, "suspended");
    await new Promise((resolve) => setTimeout(resolve, 100));
    await setAccountStatus(context.database, userId, "active");
    return "done";
  },
  async read(context) {
    const { secret } = context.random.pick(context.accounts);
    const reply = await call(context, "GET", "/v2/credit-summaries", { secret });
    if (reply?.status === 200) {
      const { balance, minutes_estimate: minutes } = reply.body.data;
      const isSound = Number.isSafeInteger(balance) && Object.values(minutes).every(Number.isSafeInteger);
      if (!isSound) context.promises.violations.push(`an inconsistent summary: ${JSON.stringify(reply.body)}`);
    }
    return outcomeOf(reply);
  },
};

interface Order {
  agent_id?: string;
  model: string;
  image?: string;
}

/** A creation under a key, repeated until it is answered, and at times once more for the answer that was kept. */
async function create(context: SoakContext, image: string | undefined): Promise<string> {
  const account = context.random.pick(context.accounts);
  const order: Order = { model: context.random.pick(MODELS), ...(image !== undefined && { image }) };
  const idempotencyKey = `soak-${context.random.integer(2 ** 31)}-${context.promises.agents.size}`;
  const reply = await insist(context, account, order, idempotencyKey);
  if (reply.status !== 200) return outcomeOf(reply);
  const code: string = reply.body.agent_id;
  noteOrder(context, account, code, order, { isNew: true });
  if (context.random.next() < 0.3) {
    const again = await insist(context, account, order, idempotencyKey);
    const isReplay = again.status === 200 && again.body.agent_id === code && again.headers.has("idempotency-replayed");
    // Suspension and the rate limit come before the answer that was kept.
    if (!isReplay && ![403, 429].includes(again.status)) {
      context.promises.violations.push(`a repeat of ${code} got ${again.status} ${JSON.stringify(again.body)}`);
    }
  }
  return outcomeOf(reply);
}

/** A self-hosted session: begun, served, and sometimes left alone by a runtime that never reports its end. */
async function serveSession(context: SoakContext): Promise<string> {
  const account = context.random.pick(context.accounts);
  const exchanged = await call(context, "POST", "/v1/runtime-tokens/request", { secret: account.secret });
  if (exchanged?.status !== 200) return outcomeOf(exchanged);
  const bearer: string = exchanged.body.data.token;
  const model = context.random.pick(["essence-2", "expression-2", "essence-1"]);
  const begun = await call(context, "POST", "/v1/runtime/sessions", { bearer, body: { model, host: "soak" } });
  if (begun?.status !== 200) return outcomeOf(begun);
  const id: string = begun.body.session_id;
  context.promises.sessions.push({ id, account });
  // It began a while ago: what a runtime reports is bounded by the time that has passed.
  const minutes = context.random.integer(60);
  const createdAt = new Date(Date.now() - minutes * MINUTE_MS);
  await context.database.updateTable("avatar_sessions").set({ created_at: createdAt }).where("id", "=", id).execute();
  const heartbeats = 1 + context.random.integer(4);
  for (let seq = 1; seq <= heartbeats; seq++) {
    const body = { seq, served_seconds: (minutes * 60 * seq) / heartbeats + context.random.next() };
    const heartbeat = await callUntilAnswered(
      context.clients,
      (urls) => context.random.pick(urls),
      "POST",
      `/v1/runtime/sessions/${id}/beat`,
      { bearer, body },
    );
    if (heartbeat.status !== 200) return `stopped at a heartbeat with ${heartbeat.status}`;
  }
  if (context.random.next() < 0.2) return "left alone";
  const body = { served_seconds: minutes * 60 };
  const stop = () =>
    callUntilAnswered(context.clients, (urls) => context.random.pick(urls), "POST", `/v1/runtime/sessions/${id}/stop`, {
      bearer,
      body,
    });
  const [first, second] = await Promise.all([stop(), stop()]);
  if (first.status === 200 && second.status === 200 && first.body.credits !== second.body.credits) {
    context.promises.violations.push(`${id} cost ${first.body.credits} and ${second.body.credits} credits`);
  }
  return outcomeOf(first);
}

function insist(context: SoakContext, account: SoakAccount, body: Order, key?: string): Promise<Reply> {
  const idempotencyKey = key ?? `soak-${context.random.integer(2 ** 31)}-${context.random.integer(2 ** 31)}`;
  const options = { secret: account.secret, idempotencyKey, body };
  return callUntilAnswered(context.clients, (urls) => context.random.pick(urls), "POST", "/v1/agent/generate", options);
}

function call(context: SoakContext, method: string, path: string, options: CallOptions): Promise<Reply | null> {
  return callOnce(context.clients, (urls) => context.random.pick(urls), method, path, options);
}

function noteOrder(
  context: SoakContext,
  account: SoakAccount,
  code: string,
  order: Order,
  { isNew }: { isNew: boolean },
): void {
  const { agents, violations } = context.promises;
  const known = agents.get(code);
  if (isNew && known) violations.push(`two creations were both given ${code}`);
  const promise = known ?? { account, accepted: 0, unknown: 0, mayBeFree: 0, isDoomed: true };
  promise.accepted += 1;
  if (order.model === "essence-2") promise.mayBeFree += 1;
  if (order.image === undefined) promise.isDoomed = false;
  agents.set(code, promise);
}

function pickAgent({ promises, random }: SoakContext): [string, AgentPromise] | null {
  if (promises.agents.size === 0) return null;
  // Mostly a young one, which may still be in the making.
  const all = [...promises.agents];
  return random.next() < 0.7 ? random.pick(all.slice(-20)) : random.pick(all);
}

function outcomeOf(reply: Reply | null): string {
  if (!reply) return "answer lost";
  return reply.status === 200 ? "200" : `${reply.status} ${reply.body?.error?.code ?? ""}`.trim();
}

function bump(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
