// Seconds and credits of a session, counted in the page while it runs.
import { type ReactElement, useCallback, useRef } from "react";
import { useFormats } from "../../texts/texts-context.ts";
import { type Metered, RunningCost } from "./running-cost.ts";
import { useTick } from "./tick.ts";

/** The cost that goes on from each answer; the same object for as long as the component lives. */
export function useRunningCost(metered: Metered): RunningCost {
  const cost = useRef<RunningCost>(null);
  const seen = useRef<Metered>(metered);
  cost.current ??= new RunningCost(metered, Date.now());
  const { seconds, credits, rate, isCounting } = seen.current;
  const isNew =
    seconds !== metered.seconds ||
    credits !== metered.credits ||
    rate !== metered.rate ||
    isCounting !== metered.isCounting;
  if (isNew) {
    seen.current = metered;
    cost.current.update(metered, Date.now());
  }
  return cost.current;
}

export function CountedSeconds({ cost }: { cost: RunningCost }): ReactElement {
  const formats = useFormats();
  const write = useCallback((nowMs: number) => formats.duration(cost.secondsAt(nowMs)), [formats, cost]);
  return <span className="counted" ref={useTick<HTMLSpanElement>(write)} />;
}

export function CountedCredits({ cost }: { cost: RunningCost }): ReactElement {
  const formats = useFormats();
  const write = useCallback((nowMs: number) => formats.number(Math.floor(cost.creditsAt(nowMs))), [formats, cost]);
  return <span className="counted" ref={useTick<HTMLSpanElement>(write)} />;
}
