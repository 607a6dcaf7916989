// The parts of the embed page that need no browser.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { ERROR_CODES } from "../../shared/errors.ts";
import { CaptionLine, captionTimeMs } from "../../web/embed/caption-line.ts";
import { fixedToken } from "../../web/embed/credential.ts";
import { EmbedClient } from "../../web/embed/embed-client.ts";
import { choiceFor, readParameters } from "../../web/embed/embed-parameters.ts";
import { keepToken, takeToken } from "../../web/embed/embed-token.ts";
import { sendsNoMedia } from "../../web/embed/media-path.ts";
import { nextState, type PageState, stageState } from "../../web/embed/page-state.ts";
import { type EndReason, noticeForCode, noticeForReason, sayProblem } from "../../web/embed/plain-words.ts";
import { TabValues } from "../../web/embed/tab-values.ts";
import { TalkMeter } from "../../web/embed/talk-meter.ts";
import { de } from "../../web/embed/texts/de.ts";
import { en } from "../../web/embed/texts/en.ts";
import { es } from "../../web/embed/texts/es.ts";
import { RequestError } from "../../web/shared/request-error.ts";

t.test("the console is told how long a conversation takes to begin, to answer and to be heard", async (t) => {
  const told: object[] = [];
  let nowMs = 1_000;
  const meter = new TalkMeter({ tell: (measure) => told.push(measure), now: () => nowMs });
  const after = (ms: number) => {
    nowMs += ms;
  };
  meter.starts();
  after(100);
  meter.given("room-1");
  after(50);
  meter.joined();
  after(250);
  meter.frameShown();
  meter.frameShown();
  t.same(told.splice(0), [{ measured: "start", roomName: "room-1", sessionMs: 100, joinMs: 150, frameMs: 400 }]);
  meter.showState("speaking");
  meter.showState("listening");
  t.same(told, [], "a greeting answers nothing");
  meter.showDelay(60.4);
  meter.showDelay(62);
  meter.asked("Hello");
  after(500);
  meter.showState("thinking");
  after(300);
  meter.showState("speaking");
  meter.showState("speaking");
  t.same(told.splice(0), [
    { measured: "playback", delayMs: 60 },
    { measured: "turn", text: "Hello", soundMs: 860 },
  ]);
  meter.ended("PAYWALL", "https://avatars.example/topup");
  t.same(told, [{ measured: "ended", reason: "PAYWALL", topupUrl: "https://avatars.example/topup" }]);
});

const TAB = "0123456789abcdef0123456789abcdef";

t.test("the token is removed from the URL, and the rest of the URL stays", async (t) => {
  const base = "https://avatars.example/embed/demo";
  const cases: [string, string | undefined, string][] = [
    [`${base}?token=abc.def`, "abc.def", "/embed/demo"],
    [`${base}?model=essence-2&token=abc&end_user_id=7`, "abc", "/embed/demo?model=essence-2&end_user_id=7"],
    [`${base}#token=abc`, "abc", "/embed/demo"],
    [`${base}?token=old#token=new`, "new", "/embed/demo"],
    [`${base}?token=a%2Bb%20c`, "a+b c", "/embed/demo"],
    [`${base}?token=&x=1#part`, undefined, "/embed/demo?x=1#part"],
    [base, undefined, "/embed/demo"],
    ["https://avatars.example/prefix/embed/demo?token=abc", "abc", "/prefix/embed/demo"],
  ];
  for (const [address, token, cleanAddress] of cases) t.same(takeToken(address), { token, cleanAddress }, address);
  t.throws(() => takeToken("/embed/demo?token=abc"), TypeError);
});

t.test("the address may name a model and a visitor, under the contract's aliases", (t) => {
  const read = (query: string) => readParameters(`https://avatars.example/embed/demo?${query}`);
  const render = "stream";
  t.same(read("model=essence-2-cpu&end_user_id=7"), { model: "essence-2-cpu", endUserId: "7", render });
  for (const name of ["endUserId", "visitor_id", "fingerprint"]) {
    t.same(read(`${name}=a%20b`), { model: undefined, endUserId: "a b", render }, name);
  }
  t.same(read("fingerprint=second&end_user_id=first"), { model: undefined, endUserId: "first", render });
  const tooLong = `model=${"m".repeat(61)}&end_user_id=${"u".repeat(201)}&visitor_id=`;
  t.same(
    read(tooLong),
    { model: undefined, endUserId: undefined, render },
    "what the service would refuse is left out",
  );
  t.end();
});

t.test("the address says who renders the face, and what it does not know is the stream", (t) => {
  const read = (query: string) => readParameters(`https://avatars.example/embed/demo?${query}`).render;
  for (const render of ["stream", "local", "auto"] as const) t.equal(read(`render=${render}`), render);
  t.equal(read("rendering_mode=browser"), "local");
  t.equal(read("rendering_mode=avatar"), "stream");
  t.equal(read("render=auto&rendering_mode=avatar"), "auto");
  for (const query of ["render=gpu", "render=browser", "rendering_mode=local", "render=constructor", "render=", ""])
    t.equal(read(query), "stream", query);
  t.end();
});

t.test("Firefox is told that it sends no media to a service on its own machine", (t) => {
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0";
  for (const url of ["ws://127.0.0.1:7880", "ws://localhost:7880", "ws://[::1]:7880"])
    t.ok(sendsNoMedia(url, firefox), url);
  t.notOk(sendsNoMedia("wss://livekit.example", firefox));
  t.notOk(sendsNoMedia("ws://127.0.0.1:7880", "Mozilla/5.0 (X11; Linux x86_64) Chrome/148.0.0.0 Safari/537.36"));
  for (const texts of [en, de, es])
    t.match(noticeForReason(texts, "no-media-path"), { text: /AVATAR_LIVEKIT_OWN_ADDRESS=1/, canRetry: true });
  t.end();
});

t.test("a browser that cannot decode the stream renders the face itself, where it may", (t) => {
  const codecs = (...names: string[]) => names.map((name) => ({ mimeType: `video/${name}` }));
  const without = codecs("VP8", "rtx", "VP9", "AV1");
  t.equal(choiceFor("stream", without), "auto");
  t.equal(choiceFor("stream", []), "auto");
  t.equal(choiceFor("stream", codecs("VP8", "H264")), "stream");
  t.equal(choiceFor("stream", undefined), "stream", "a browser that does not tell");
  for (const render of ["local", "auto"] as const) t.equal(choiceFor(render, without), render);
  t.end();
});

t.test("a tab keeps its random id in session storage, or in the history's state where storage is denied", (t) => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  };
  const denied = (): never => {
    throw new DOMException("denied", "SecurityError");
  };
  for (const openStorage of [() => storage, denied]) {
    let state: unknown = { other: 1 };
    const history = {
      get state() {
        return state;
      },
      replaceState(next: unknown) {
        state = next;
      },
    };
    const id = new TabValues({ openStorage, history }).tabId();
    t.match(id, /^[0-9a-f]{32}$/);
    t.equal(new TabValues({ openStorage, history }).tabId(), id, "after a reload");
    const second = new TabValues({ openStorage, history, place: 1 }).tabId();
    t.not(second, id, "two widgets of one page are two visitors");
    t.equal(new TabValues({ openStorage, history, place: 1 }).tabId(), second);
    t.match(state, { other: 1 }, "other state stays");
    t.not(new TabValues({ openStorage: denied, history: { ...history, state: null } }).tabId(), id, "another tab");
  }
  t.end();
});

t.test("a tab keeps the token of each page, and a new one in the address replaces it", (t) => {
  const kept = new Map<string, string>();
  const tab = {
    read: (name: string) => kept.get(name),
    write: (name: string, text: string) => void kept.set(name, text),
  };
  const load = (path: string) => keepToken(takeToken(`https://avatars.example${path}`), tab);
  t.equal(load("/embed/demo"), undefined, "a link without a token");
  t.equal(load("/embed/demo?model=essence-1&token=first"), "first");
  t.equal(load("/embed/demo?model=essence-1"), "first", "loaded again");
  t.equal(load("/embed/other"), undefined, "another agent's page");
  t.equal(load("/embed/demo#token=second"), "second");
  t.equal(load("/embed/demo"), "second");
  t.end();
});

t.test("requests carry the token in a header, never in the URL", async (t) => {
  const seen: { request: IncomingMessage; body: string }[] = [];
  const answers: [number, unknown, Record<string, string>?][] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    seen.push({ request, body });
    const [status, answer, headers] = answers.shift() ?? [500, {}];
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  const client = new EmbedClient(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix/embed/demo?x=1&model=essence-1&visitor_id=7`,
    fixedToken("secret"),
    TAB,
  );
  const fails = async (call: Promise<unknown>, code: string, retryAfterSeconds?: number) => {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    t.ok(error instanceof RequestError, `${code} is thrown`);
    t.match(error, { code, retryAfterSeconds });
  };

  answers.push([
    200,
    { livekit_url: "ws://127.0.0.1:7880", room_name: "room-1", token: "jwt", agent: { name: "Maya" } },
  ]);
  t.same(await client.startSession(), {
    livekitUrl: "ws://127.0.0.1:7880",
    livekitToken: "jwt",
    agentName: "Maya",
    hasDisclosure: true,
    transcriptDays: 0,
    remembers: false,
    bundle: undefined,
  });
  answers.push([
    200,
    { livekit_url: "wss://a.example", token: "jwt", agent: {}, disclosure: false, transcript_days: 30 },
  ]);
  t.match(await client.startSession(), {
    agentName: "Avatar",
    hasDisclosure: false,
    transcriptDays: 30,
    remembers: false,
  });
  answers.push([202, {}]);
  await client.say("Hello <b>there</b>");
  const wanted = { render: "stream", greeting: "own", model: "essence-1", end_user_id: "7", tab_id: TAB };
  t.equal(seen[0]?.body, JSON.stringify(wanted));
  const said = { text: "Hello <b>there</b>", mode: "ask", model: "essence-1", end_user_id: "7", tab_id: TAB };
  t.equal(seen[2]?.body, JSON.stringify(said));
  const room = { room_name: "room-1", room_key: "key" };
  answers.push([200, { livekit_url: "wss://a.example", token: "jwt", agent: {}, ...room }], [200, {}]);
  await client.startSession();
  await client.say("Hello");
  t.match(JSON.parse(seen[4]?.body ?? ""), { text: "Hello", ...room }, "it stays in its room with another token");
  seen.splice(3);
  t.same(
    seen.map(({ request }) => `${request.method} ${request.url}`),
    ["POST /prefix/embed/session", "POST /prefix/embed/session", "POST /prefix/embed/say"],
  );
  t.ok(seen.every(({ request }) => request.headers.authorization === "Bearer secret"));

  answers.push([429, { error: { code: "RATE_LIMITED" } }, { "retry-after": "7" }]);
  await fails(client.say("again"), "RATE_LIMITED", 7);
  answers.push([502, "<html>proxy</html>"]);
  await fails(client.startSession(), "BAD_ANSWER");
  for (const answer of [
    [],
    {},
    { livekit_url: "javascript:alert(1)", token: "x" },
    { livekit_url: "ws://a", token: 3 },
  ]) {
    answers.push([200, answer]);
    await fails(client.startSession(), "BAD_ANSWER");
  }
  await fails(new EmbedClient("http://127.0.0.1:1/embed/demo", fixedToken("secret"), TAB).startSession(), "NETWORK");
});

t.test("every error and every end reason has a message, and invalid links offer no retry", async (t) => {
  for (const texts of [en, de, es])
    for (const code of [...ERROR_CODES, "NETWORK", "BAD_ANSWER", "SOMETHING_NEW"]) {
      const notice = noticeForCode(texts, code);
      t.ok(notice.title.length > 5 && notice.text.length > 10, code);
      const words = `${notice.title} ${notice.text} ${sayProblem(texts, code, undefined)}`;
      t.notMatch(words, /[A-Z]{3}_|token|secret/i, code);
    }
  for (const code of ["UNAUTHORIZED", "MISSING_AUTH", "NOT_FOUND", "INSUFFICIENT_BALANCE"]) {
    t.equal(noticeForCode(en, code).canRetry, false, code);
  }
  for (const code of [
    "CONCURRENCY_LIMIT_REACHED",
    "AGENT_NOT_READY",
    "SERVICE_UNAVAILABLE",
    "NETWORK",
    "INTERNAL_ERROR",
  ]) {
    t.equal(noticeForCode(en, code).canRetry, true, code);
  }
  const reasons: EndReason[] = [
    "no-token",
    "no-media-path",
    "avatar-left",
    "avatar-missing",
    "opened-elsewhere",
    "connection-lost",
    "service-stopped",
    "ended",
  ];
  for (const reason of reasons) t.ok(noticeForReason(en, reason).title, reason);
  t.match(sayProblem(en, "RATE_LIMITED", 41.2), /42 seconds/);
  t.match(sayProblem(de, "RATE_LIMITED", 41.2), /in 42 Sekunden/);
  t.match(sayProblem(en, "RATE_LIMITED", 1), /in a moment/);
  t.match(noticeForCode(en, "RATE_LIMITED", 30), { title: en.notices.busy.title, retryS: 30 });
  t.match(noticeForCode(en, "RATE_LIMITED", 7_200), { title: en.notices.tomorrow.title, retryS: undefined });
});

t.test("only a retry leaves the ended state, and late events have no effect", async (t) => {
  const canRetry = noticeForReason(en, "connection-lost");
  const dead = noticeForReason(en, "no-token");
  const follow = (state: PageState, ...events: Parameters<typeof nextState>[1][]) => events.reduce(nextState, state);
  const start: PageState = { name: "connecting", isRetry: false };
  t.equal(follow(start, { type: "frame-shown" }).name, "live");
  t.equal(follow(start, { type: "avatar-lost" }).name, "connecting", "an avatar that never came cannot be lost");
  t.equal(follow(start, { type: "frame-shown" }, { type: "avatar-lost" }).name, "reconnecting");
  t.equal(follow(start, { type: "connection-lost" }, { type: "frame-shown" }).name, "live");
  const over = follow(start, { type: "ended", notice: canRetry });
  for (const type of ["frame-shown", "connection-lost", "avatar-lost"] as const)
    t.equal(nextState(over, { type }), over);
  t.equal(nextState(over, { type: "ended", notice: dead }), over, "the first reason stays");
  t.equal(nextState(over, { type: "retry" }).name, "connecting");
  t.equal(follow(start, { type: "ended", notice: dead }, { type: "retry" }).name, "ended");
});

t.test("the stage shows what the avatar does, and that it listens only to an open microphone", (t) => {
  const live: PageState = { name: "live" };
  t.same(
    ["listening", "thinking", "speaking", "initializing", undefined].map((name) => stageState(live, name, true)),
    ["listening", "thinking", "speaking", "listening", "listening"],
  );
  t.equal(stageState(live, "listening", false), "idle");
  t.equal(stageState({ name: "connecting", isRetry: true }, "speaking", true), "waiting");
  t.equal(stageState({ name: "reconnecting" }, "speaking", true), "lost");
  t.equal(stageState({ name: "ended", notice: noticeForReason(en, "left") }, "speaking", true), "away");
  t.end();
});

t.test("a caption stays for the duration of its speech, and a newer one replaces it", async (t) => {
  const shown: (string | undefined)[] = [];
  const timers = new Map<number, { callback: () => void; delayMs: number }>();
  let next = 0;
  const line = new CaptionLine({
    show: (text) => shown.push(text),
    setTimer: (callback, delayMs) => {
      timers.set(++next, { callback, delayMs });
      return next;
    },
    clearTimer: (timer) => timers.delete(timer as number),
  });
  line.update("a", "Hello");
  line.update("a", "Hello there, how are you doing on this fine day of the year?");
  line.update("b", "   ");
  t.same(shown.length, 2, "an empty piece shows nothing");
  t.equal(timers.size, 1, "one timer at a time");
  t.equal(
    [...timers.values()][0]?.delayMs,
    captionTimeMs("Hello there, how are you doing on this fine day of the year?"),
  );
  line.update("b", "Second");
  [...timers.values()][0]?.callback();
  t.same(shown.slice(2), ["Second", undefined]);
  t.ok(captionTimeMs("x") >= 2000 && captionTimeMs("x".repeat(500)) <= 20_000);
  const sentence = "Maybe my mum bought five blue umbrellas.";
  t.ok(
    captionTimeMs(sentence) >= 1000 * (sentence.length / 13 + 0.3),
    "a calm voice is not cut short, nor is one that is heard late",
  );
});
