// A relay's report: stores the time of its calls, settles those that ended, and says which ones must stop.
import type { RelayReport, RelayReportAnswer, StopReason } from "../../shared/realtime-api.ts";
import { PLAN_LIMITS } from "../accounts/plans/plans.ts";
import { accrueCall, creditsOf, settleCall } from "./call-billing.ts";
import { type CallStanding, noteCalls, readStandings, type ToldCall } from "./call-store.ts";
import type { RealtimeServices } from "./realtime-services.ts";
import { noteRelay, removeRelay } from "./relay-registry.ts";

/** Takes a report. Repeating it changes nothing. */
export async function takeReport(services: RealtimeServices, report: RelayReport): Promise<RelayReportAnswer> {
  const { database, now } = services;
  const at = new Date(now());
  if (report.is_draining) await removeRelay(database, report.relay_id);
  else await noteRelay(database, report.relay_id, at);
  const noted = await noteCalls(database, report.relay_id, report.running.map(toToldCall), at);
  for (const { id, servedDeciseconds, earlierDeciseconds } of noted) {
    if (creditsOf(servedDeciseconds) > creditsOf(earlierDeciseconds)) await accrueCall(services, id);
  }
  for (const call of report.ended) await settleCall(services, toToldCall(call));
  const standings = await readStandings(
    database,
    noted.map(({ id }) => id),
  );
  const byId = new Map(standings.map((standing) => [standing.id, stopReasonOf(standing)]));
  const stop = report.running.flatMap(({ call_id }) => {
    const reason = byId.has(call_id) ? byId.get(call_id) : "unknown";
    return reason ? [{ call_id, reason }] : [];
  });
  return { stop };
}

function stopReasonOf(standing: CallStanding): StopReason | null {
  if (standing.isHungUp) return "hung_up";
  if (standing.isRevoked) return "secret_revoked";
  if (standing.isSuspended) return "account_suspended";
  if (PLAN_LIMITS[standing.plan].isAdmissionFree || standing.spendableCredits > 0) return null;
  return "balance_exhausted";
}

function toToldCall({ call_id: id, seconds }: RelayReport["running"][number]): ToldCall {
  return { id, deciseconds: Math.round(seconds * 10) };
}
