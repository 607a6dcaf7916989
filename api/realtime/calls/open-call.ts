// Opens a realtime call for a relay: checks the caller's credential, account, plan and balance, and finds the upstream.
import { ServiceError } from "../../../shared/errors.ts";
import type { OpenCall, OpenedCall, RelayCaller } from "../../../shared/realtime-api.ts";
import { HEADER_API_SECRET } from "../../../shared/wire-names.ts";
import type { Account } from "../../accounts/account.ts";
import { assertMaySpend, balanceOf, lockBalance } from "../../accounts/credits/ledger.ts";
import { PLAN_LIMITS } from "../../accounts/plans/plans.ts";
import type { Queryable } from "../../kernel/database/database.ts";
import { rateRefusal, takeAddressRate } from "../../kernel/http/rate-headers.ts";
import type { RouteAccess } from "../../kernel/http/route.ts";
import { readRealtimeSlots } from "../../sessions/workers/worker-registry.ts";
import type { RealtimeServices } from "../realtime-services.ts";
import { chooseModel, findUpstream } from "../upstreams.ts";
import { budgetOf, limitSeconds, shareOf } from "./call-budget.ts";
import type { CallIds } from "./call-id.ts";
import { CALL_KINDS, kindOf } from "./call-kinds.ts";
import { assertSlot } from "./call-slots.ts";
import { insertCall, listCallsOf } from "./call-store.ts";

/** Minimum balance to start a call. It ends when the balance is used up. */
const ENTRY_CREDITS = 1;
/** A call spends credits, so suspended accounts may not open one. */
const ACCESS: RouteAccess = { method: "post", tier: "address" };
/** What is free counts for the account as well. */
const FREE_ACCESS: RouteAccess = { method: "post", tier: "write" };

/** Opens a call. Throws the contract's refusals, in its order: credential, model, plan, suspension, credits, server;
 *  and SERVICE_UNAVAILABLE for one call too many of the account. */
export async function openCall(services: RealtimeServices, ids: CallIds, request: OpenCall): Promise<OpenedCall> {
  const { database, links, now } = services;
  // Decided here, and told to the worker with the call: a session of this kind never answers.
  const kind = kindOf(request.query);
  const isFree = CALL_KINDS[kind].creditsPerMinute === 0;
  const { account, secretId } = await identifyCaller(services, request.caller, isFree ? FREE_ACCESS : ACCESS);
  const model = chooseModel(services, { ...request, account });
  const { userId } = account;
  if (account.isRuntimeSuspended) {
    throw new ServiceError("RUNTIME_SUSPENDED", "Runtime access of this account is suspended");
  }
  const assertCredits = async (on: Queryable): Promise<number> => {
    const { total } = await balanceOf(on, userId);
    if (!isFree) assertMaySpend(account, total, ENTRY_CREDITS, links);
    return total;
  };
  await assertCredits(database);
  const upstream = await findUpstream(services, { account, model, query: request.query });
  const { relay_id: relayId, transport } = request;
  const call = { id: ids.mint(userId), userId, secretId, relayId, model, kind, transport };
  const workerSlots = await readRealtimeSlots(database, new Date(now()));
  const limit = await database.transaction().execute(async (transaction) => {
    // Calls of one account open one after the other, so that two cannot take the same slot or the same credits.
    await lockBalance(transaction, userId);
    const spendableCredits = await assertCredits(transaction);
    const held = await listCallsOf(transaction, userId);
    assertSlot({ account, call, held, spendableCredits, workerSlots, relayPorts: request.webrtc_ports ?? null });
    await insertCall(transaction, call);
    if (PLAN_LIMITS[account.plan].isAdmissionFree) return undefined;
    const opened = { kind, servedDeciseconds: 0, isEnded: false };
    return limitSeconds(shareOf(budgetOf(spendableCredits, [...held, opened]), kind));
  });
  return { call_id: call.id, model, upstream, limit_seconds: limit };
}

/** The caller of a request to a relay. The secret may be sent as Bearer too, and the start page sends its token. Counts
 *  the request for the client's address. Throws RATE_LIMITED and the refusals of authentication. */
export async function identifyCaller(
  { limiter, authenticator }: RealtimeServices,
  { ip, headers }: RelayCaller,
  access = ACCESS,
): Promise<{ account: Account; secretId: string }> {
  const rate = await takeAddressRate(limiter, ip);
  if (!rate.isAllowed) throw rateRefusal(ACCESS.tier, rate);
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  const isSecret = headers[HEADER_API_SECRET] === undefined && bearer !== undefined && !bearer.startsWith("eyJ");
  const given = isSecret ? { ...headers, [HEADER_API_SECRET]: bearer } : headers;
  const credentials = { headers: given, ip, isForm: false };
  const { caller, rate: ofAccount } = await authenticator.authenticate("secret-or-page", credentials, access);
  if (ofAccount?.isAllowed === false) throw rateRefusal(access.tier, ofAccount);
  return { account: caller.kind === "page" ? caller.operator : caller.account, secretId: caller.secretId };
}
