// The worker's look at a LiveKit URL before native code connects to it. Names are resolved by the test.
import { isIP } from "node:net";
import t from "tap";
import { checkLivekitUrl } from "../../../agent-worker/room/check-livekit-url.ts";
import { createAddressRule, hostEntriesOf } from "../../../program/outgoing/address-rules.ts";
import type { ResolveHost } from "../../../program/outgoing/resolve-host.ts";

const ADDRESSES: Readonly<Record<string, string[]>> = {
  "media.example": ["203.0.113.9", "2606:4700::1111"],
  "public.example": ["93.184.216.34"],
  // Public when the session was launched, private since.
  "moved.example": ["93.184.216.34", "10.0.0.5"],
  "metadata.example": ["169.254.169.254"],
  "own.internal": ["10.1.2.3"],
};

const resolveHost: ResolveHost = async (host) => {
  if (!ADDRESSES[host]) throw new Error(`no such host: ${host}`);
  return ADDRESSES[host].map((address) => ({ address, family: isIP(address) }));
};

const rule = createAddressRule({
  allowHosts: hostEntriesOf("ws://own.internal:7880"),
  deniedRanges: ["93.184.0.0/24"],
});

t.test("connections to a public LiveKit server and to our own are allowed", async (t) => {
  for (const url of ["wss://public.example", "https://public.example/path", "ws://own.internal:7880"]) {
    await t.resolves(checkLivekitUrl(url, rule, resolveHost), url);
  }
  await t.resolves(checkLivekitUrl("ws://127.0.0.1:7880", createAddressRule({ allowPrivate: true })));
});

t.test("a name that now resolves to a private address is refused, although the api allowed it at launch", async (t) => {
  for (const url of [
    "wss://moved.example",
    "wss://metadata.example",
    "ws://10.0.0.5:7880",
    "ws://[::ffff:127.0.0.1]:7880",
    "ws://127.0.0.1",
    "ws://own.internal:5432",
    "wss://93.184.0.7",
  ]) {
    await t.rejects(
      checkLivekitUrl(url, rule, resolveHost),
      { code: "VALIDATION_ERROR", message: /private address/ },
      url,
    );
  }
});

t.test(
  "other protocols, credentials and names without an address are refused; no message repeats an address",
  async (t) => {
    for (const [url, code] of [
      ["not a url", "VALIDATION_ERROR"],
      ["ftp://public.example", "VALIDATION_ERROR"],
      ["wss://user:word@public.example", "VALIDATION_ERROR"],
      ["wss://nowhere.example", "UPSTREAM_ERROR"],
    ]) {
      await t.rejects(checkLivekitUrl(url, rule, resolveHost), { code }, url);
    }
    const refused = await checkLivekitUrl("wss://moved.example", rule, resolveHost).catch(String);
    t.notMatch(refused, /10\.0/);
  },
);

t.test("a name server that stays silent ends the join", async (t) => {
  const silent = checkLivekitUrl("wss://silent.example", rule, () => new Promise(() => undefined));
  await t.rejects(silent, { code: "UPSTREAM_ERROR" });
});
