// The parts of a face that the embed page's tab renders, as far as they need no browser.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { sha256Hex } from "../../../src/face/imx/sha256.ts";
import { AvatarWatch } from "../../../web/embed/avatar-watch.ts";
import { fixedToken } from "../../../web/embed/credential.ts";
import { EmbedClient } from "../../../web/embed/embed-client.ts";
import { fetchBundle } from "../../../web/embed/fetch-bundle.ts";
import { delayBetween, readSums } from "../../../web/embed/heard-delay.ts";
import { streamOffer } from "../../../web/embed/stream-offer.ts";
import { en } from "../../../web/embed/texts/en.ts";
import { RequestError } from "../../../web/shared/request-error.ts";

const FILE = new Uint8Array(50_000).map((_, i) => i);

t.test("the avatar's file is fetched with the token, checked, and fetched once more if it is wrong", async (t) => {
  const seen: { authorization?: string; caching?: string }[] = [];
  let answer = (response: ServerResponse): void => void response.end(FILE);
  const server = createServer((request, response) => {
    const { authorization, "cache-control": caching } = request.headers;
    seen.push({ authorization, caching });
    // A connection that an answer broke is not used again.
    response.setHeader("connection", "close");
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/embed/bundle`;
  const bundle = { url, sha256: await sha256Hex(FILE), bytes: FILE.length };
  const abort = new AbortController();
  const shares: number[] = [];
  const options = { token: "secret", signal: abort.signal, onProgress: (share: number) => void shares.push(share) };

  t.same(await fetchBundle(bundle, options), FILE);
  t.equal(seen[0]?.authorization, "Bearer secret");
  t.equal(shares.at(-1), 1);
  t.ok(shares.every((share, i) => share > (shares[i - 1] ?? 0)));

  const refused = async (code: string, requests: number, why: string) => {
    seen.length = 0;
    const error = await fetchBundle(bundle, options).catch((reason: unknown) => reason);
    t.ok(error instanceof RequestError, why);
    t.match(error, { code }, why);
    t.equal(seen.length, requests, why);
  };
  answer = (response) => response.end(FILE.subarray(1));
  await refused("BUNDLE_INVALID", 2, "cut short");
  answer = (response) => response.end(FILE.map((value) => value + 1));
  await refused("BUNDLE_INVALID", 2, "of another agent");
  answer = (response) => {
    const more = setInterval(() => response.write(FILE), 1);
    response.on("close", () => clearInterval(more));
  };
  await refused("BUNDLE_INVALID", 2, "longer than the service said: the rest is not read");
  answer = (response) => {
    response.writeHead(200, { "content-length": FILE.length });
    response.write(FILE.subarray(0, 1000), () => response.destroy());
  };
  await refused("NETWORK", 2, "a connection that breaks");
  answer = (response) => response.writeHead(403).end(JSON.stringify({ error: { code: "FORBIDDEN", message: "no" } }));
  await refused("FORBIDDEN", 1, "a refusal stays one");
  answer = (response) => response.writeHead(502).end("<html>");
  await refused("BAD_ANSWER", 1, "an answer of something else");

  let requests = 0;
  answer = (response) => void response.end(requests++ === 0 ? FILE.subarray(7) : FILE);
  t.same(await fetchBundle(bundle, options), FILE, "a broken copy in the browser's store is replaced");

  answer = () => abort.abort(new Error("left"));
  await t.rejects(fetchBundle(bundle, options), /left/);
});

t.test("only a session that the tab renders has a file, and only a sound description of one", async (t) => {
  let answer: unknown;
  const server = createServer((_, response) => void response.end(JSON.stringify(answer)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new EmbedClient(`${origin}/embed/demo?render=auto`, fixedToken("secret"), "0".repeat(32));
  const session = { livekit_url: "ws://a", token: "jwt", agent: { name: "Maya" } };
  const bundle = { url: "https://public.example/embed/bundle?sha256=ab", sha256: "ab", bytes: 5 };
  const bundleOf = async (more: object) => {
    answer = { ...session, ...more };
    return (await client.startSession()).bundle;
  };
  t.same(await bundleOf({ renderer: "local", bundle }), { ...bundle, url: `${origin}/embed/bundle?sha256=ab` });
  t.equal(await bundleOf({ renderer: "stream", bundle }), undefined);
  t.equal(await bundleOf({}), undefined, "an older service");
  for (const broken of [null, [], { ...bundle, url: "/x" }, { ...bundle, bytes: 1e12 }, { ...bundle, bytes: -1 }, {}])
    t.equal(await bundleOf({ renderer: "local", bundle: broken }), undefined, JSON.stringify(broken));
});

t.test("an avatar is asked again until it answers, or has tracks and does not know the call", async (t) => {
  const unsupported = Object.assign(new Error("Method not supported"), { code: 1400 });
  let answers: (string | Error | undefined)[] = [];
  let calls = 0;
  let callsWithoutTracks = 0;
  const watch = new AvatarWatch({
    hasTracks: () => calls >= callsWithoutTracks,
    call: (method, payload) => {
      t.equal(method, "service.watch");
      t.same(JSON.parse(payload), { needs: "motion" });
      calls += 1;
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === undefined) return undefined;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    retryMs: 1,
  });
  const ask = async (...next: (string | Error | undefined)[]) => {
    answers = next;
    calls = 0;
    return watch.ask("motion");
  };
  t.equal(await ask(undefined), undefined, "no avatar");
  const granted = { ok: true, renders: "motion" };
  t.same(await ask(JSON.stringify(granted)), granted);
  t.same(await ask(unsupported, JSON.stringify(granted)), granted, "it had just joined");
  t.equal(calls, 2);
  t.equal(await ask(unsupported), "unknown");
  t.equal(calls, 4, "not for long: it is of an older version");
  callsWithoutTracks = 20;
  t.equal(await ask(unsupported), "unknown");
  t.equal(calls, 24, "an avatar without tracks may be about to know it");
  callsWithoutTracks = 1e6;
  t.equal(await ask(unsupported), "unknown");
  t.equal(calls, 100, "not for ever");
  callsWithoutTracks = 0;
  const refusal = { ok: false, code: "FORBIDDEN", message: "Not here." };
  t.same(await ask(JSON.stringify(refusal)), refusal);
  for (const broken of ["", "{}", "[]", '{"ok":true,"renders":"smell"}', new Error("timeout")])
    t.equal(await ask(broken), "silent");
});

t.test("a newer wish takes the place of an older one", async (t) => {
  const answered: ((answer: string) => void)[] = [];
  const watch = new AvatarWatch({
    hasTracks: () => true,
    call: () => new Promise((resolve) => answered.push(resolve)),
  });
  const older = watch.ask("motion");
  const newer = watch.ask("video");
  answered[1]?.('{"ok":true,"renders":"video"}');
  answered[0]?.('{"ok":true,"renders":"motion"}');
  t.equal(await older, undefined);
  t.same(await newer, { ok: true, renders: "video" });
});

t.test("the delay until audio is heard is that of the samples since the last look", (t) => {
  const report = (bufferS: number, emitted: number, outputS?: number, samples?: number) =>
    readSums([
      { type: "codec" },
      null,
      { type: "inbound-rtp", kind: "audio", jitterBufferDelay: bufferS, jitterBufferEmittedCount: emitted },
      ...(outputS === undefined
        ? []
        : [{ type: "media-playout", totalPlayoutDelay: outputS, totalSamplesCount: samples }]),
    ]);
  const first = report(4_800, 48_000, 960, 48_000);
  t.equal(delayBetween(undefined, first), 120);
  t.equal(delayBetween(first, report(4_800 + 1_440, 72_000, 960 + 240, 72_000)), 70);
  t.equal(delayBetween(report(4_800, 48_000), report(6_240, 72_000)), 90, "a browser that does not tell the output");
  t.equal(delayBetween(first, first), undefined, "nothing was played");
  t.equal(delayBetween(first, report(1, 1_000, 1, 1_000)), undefined, "another receiver");
  t.equal(delayBetween(undefined, readSums([])), undefined);
  t.end();
});

t.test("an offer of the stream says why, and leaves what works", (t) => {
  t.match(streamOffer(en, "slow", 11.6), { text: /12 of 25/, keep: "Keep it" });
  t.match(streamOffer(en, "busy"), { take: "Try again", keep: /./ });
  for (const reason of ["refused", "browser", "bundle", "stopped"] as const)
    t.match(streamOffer(en, reason), { title: /./, text: /./, take: "Show the video", keep: undefined });
  t.end();
});
