// The warning on a proxy that is not trusted, by the api and the relay.
import t from "tap";
import { createProxyWarning } from "../../../program/http/proxy-warning.ts";
import { createLogger } from "../../../program/log.ts";

function collect() {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  return { lines, logger: createLogger({ level: "warn", name: "test", stream }) };
}

t.test("the first X-Forwarded-For of a peer that is not trusted is warned of, once, without the address", async (t) => {
  const { lines, logger } = collect();
  const warn = createProxyWarning({ trustProxy: false, logger });
  warn({});
  t.same(lines, []);
  warn({ "x-forwarded-for": "203.0.113.7" });
  warn({ "x-forwarded-for": "203.0.113.8" });
  t.equal(lines.length, 1);
  t.match(lines[0], /AVATAR_TRUST_PROXY=1/);
  t.notMatch(lines[0], /203\.0\.113/);
  const trusting = collect();
  createProxyWarning({ trustProxy: true, logger: trusting.logger })({ "x-forwarded-for": "203.0.113.7" });
  t.same(trusting.lines, []);
});
