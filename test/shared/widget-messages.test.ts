import t from "tap";
import {
  type HostMessage,
  type PageMessage,
  packMessage,
  readHostMessage,
  readHostOrigin,
  readPageMessage,
  readPlace,
} from "../../shared/widget-messages.ts";

const OURS = {} as Window;
const PEER = { window: OURS, origin: "https://avatar.example" };
const FROM_PEER = { source: OURS, origin: PEER.origin };

const FROM_PAGE: PageMessage[] = [
  { type: "ready" },
  { type: "live", agentName: "<b>Ada</b>" },
  { type: "speaking", isSpeaking: true },
  { type: "caption", speaker: "avatar", segmentId: "1", text: "<img src=x onerror=alert(1)>", isFinal: false },
  { type: "ended", reason: "left", message: "The conversation has ended.", retries: false },
  { type: "error", code: "SERVICE_UNAVAILABLE", message: "Busy" },
  { type: "need-token", reason: "expired" },
  { type: "size", ratio: 1, label: "page" },
];

const INIT = {
  type: "init",
  form: "floating",
  isMuted: false,
  title: "",
  allowsModeSwitch: true,
  isTransparent: true,
  keyColour: "#00ff00",
  keySimilarity: 0.4,
  keySmoothness: 0.1,
  keySpill: 0,
  keyErode: 1,
} as const;
const FROM_HOST: HostMessage[] = [
  INIT,
  { type: "token", token: "abc" },
  { type: "say", text: "Hello", mode: "say" },
  { type: "mute", isMuted: true },
  { type: "theme", theme: "dark", colour: "teal" },
  { type: "end" },
];

t.test("each message arrives as it was sent", async (t) => {
  for (const message of FROM_PAGE)
    t.same(readPageMessage({ ...FROM_PEER, data: packMessage(message) }, PEER), message, message.type);
  for (const message of FROM_HOST)
    t.same(readHostMessage({ ...FROM_PEER, data: packMessage(message) }, PEER), message, message.type);
});

t.test("messages of other windows and origins, and those of the other direction, are not read", async (t) => {
  const data = packMessage({ type: "live", agentName: "Ada" });
  t.equal(readPageMessage({ data, source: {} as Window, origin: PEER.origin }, PEER), undefined);
  t.equal(readPageMessage({ data, source: null, origin: PEER.origin }, { ...PEER, window: null }), undefined);
  t.equal(readPageMessage({ data, source: OURS, origin: "https://avatar.example.evil.example" }, PEER), undefined);
  t.equal(readHostMessage({ ...FROM_PEER, data }, PEER), undefined);
  t.equal(readPageMessage({ ...FROM_PEER, data: packMessage({ type: "end" }) }, PEER), undefined);
});

t.test("contents that the table does not allow are not read", async (t) => {
  const say = packMessage({ type: "say", text: "Hello", mode: "ask" });
  const wrong: unknown[] = [
    null,
    undefined,
    "end",
    1,
    [],
    {},
    { type: "end" },
    { ...say, version: 2 },
    { ...say, service: "other" },
    { ...say, text: "x".repeat(501) },
    { ...say, text: { toString: () => "Hello" } },
    { ...say, mode: "shout" },
    { ...say, text: undefined },
    { ...say, type: "constructor" },
    { ...say, type: "__proto__" },
    { ...say, type: "toString" },
    packMessage({ ...INIT, keySimilarity: Number.NaN }),
    packMessage({ ...INIT, keyErode: Number.POSITIVE_INFINITY }),
    packMessage({ type: "token", token: "x".repeat(5_000) }),
  ];
  for (const data of wrong) t.equal(readHostMessage({ ...FROM_PEER, data }, PEER), undefined, JSON.stringify(data));
});

t.test("fields that the table does not name are left out: a newer side may send more", async (t) => {
  const data = { ...packMessage({ type: "end" }), more: "<script>" };
  t.same(readHostMessage({ ...FROM_PEER, data }, PEER), { type: "end" });
});

t.test("the host's origin is read from the fragment, and nothing but an origin of a site", async (t) => {
  t.equal(readHostOrigin("#token=a&host=https%3A%2F%2Fsite.example"), "https://site.example");
  t.equal(readHostOrigin("#host=http%3A%2F%2Flocalhost%3A8080"), "http://localhost:8080");
  for (const host of [
    "",
    "null",
    "*",
    "https://site.example/path",
    "javascript:alert(1)",
    "file:///",
    "//site.example",
  ])
    t.equal(readHostOrigin(`#host=${encodeURIComponent(host)}`), undefined, host);
});

t.test("a widget's place is a small number", async (t) => {
  t.equal(readPlace("#token=a&place=2"), 2);
  for (const hash of ["", "#place=", "#place=0", "#place=-1", "#place=100", "#place=1e3", "#place=x"])
    t.equal(readPlace(hash), 0, hash);
});
