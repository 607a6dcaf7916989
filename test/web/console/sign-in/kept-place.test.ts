// Where a person was before they had to sign in, also where the browser denies storage.
import t from "tap";
import { keepPlace, takePlace } from "../../../../web/console/sign-in/kept-place.ts";

const ROOT = new URL("https://avatars.example/studio/");

t.test("a place in the console is kept for one arrival, and nothing leads elsewhere", (t) => {
  const kept = new Map<string, string>();
  const open = () => ({
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  keepPlace(new URL("console/sessions?state=ended#x", ROOT), open);
  t.equal(takePlace(ROOT, open)?.href, "https://avatars.example/studio/console/sessions?state=ended");
  t.equal(takePlace(ROOT, open), null, "once");
  for (const place of ["//elsewhere.example/console", "/studio/consoles", "/docs", "javascript:alert(1)", "http://["]) {
    kept.set("console-place", place);
    t.equal(takePlace(ROOT, open), null, place);
  }
  const deny = () => {
    throw new Error("denied");
  };
  keepPlace(new URL("console/usage", ROOT), deny);
  t.equal(takePlace(ROOT, deny), null);
  t.end();
});
