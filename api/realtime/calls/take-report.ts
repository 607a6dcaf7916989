// A relay's report: stores the time of its calls, says which ones must stop, and how long the others may go on.
import type { RelayReport, RelayReportAnswer, StopReason } from "../../../shared/realtime-api.ts";
import { PLAN_LIMITS } from "../../accounts/plans/plans.ts";
import type { RealtimeServices } from "../realtime-services.ts";
import { noteRelay, removeRelay } from "../relay-registry.ts";
import { accrueCalls } from "./call-billing.ts";
import { budgetOf, type CallBudget, limitSeconds, shareOf } from "./call-budget.ts";
import type { CallSettler } from "./call-settler.ts";
import { type CallStanding, noteCalls, readStandings, type ToldCall } from "./call-store.ts";

/** Takes a report. Repeating it changes nothing. Calls that ended are settled after the answer. */
export async function takeReport(
  services: RealtimeServices,
  settler: CallSettler,
  report: RelayReport,
): Promise<RelayReportAnswer> {
  const { database } = services;
  if (report.is_draining) await removeRelay(database, report.relay_id);
  else await noteRelay(database, report.relay_id);
  const told = [
    ...report.running.map((call) => toldOf(call, false)),
    ...report.ended.map((call) => toldOf(call, true)),
  ];
  const noted = await database.transaction().execute(async (transaction) => {
    const calls = await noteCalls(transaction, report.relay_id, told);
    await accrueCalls(transaction, calls);
    return calls;
  });
  // Also after a late report: the settler passes over calls that a report has locked.
  if (noted.some(({ isEnded }) => isEnded)) settler.wake();
  const open = new Set(noted.flatMap(({ id, isEnded }) => (isEnded ? [] : [id])));
  const standings = await readStandings(database, [...open]);
  const budgets = budgetsOf(standings);
  const byId = new Map(standings.map((standing) => [standing.id, standing]));
  const answer = { stop: [], limits: [] } as Required<RelayReportAnswer>;
  for (const { call_id } of report.running) {
    const standing = open.has(call_id) ? byId.get(call_id) : undefined;
    const seconds = standing && limitOf(standing, budgets.get(standing.userId));
    const reason = standing === undefined ? "unknown" : stopReasonOf(standing, seconds);
    if (reason) answer.stop.push({ call_id, reason });
    else if (seconds !== undefined) answer.limits.push({ call_id, seconds });
  }
  return answer;
}

function budgetsOf(standings: readonly CallStanding[]): Map<string, CallBudget> {
  const byAccount = new Map<string, CallStanding[]>();
  for (const standing of standings) {
    byAccount.set(standing.userId, [...(byAccount.get(standing.userId) ?? []), standing]);
  }
  return new Map([...byAccount].map(([userId, calls]) => [userId, budgetOf(calls[0].spendableCredits, calls)]));
}

/** Seconds at which the call has used its share of the account's credits; undefined for a call without a limit. */
function limitOf({ plan, kind, servedDeciseconds }: CallStanding, budget: CallBudget | undefined): number | undefined {
  if (budget === undefined || PLAN_LIMITS[plan].isAdmissionFree) return undefined;
  return limitSeconds(servedDeciseconds + shareOf(budget, kind));
}

function stopReasonOf(standing: CallStanding, limit: number | undefined): StopReason | null {
  if (standing.isHungUp) return "hung_up";
  if (standing.isRevoked) return "secret_revoked";
  if (standing.isSuspended) return "account_suspended";
  return limit === undefined || limit * 10 > standing.servedDeciseconds ? null : "balance_exhausted";
}

function toldOf({ call_id: id, seconds }: RelayReport["running"][number], isEnded: boolean): ToldCall {
  return { id, deciseconds: Math.round(seconds * 10), isEnded };
}
