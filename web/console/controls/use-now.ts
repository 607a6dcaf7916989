// The time, for views that count.
import { useEffect, useState } from "react";

/** Milliseconds since the epoch, anew after each `everyMs`. It stands still in a hidden tab. */
export function useNow(everyMs: number): number {
  const [nowMs, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}
