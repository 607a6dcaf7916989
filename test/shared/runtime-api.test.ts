// What a worker accepts from the service's answers.
import t from "tap";
import { sha256Schema } from "../../shared/runtime-api.ts";

t.test("a hash is 64 lower-case hexadecimal digits, so that it can name a file and nothing else", async (t) => {
  const hash = "0123456789abcdef".repeat(4);
  t.equal(sha256Schema.parse(hash), hash);
  for (const text of ["../../../etc/cron.d/x", `${hash}/../x`, hash.toUpperCase(), hash.slice(1), `${hash}\n`, ""]) {
    t.notOk(sha256Schema.safeParse(text).success, JSON.stringify(text));
  }
});
