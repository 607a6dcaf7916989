// How a tab hears of changes: reconnecting, asking instead, hidden tabs, tabs that share a stream.
import t from "tap";
import type { Changed, Source } from "../../../../web/console/data/change-source.ts";
import { Changes, type ChangesMode, POLL_MS } from "../../../../web/console/data/changes.ts";
import { CollectedChanges } from "../../../../web/console/data/collect-changes.ts";
import type { Later } from "../../../../web/console/data/later.ts";

/** An `EventSource` that a test speaks through. */
class FakeSource extends EventTarget implements Source {
  isClosed = false;
  close(): void {
    this.isClosed = true;
  }
  say(name: string, data: unknown = {}): void {
    this.dispatchEvent(Object.assign(new Event(name), { data: JSON.stringify(data) }));
  }
}

/** Tabs of one browser: they share locks and channels. */
class FakeBrowser {
  readonly sources: FakeSource[] = [];
  readonly #holders: (() => Promise<void>)[] = [];
  readonly #channels = new Set<FakeChannel>();
  readonly #timers = new Set<{ atMs: number; work: () => void }>();
  #isHeld = false;
  #nowMs = 0;

  readonly later: Later = (work, afterMs) => {
    const timer = { atMs: this.#nowMs + afterMs, work };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Lets time pass. */
  pass(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].toSorted((one, other) => one.atMs - other.atMs);
      if (!next || next.atMs > untilMs) break;
      this.#timers.delete(next);
      this.#nowMs = next.atMs;
      next.work();
    }
    this.#nowMs = untilMs;
  }

  /** The sources that are open. */
  get open(): FakeSource[] {
    return this.sources.filter(({ isClosed }) => !isClosed);
  }

  tab({ hasLocks = true } = {}) {
    const changed: (Changed | "poll")[] = [];
    const modes: ChangesMode[] = [];
    let isHidden = false;
    let isOnline = true;
    let look: () => void = () => undefined;
    const request = (_name: string, { signal }: LockOptions, work: () => Promise<void>) => {
      const holder = async () => (signal?.aborted ? undefined : work());
      this.#holders.push(holder);
      this.#grant();
      return Promise.resolve();
    };
    const changes = new Changes({
      url: "/events",
      onChange: (what) => changed.push(what),
      onPoll: () => changed.push("poll"),
      onMode: (mode) => modes.push(mode),
      browser: {
        openSource: () => {
          const source = new FakeSource();
          this.sources.push(source);
          return source;
        },
        locks: hasLocks ? { request: request as LockManager["request"] } : undefined,
        openChannel: (name) => {
          const channel = new FakeChannel(name, this.#channels);
          return channel as unknown as BroadcastChannel;
        },
        isHidden: () => isHidden,
        isOnline: () => isOnline,
        watch: (callback) => {
          look = callback;
          return () => undefined;
        },
        random: () => 0.5,
        later: this.later,
      },
    });
    return {
      changes,
      changed,
      modes,
      hide: (is: boolean) => {
        isHidden = is;
        look();
      },
      connect: (is: boolean) => {
        isOnline = is;
        look();
      },
    };
  }

  #grant(): void {
    if (this.#isHeld) return;
    const holder = this.#holders.shift();
    if (!holder) return;
    this.#isHeld = true;
    void holder().then(() => {
      this.#isHeld = false;
      this.#grant();
    });
  }
}

class FakeChannel {
  onmessage: ((event: { data: unknown }) => void) | null = null;
  readonly name: string;
  readonly #all: Set<FakeChannel>;
  constructor(name: string, all: Set<FakeChannel>) {
    this.name = name;
    this.#all = all.add(this);
  }
  postMessage(data: unknown): void {
    for (const channel of this.#all) {
      if (channel !== this && channel.name === this.name) channel.onmessage?.({ data: structuredClone(data) });
    }
  }
  close(): void {
    this.#all.delete(this);
  }
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

t.test("changes arrive by the stream, and the beginning of a stream means that all may have changed", async (t) => {
  const browser = new FakeBrowser();
  const { changed, modes, changes } = browser.tab();
  const [source] = browser.sources;
  source.say("ready");
  source.say("change", { nouns: ["sessions", "agents"] });
  source.say("change", { nouns: ["unknown"] });
  source.say("change", 5);
  source.dispatchEvent(Object.assign(new Event("change"), { data: "{" }));
  t.strictSame(changed, ["all", ["sessions", "agents"]]);
  t.strictSame(modes, ["stream"]);
  changes.close();
  t.ok(source.isClosed);
  source.say("change", { nouns: ["agents"] });
  browser.pass(60_000);
  t.equal(changed.length, 2, "nothing after closing");
});

t.test("without a stream for five seconds the page asks every five seconds, and stops when there is one", async (t) => {
  const browser = new FakeBrowser();
  const { changed, modes, changes } = browser.tab();
  browser.sources[0].dispatchEvent(new Event("error"));
  browser.pass(POLL_MS - 1);
  t.strictSame([changed, modes], [[], []]);
  browser.pass(1 + 2 * POLL_MS);
  t.strictSame([changed, modes], [["poll", "poll", "poll"], ["polling"]]);
  browser.open[0].say("ready");
  t.strictSame(modes, ["polling", "stream"]);
  changed.length = 0;
  browser.pass(10_000);
  t.strictSame(changed, []);
  browser.open[0].dispatchEvent(new Event("error"));
  browser.pass(POLL_MS);
  t.strictSame(modes, ["polling", "stream", "polling"]);
  changes.close();
});

t.test(
  "a stream is opened again after pauses that grow to half a minute, also after silence and a refusal",
  async (t) => {
    const browser = new FakeBrowser();
    const { changes, changed } = browser.tab();
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      const { length } = browser.sources;
      browser.open[0].dispatchEvent(new Event("error"));
      t.equal(browser.open.length, 0);
      browser.pass(pauseMs - 1);
      t.equal(browser.sources.length, length);
      browser.pass(1);
      t.equal(browser.sources.length, length + 1, `after ${pauseMs} ms`);
    }
    browser.open[0].say("ready");
    browser.pass(44_000);
    browser.open[0].say("beat");
    browser.pass(44_000);
    t.equal(browser.open.length, 1, "heartbeats keep it");
    browser.pass(1_000);
    t.equal(browser.open.length, 0, "silence does not");
    browser.pass(1_000);
    changed.length = 0;
    browser.open[0].say("end", { reason: "session_ended" });
    t.strictSame(changed, ["all"], "what the page asks now tells it to sign in");
    changes.close();
  },
);

t.test("a tab that is hidden for half a minute rests, and loads everything when it is shown", async (t) => {
  const browser = new FakeBrowser();
  const { changed, changes, hide } = browser.tab();
  browser.open[0].say("ready");
  hide(true);
  browser.pass(29_000);
  hide(false);
  t.equal(browser.open.length, 1, "a short while changes nothing");
  hide(true);
  browser.pass(30_000);
  t.equal(browser.open.length, 0);
  changed.length = 0;
  browser.pass(60_000);
  t.strictSame(changed, [], "it does not ask either");
  hide(false);
  await settle();
  t.strictSame(changed, ["all"]);
  t.equal(browser.open.length, 1);
  changes.close();
});

t.test("without a network nothing is asked; with it the stream is opened at once", async (t) => {
  const browser = new FakeBrowser();
  const { changed, modes, changes, connect } = browser.tab();
  connect(false);
  browser.sources[0].dispatchEvent(new Event("error"));
  for (let failure = 0; failure < 4; failure++) {
    browser.pass(10_000);
    browser.open[0]?.dispatchEvent(new Event("error"));
  }
  t.strictSame([changed, modes], [[], ["offline"]]);
  connect(true);
  t.equal(browser.open.length, 1);
  browser.open[0].say("ready");
  t.strictSame(modes, ["offline", "polling", "stream"]);
  changes.close();
});

t.test("tabs share one stream, and another one takes it over", async (t) => {
  const browser = new FakeBrowser();
  const first = browser.tab();
  browser.open[0].say("ready");
  const second = browser.tab();
  t.equal(browser.open.length, 1);
  t.strictSame(second.modes, ["stream"], "it is told at once");
  browser.open[0].say("change", { nouns: ["videos"] });
  t.strictSame(first.changed, ["all", ["videos"]]);
  t.strictSame(second.changed, [["videos"]]);
  browser.pass(20_000);
  t.equal(second.changed.length, 1, "it does not ask");
  first.changes.close();
  await settle();
  t.equal(browser.open.length, 1, "its own");
  browser.open[0].say("ready");
  browser.open[0].say("change", { nouns: ["files"] });
  t.strictSame(second.changed, [["videos"], "all", ["files"]]);
  t.strictSame(second.modes, ["stream"]);
  second.changes.close();

  const [alone, other] = [browser.tab({ hasLocks: false }), browser.tab({ hasLocks: false })];
  t.equal(browser.open.length, 2, "without locks each has its own");
  for (const { changes } of [alone, other]) changes.close();
});

t.test("a busy account's changes are passed on twice a second, the first one at once", async (t) => {
  const browser = new FakeBrowser();
  const passed: Changed[] = [];
  const collected = new CollectedChanges((changed) => passed.push(changed), browser.later);
  collected.add(["agents"]);
  t.strictSame(passed, [["agents"]]);
  collected.add(["sessions"]);
  collected.add(["sessions", "credits"]);
  browser.pass(499);
  t.equal(passed.length, 1);
  browser.pass(1);
  t.strictSame(passed, [["agents"], ["sessions", "credits"]]);
  collected.add(["files"]);
  collected.add("all");
  collected.add(["files"]);
  browser.pass(500);
  t.strictSame(passed.slice(2), ["all"]);
  browser.pass(500);
  collected.add(["files"]);
  t.equal(passed.length, 4, "at once again after a pause");
  collected.add(["files"]);
  collected.close();
  browser.pass(5_000);
  t.equal(passed.length, 4);
});
