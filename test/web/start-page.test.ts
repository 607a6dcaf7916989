// The parts of the start page that lead from a picture to a moving face, and need no browser.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { StateMachine } from "../../program/state-machine.ts";
import { isVoiceId } from "../../src/speech/voice/voice-catalogue.ts";
import { asSentence } from "../../web/create/agent-client.ts";
import { createMarkup } from "../../web/create/create-markup.ts";
import { CREATE_MOVES, type CreateState, TAKES_PICTURES } from "../../web/create/create-state.ts";
import { middleCrop, movedCrop, scaledCrop } from "../../web/create/crop.ts";
import { KeptOrder } from "../../web/create/kept-order.ts";
import { agentCode, frameCode } from "../../web/create/next-steps.ts";
import { Prices } from "../../web/create/prices.ts";
import { de } from "../../web/create/texts/de.ts";
import { en } from "../../web/create/texts/en.ts";
import { es } from "../../web/create/texts/es.ts";
import { voiceChoices } from "../../web/create/voices.ts";
import { RetryCountdown } from "../../web/shared/retry-countdown.ts";
import { openTabStorage } from "../../web/shared/tab-storage.ts";

t.test("a picture leads through the tab to the service, and every state has a way back", (t) => {
  const ways: CreateState[][] = [
    ["finding", "waking", "chosen", "making", "talking", "empty"],
    ["finding", "framing", "finding", "waking", "chosen", "access", "making", "marking", "making", "talking"],
    ["finding", "framing", "chosen", "making", "refused", "making", "refused", "framing", "waking", "chosen"],
    ["finding", "chosen", "making", "chosen", "finding"],
    ["making", "access", "making", "talking", "empty"],
    ["opening", "talking", "opening", "refused", "empty"],
  ];
  for (const way of ways) {
    const machine = new StateMachine<CreateState>(CREATE_MOVES, "empty");
    for (const state of way) t.doesNotThrow(() => machine.enter(state), `${machine.current} to ${state}`);
  }
  for (const [state, next] of Object.entries(CREATE_MOVES)) {
    t.ok(next.includes("empty"), `${state} can be left for the beginning`);
    if (TAKES_PICTURES.includes(state as CreateState)) t.ok(next.includes("finding"), `${state} takes a picture`);
  }
  const machine = new StateMachine<CreateState>(CREATE_MOVES, "empty");
  t.throws(() => machine.enter("talking"), "nothing talks without an agent");
  t.throws(() => machine.enter("chosen"), "nothing is chosen without a picture");
  t.end();
});

t.test("a crop is square, stays in the picture, and is never smaller than a face needs", (t) => {
  const picture = { widthPx: 1000, heightPx: 600 };
  const crop = middleCrop(picture);
  t.same(crop, { x: 200, y: 0, widthPx: 600, heightPx: 600 });
  t.same(movedCrop(crop, -5000, 40, picture), { ...crop, x: 0 });
  t.same(movedCrop(crop, 5000, 0, picture), { ...crop, x: 400 });
  const closer = scaledCrop(crop, 0.5, picture);
  t.same(closer, { x: 350, y: 150, widthPx: 300, heightPx: 300 });
  t.equal(scaledCrop(closer, 0.01, picture).widthPx, 160);
  t.same(scaledCrop(closer, 100, picture), crop, "at most the picture");
  t.same(scaledCrop(middleCrop({ widthPx: 90, heightPx: 80 }), 0.1, { widthPx: 90, heightPx: 80 }).widthPx, 80);
  t.end();
});

t.test("a retry counts whole seconds, once, and can be stopped", (t) => {
  const seen: (number | string)[] = [];
  let next: (() => void) | undefined;
  const countdown = new RetryCountdown({
    onSecond: (leftS) => seen.push(leftS),
    onEnd: () => seen.push("again"),
    wait: (_, act) => {
      next = act;
      return () => {
        next = undefined;
      };
    },
  });
  countdown.start(2.2);
  while (next) {
    const act: () => void = next;
    next = undefined;
    act();
  }
  t.same(seen, [3, 2, 1, "again"]);
  seen.length = 0;
  countdown.start(0);
  countdown.start(3600);
  t.same(seen, [1, 60], "between a second and a minute");
  countdown.stop();
  t.equal(next, undefined);
  t.end();
});

t.test("three voices are offered first, then all of them", (t) => {
  const few = voiceChoices(en.order, { areAll: false });
  const all = voiceChoices(en.order, { areAll: true });
  t.equal(few.length, 3);
  t.same(all.slice(0, 3), few);
  t.equal(new Set(all.map(({ id }) => id)).size, 10);
  t.ok(all.every(({ id }) => isVoiceId(id)));
  t.end();
});

t.test("an order that cannot be paid is not sent: price, balance and what is missing are told", async (t) => {
  const places = new Map<string, string>();
  const red = new Set<string>();
  let credits = 120;
  let isLimit = true;
  let hasBalance = true;
  const prices = new Prices(
    { texts: en, number: String },
    {
      client: {
        creationPrices: async () => ({ photograph: 500, any: 2000 }),
        balance: async () => ({ credits, isLimit }),
      },
      access: () => ({ hasPrices: true, hasBalance }),
      show(place, text, isTooLittle) {
        places.set(place, text);
        if (isTooLittle) red.add(place);
        else red.delete(place);
      },
    },
  );
  t.equal(await prices.whyTooLittle("photograph"), undefined, "the service decides on what is not known");
  await prices.refresh();
  t.equal(places.get("price"), "Making it costs 500 credits. Your balance: 120 credits.");
  t.same(red, new Set(["price", "described-price", "sample-price"]));
  t.match(await prices.whyTooLittle("photograph"), /500 credits.+120 credits.+380 are missing. Nothing was sent/);
  credits = 700;
  t.equal(await prices.whyTooLittle("photograph"), undefined, "credits that were bought meanwhile count");
  t.same(red, new Set(["sample-price"]));
  prices.showKind("any");
  t.match(places.get("price"), /2,000 credits/, "a marked face costs what its model costs");
  t.match(await prices.whyTooLittle("any"), /1300 are missing/);
  isLimit = false;
  t.equal(await prices.whyTooLittle("any"), undefined, "some plans are never refused");
  hasBalance = false;
  await prices.refresh();
  t.equal(places.get("price"), "Making it costs 2,000 credits.", "a page's token sees no balance");
});

t.test("the flow speaks English, German and Spanish, with no text left out", (t) => {
  const same = /^(Demo|Realtime|API|Name|Vera|No|Neutral|\{0\} s, \{1\}\.|)$/;
  // The service's words have a test of their own.
  const own = ({ service, ...texts }: typeof en) => leaves(texts);
  for (const texts of [de, es]) {
    const other = own(texts);
    for (const [path, text] of own(en)) {
      const translated = other.get(path) ?? "";
      t.ok(translated !== "" || text === "", path);
      if (!same.test(translated)) t.not(translated, text, path);
      for (const value of text.match(/\{\d\}/g) ?? []) {
        // Some languages need no value that another one needs.
        if (!path.startsWith("bakeNotes.hidden")) t.match(translated, value, path);
      }
    }
    t.equal(other.size, own(en).size);
  }
  t.end();
});

t.test("the markup has every element that the flow looks for, in the console too", async (t) => {
  const folder = join(import.meta.dirname, "../../web/create");
  const sources = (await readdir(folder)).filter((name) => name.endsWith(".ts"));
  const asked = new Set<string>();
  for (const name of sources)
    for (const [, id] of (await readFile(join(folder, name), "utf8")).matchAll(/\bfind\("([\w-]+)"/g)) asked.add(id);
  t.ok(asked.size > 60);
  const base = new URL("https://avatars.example/behind/");
  const risky = { ...en, empty: { ...en.empty, lead: `"<b>` } };
  for (const isConsole of [false, true]) {
    const markup = createMarkup({ texts: risky, language: "en", base, isConsole });
    t.same(
      [...asked].filter((id) => !markup.includes(` id="${id}"`)),
      [],
    );
    t.match(markup, "&quot;&lt;b>", "texts are escaped");
    t.match(markup, 'href="https://avatars.example/behind/account/credits"');
    t.equal(markup.includes('id="also-title"'), !isConsole, "the console has its own menu");
  }
});

t.test("an order that runs is found again until it ends", (t) => {
  const values = new Map<string, string>();
  const storage = openTabStorage(() => ({
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  }));
  new KeptOrder(storage).keep("page-1");
  t.equal(new KeptOrder(storage).code, "page-1");
  new KeptOrder(storage).forget();
  t.equal(new KeptOrder(storage).code, undefined);
  t.end();
});

t.test("a character becomes a sentence, and sentences stay as they are", (t) => {
  t.equal(asSentence("A patient guide"), "You are a patient guide.");
  t.equal(asSentence("NASA pilot"), "You are NASA pilot.");
  t.equal(asSentence("You answer briefly!"), "You answer briefly!");
  t.end();
});

t.test("code to copy names the agent, and is that of the manual", async (t) => {
  const code = agentCode("page-1-2", "https://avatars.example");
  t.match(code, 'agent_id: "page-1-2"');
  t.match(code, 'fetch("https://avatars.example/v1/runtime-tokens/request"');
  const manual = await readFile(join(import.meta.dirname, "../../docs/operating/openai-clients.md"), "utf8");
  const lines = code
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("//") && !/agent_id|fetch\(|launch\(|\benv\b/.test(line));
  const known = manual.split("\n").map((line) => line.trim());
  t.same(
    lines.filter((line) => !known.includes(line)),
    [],
    "all other lines stand in docs/operating/openai-clients.md",
  );
  const frame = frameCode("https://avatars.example/a/x", 'Vera "<b>');
  t.match(frame, /^<iframe src="https:\/\/avatars\.example\/a\/x" title="Vera b"/);
  t.match(frameCode("https://a/", ""), 'title="Avatar"');
});

t.test("where a browser denies storage, the page keeps what it needs in memory", (t) => {
  const denied = openTabStorage(() => {
    throw new DOMException("denied", "SecurityError");
  });
  denied.setItem("a", "1");
  t.equal(denied.getItem("a"), "1");
  denied.removeItem("a");
  t.equal(denied.getItem("a"), null);
  const real = openTabStorage(() => denied);
  t.equal(real, denied);
  t.end();
});

/** All texts by their paths. Texts with values have {0}, {1} in their places. */
function leaves(texts: object, path = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, value] of Object.entries(texts) as [string, unknown][]) {
    const here = path === "" ? key : `${path}.${key}`;
    if (typeof value === "string") found.set(here, value);
    // Counts are written as the language writes them.
    else if (typeof value === "function")
      found.set(here, here === "price.credits" ? value(7) : value("{0}", "{1}", "{2}"));
    else for (const [inner, text] of leaves(value as object, here)) found.set(inner, text);
  }
  return found;
}
