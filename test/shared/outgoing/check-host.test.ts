import t from "tap";
import { createAddressGuard, type ResolveHost } from "../../../shared/outgoing/address-guard.ts";
import { checkHost } from "../../../shared/outgoing/check-host.ts";

const check = (resolveHost: ResolveHost) =>
  checkHost(createAddressGuard({ resolveHost }), new URL("https://a.example"));

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
