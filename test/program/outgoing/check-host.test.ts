import t from "tap";
import { parseConfig } from "../../../program/config.ts";
import { createAddressGuard } from "../../../program/outgoing/address-guard.ts";
import { checkHost } from "../../../program/outgoing/check-host.ts";
import type { ResolveHost } from "../../../program/outgoing/resolve-host.ts";
import { type NameAnswer, withNameServer } from "../../helpers/servers/with-name-server.ts";

const URL_TO_CHECK = new URL("https://a.example");
const check = (resolveHost: ResolveHost) => checkHost(createAddressGuard({ resolveHost }), URL_TO_CHECK, "ada");

t.test("a private host is refused; a name that does not resolve in time passes", async (t) => {
  await t.rejects(
    check(async () => [{ address: "10.0.0.1", family: 4 }]),
    { code: "VALIDATION_ERROR", message: /private address/ },
  );
  await check(async () => [{ address: "93.184.216.34", family: 4 }]);
  await check(async () => []);
  await check(() => Promise.reject(new Error("ENOTFOUND")));
  const startMs = performance.now();
  await check(() => new Promise(() => undefined));
  t.ok(performance.now() - startMs < 5_000, "it does not wait for a slow name server");
});

t.test("callers' names are looked up at the name servers of the settings, and nowhere else", async (t) => {
  const config = (servers: string) =>
    parseConfig({ AVATAR_NAME_SERVERS: servers, AVATAR_ALLOW_PRIVATE_ADDRESSES: "1", AVATAR_DATA_DIR: "/nonexistent" });
  const answer = (name: string): NameAnswer =>
    name === "known.example" ? { addresses: ["93.184.216.34"] } : { rcode: 3, afterMs: 0 };
  await withNameServer(answer, async ({ address, asked }) => {
    const guard = createAddressGuard(config(address).outgoing);
    t.same(await guard.resolve("known.example", 443), [{ address: "93.184.216.34", family: 4 }]);
    await t.rejects(guard.resolve("unknown.example", 443), { code: "ENOTFOUND" });
    t.ok(asked.includes("unknown.example"));
  });
  t.throws(() => config("ns.example"), /AVATAR_NAME_SERVERS/, "a name of a name server leads nowhere");
});

t.test("of one account two names are looked up at a time, and another account does not wait for them", async (t) => {
  const running: (() => void)[] = [];
  let atOnce = 0;
  const resolveHost: ResolveHost = async (name) => {
    if (name === "quick.example") return [{ address: "93.184.216.34", family: 4 }];
    await new Promise<void>((resolve) => {
      atOnce = Math.max(atOnce, running.push(resolve));
    });
    return [];
  };
  const guard = createAddressGuard({ resolveHost });
  const many = Array.from({ length: 20 }, () => checkHost(guard, URL_TO_CHECK, "ada", 300));
  await checkHost(guard, new URL("https://quick.example"), "bob", 60_000);
  await Promise.all(many);
  t.equal(atOnce, 2, "those that ran out of time while they waited are not looked up any more");
  for (const end of running) end();
});
