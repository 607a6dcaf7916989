/** The worker goes live before a listener sees the first frame. */
const EARLIER_S = 3;
/** Served time is reported every five seconds, and by a busy machine later. */
const LATER_S = 12;

/** What is wrong with the billed time of a session that began `shownS` ago and was away for `awayS` of it; empty if
 *  nothing is. The time away may be billed or not, but nothing twice. */
export function checkBilling(billedS: number, shownS: number, awayS: number): string {
  const isRight = billedS <= shownS + EARLIER_S && billedS >= shownS - awayS - LATER_S;
  return isRight ? "" : `billed ${Math.round(billedS)} s of ${Math.round(shownS)} s, ${Math.round(awayS)} s of it away`;
}
