import t from "tap";
import { preferredManner } from "../../../../../sdk/engine/tab/face/preferred-manner.ts";

t.test("visitors who prefer reduced motion get a face that is still", async (t) => {
  const prefers = (preference: string) =>
    t.intercept(globalThis, "matchMedia", {
      value: (query: string) => ({ matches: query === `(prefers-reduced-motion: ${preference})` }),
    });
  prefers("no-preference");
  t.equal(preferredManner(), undefined);
  prefers("reduce");
  t.equal(preferredManner(), "still");
});
