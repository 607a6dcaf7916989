// A Chromium as people have it: nothing records what its pages load. What steers browsers for tests does record it, and
// the memory of these records is the page's: 200 MB in an hour of a page that asks every second.
import { StartError } from "../../../cli/start/start-error.ts";
import { CHROMIUM_MISSING, findChromium, QUIET_FLAGS } from "../../bench/with-chromium.ts";
import { BrowserConnection } from "./browser-connection.ts";
import { withBrowserProcess } from "./browser-process.ts";

const STEP_MS = 20;
/** Every tab runs as one that a person looks at. */
const FLAGS = [
  "--headless=new",
  "--window-size=1280,800",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  "--remote-debugging-port=0",
] as const;

export interface Cookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  httpOnly: boolean;
  sameSite: "Strict" | "Lax" | "None";
}

interface Evaluated {
  result: { value?: unknown };
  exceptionDetails?: { text: string; exception?: { description?: string } };
}

export class PlainChromium {
  readonly #connection: BrowserConnection;

  constructor(connection: BrowserConnection) {
    this.#connection = connection;
  }

  /** For all tabs. */
  async setCookie({ name, value, domain, path, httpOnly, sameSite }: Cookie): Promise<void> {
    await this.#connection.send("Storage.setCookies", {
      cookies: [{ name, value, domain, path, httpOnly, sameSite }],
    });
  }

  async openTab(url: string): Promise<PlainTab> {
    const { targetId } = await this.#connection.send<{ targetId: string }>("Target.createTarget", {
      url,
      newWindow: true,
    });
    const { sessionId } = await this.#connection.send<{ sessionId: string }>("Target.attachToTarget", {
      targetId,
      flatten: true,
    });
    return PlainTab.attach(this.#connection, sessionId);
  }

  /** Processes that pages run in. */
  async pagePids(): Promise<number[]> {
    const { processInfo } = await this.#connection.send<{ processInfo: { type: string; id: number }[] }>(
      "SystemInfo.getProcessInfo",
      {},
    );
    return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  }
}

export class PlainTab {
  /** What the page wrote to the console as an error, and what it did not catch. */
  readonly problems: string[] = [];
  readonly #connection: BrowserConnection;
  readonly #sessionId: string;

  private constructor(connection: BrowserConnection, sessionId: string) {
    this.#connection = connection;
    this.#sessionId = sessionId;
  }

  static async attach(connection: BrowserConnection, sessionId: string): Promise<PlainTab> {
    const tab = new PlainTab(connection, sessionId);
    const hear = <T>(event: string, problemOf: (params: T) => string | undefined) =>
      connection.events.on(event, (params: T, from?: string) => {
        const problem = from === sessionId ? problemOf(params) : undefined;
        if (problem !== undefined) tab.problems.push(problem);
      });
    hear("Log.entryAdded", ({ entry }: { entry: { level: string; text: string } }) =>
      entry.level === "error" ? entry.text : undefined,
    );
    hear(
      "Runtime.exceptionThrown",
      ({ exceptionDetails }: { exceptionDetails: { text: string } }) => exceptionDetails.text,
    );
    await tab.#send("Log.enable");
    await tab.#send("Runtime.enable");
    return tab;
  }

  /** The value of an expression, by way of JSON. Throws Error with what the page threw. */
  async evaluate<T>(expression: string): Promise<T> {
    const params = { expression, returnByValue: true, awaitPromise: true };
    const { result, exceptionDetails } = await this.#send<Evaluated>("Runtime.evaluate", params);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as T;
  }

  /** Until an expression is true. Throws Error after `timeoutMs`. */
  async until(expression: string, timeoutMs: number): Promise<void> {
    const endMs = performance.now() + timeoutMs;
    while (!(await this.evaluate<boolean>(expression).catch(() => false))) {
      if (performance.now() > endMs) throw new Error(`not true within ${timeoutMs / 1000} s: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
  }

  /** What scripts hold after the garbage is collected, bytes. */
  async heapBytes(): Promise<number> {
    await this.#send("HeapProfiler.collectGarbage");
    return (await this.#send<{ usedSize: number }>("Runtime.getHeapUsage")).usedSize;
  }

  #send<T>(method: string, params: object = {}): Promise<T> {
    return this.#connection.send<T>(method, params, this.#sessionId);
  }
}

/** Gives `work` a headless browser with a profile of its own, and closes it afterwards. Throws StartError if there is
 *  none. */
export async function withPlainChromium<T>(work: (browser: PlainChromium) => Promise<T>): Promise<T> {
  const path = findChromium();
  if (!path) throw new StartError("This needs a browser.", CHROMIUM_MISSING);
  const program = {
    path,
    words: (profile: string) => [...FLAGS, ...QUIET_FLAGS, `--user-data-dir=${profile}`, "about:blank"],
    address: /DevTools listening on (ws:\S+)/,
  };
  return withBrowserProcess(program, async (address) => {
    const connection = await BrowserConnection.open(address);
    try {
      return await work(new PlainChromium(connection));
    } finally {
      connection.close();
    }
  });
}
