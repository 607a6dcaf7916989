// A value that is typed, once the person pauses.
import { useEffect, useState } from "react";

/** `value` as it was when it last did not change for `restMs`. */
export function useSettled<T>(value: T, restMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return settled;
}
