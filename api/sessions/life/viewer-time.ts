// Time of a session in which its viewers rendered and no video was streamed. It costs the self-hosted rate, under that
// pricing code; time with video costs the cloud rate (ADR 109).
import { type PricedSession, pricingCodeOf, rateOf } from "../../accounts/credits/price-list.ts";
import type { AvatarSession } from "../record/avatar-session.ts";

type ViewerTime = Pick<AvatarSession, "viewersRender" | "servedDeciseconds" | "viewerDeciseconds">;

/** What the price of a session's model depends on. */
export type ModelTime = PricedSession & ViewerTime;

/** How the time without video grows with `moreDeciseconds` of served time. `reportedSeconds`: as the worker counts it
 *  since it is live; absent for none. It never grows by more than the served time and never decreases, whatever is
 *  reported, and only where viewers may render. */
export function viewerTimePatch(
  session: Pick<AvatarSession, "viewersMayRender" | "viewerDeciseconds" | "earlierViewerDeciseconds">,
  moreDeciseconds: number,
  reportedSeconds: number | undefined,
): Partial<Pick<AvatarSession, "viewerDeciseconds">> {
  const { viewersMayRender, viewerDeciseconds, earlierViewerDeciseconds } = session;
  if (!viewersMayRender || moreDeciseconds <= 0 || reportedSeconds === undefined) return {};
  const reported = earlierViewerDeciseconds + Math.round(reportedSeconds * 10) - viewerDeciseconds;
  return { viewerDeciseconds: viewerDeciseconds + Math.min(moreDeciseconds, Math.max(0, reported)) };
}

/** Whether no video was streamed so far, nor named at the launch. */
export function isViewersOnly({ viewersRender, servedDeciseconds, viewerDeciseconds }: ViewerTime): boolean {
  return servedDeciseconds === 0 ? viewersRender : viewerDeciseconds === servedDeciseconds;
}

/** A session's price as it is served: that of a self-hosted one while only viewers have rendered. */
export function pricedAs(session: ModelTime): PricedSession {
  return { family: session.family, isSelfHosted: session.isSelfHosted || isViewersOnly(session) };
}

export interface ModelCharge {
  /** `viewers`: time without video, beside that with video. */
  line: "model" | "viewers";
  pricingCode: string;
  /** Tenths of a second, times credits per minute. */
  units: number;
}

/** What a session's model costs: one charge, or two if video was streamed for a part of its time. */
export function modelCharges(session: ModelTime): ModelCharge[] {
  const { family, servedDeciseconds, viewerDeciseconds } = session;
  const priced = pricedAs(session);
  const charge = (line: ModelCharge["line"], price: PricedSession, deciseconds: number): ModelCharge => ({
    line,
    pricingCode: pricingCodeOf(price),
    units: deciseconds * rateOf(price),
  });
  if (priced.isSelfHosted || viewerDeciseconds === 0) return [charge("model", priced, servedDeciseconds)];
  return [
    charge("model", priced, servedDeciseconds - viewerDeciseconds),
    charge("viewers", { family, isSelfHosted: true }, viewerDeciseconds),
  ];
}
