// A computer's code over the way to an issuer and back, also where the browser denies storage.
import t from "tap";
import { keepCode, takeCode } from "../../../../web/console/sign-in/kept-code.ts";

t.test("a code is kept for one arrival, and a browser that denies storage keeps none", (t) => {
  const kept = new Map<string, string>();
  const open = () => ({
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  keepCode("BCDF-GHJK", open);
  t.equal(takeCode(open), "BCDF-GHJK");
  t.equal(takeCode(open), null, "once");
  const deny = () => {
    throw new Error("denied");
  };
  keepCode("BCDF-GHJK", deny);
  t.equal(takeCode(deny), null);
  t.end();
});
