// URLs of callers' LiveKit servers: one canonical form per server, and no private addresses.
import t from "tap";
import { createAddressGuard } from "../../../program/outgoing/address-guard.ts";
import { assertReachable, normaliseLiveKitUrl } from "../../../program/outgoing/livekit-url.ts";

t.test("different spellings of a server's URL become one", async (t) => {
  const guard = createAddressGuard();
  const same = ["wss://Rooms.Example", "https://rooms.example/", "wss://rooms.example:443", "https://rooms.example//"];
  for (const text of same) t.equal(normaliseLiveKitUrl(text, guard), "wss://rooms.example", text);
  t.equal(normaliseLiveKitUrl("http://rooms.example:80/sfu/", guard), "ws://rooms.example/sfu");
  t.not(normaliseLiveKitUrl("ws://rooms.example", guard), "wss://rooms.example", "plain and TLS are two");
});

t.test("private addresses are refused as literals and as resolved names, in every form", async (t) => {
  const names: Record<string, string> = { "inside.example": "192.168.1.4", "outside.example": "93.184.216.34" };
  const guard = createAddressGuard({
    allowHosts: ["127.0.0.1:7880"],
    resolveHost: async (hostname) => (names[hostname] ? [{ address: names[hostname], family: 4 }] : []),
  });
  const refused = { code: "VALIDATION_ERROR", message: /^livekit_url: .*private address/ };
  const literals = [
    "10.0.0.1",
    "127.0.0.1:7881",
    "0x7f.1",
    "2130706433",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "169.254.169.254",
    "0.0.0.0",
  ];
  for (const host of literals) t.throws(() => normaliseLiveKitUrl(`ws://${host}`, guard), refused, host);
  t.equal(normaliseLiveKitUrl("ws://127.0.0.1:7880", guard), "ws://127.0.0.1:7880", "our own server is let through");
  await t.rejects(assertReachable("wss://inside.example", guard, "ada"), refused);
  await t.rejects(assertReachable("wss://nowhere.example", guard, "ada"), {
    code: "VALIDATION_ERROR",
    message: /no address/,
  });
  await t.resolves(assertReachable("wss://outside.example", guard, "ada"));
});

t.test("a name server that stays silent does not hold up a launch", async (t) => {
  const guard = createAddressGuard({ resolveHost: () => new Promise(() => undefined) });
  const startMs = performance.now();
  await t.rejects(assertReachable("wss://silent.example", guard, "ada"), {
    code: "VALIDATION_ERROR",
    message: /has no address/,
  });
  t.ok(performance.now() - startMs < 10_000);
});
