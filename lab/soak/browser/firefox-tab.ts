// One tab of a Firefox.
import type { BrowserConnection } from "./browser-connection.ts";

const STEP_MS = 50;

interface ScriptAnswer {
  type: "success" | "exception";
  result?: { type: string; value?: unknown };
  exceptionDetails?: { text: string };
}

interface LogEntry {
  level: string;
  text: string | null;
}

export class FirefoxTab {
  /** What the page and its frames wrote to the console, and what they did not catch. */
  readonly log: string[] = [];
  readonly #connection: BrowserConnection;
  readonly #context: string;

  private constructor(connection: BrowserConnection, context: string) {
    this.#connection = connection;
    this.#context = context;
    connection.events.on("log.entryAdded", ({ level, text }: LogEntry) => this.log.push(`${level}: ${text}`));
  }

  static async open(connection: BrowserConnection): Promise<FirefoxTab> {
    const { context } = await connection.send<{ context: string }>("browsingContext.create", { type: "tab" });
    return new FirefoxTab(connection, context);
  }

  /** Resolves as soon as the answer is there, before the page has loaded. */
  async goto(url: string): Promise<void> {
    await this.#connection.send("browsingContext.navigate", { context: this.#context, url, wait: "none" });
  }

  /** The value of an expression, which may be a promise, by way of JSON. Throws Error with what the page threw. */
  async evaluate<T = unknown>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.#connection.send<ScriptAnswer>("script.evaluate", {
      expression: `(async () => JSON.stringify(await (${expression})))()`,
      target: { context: this.#context },
      awaitPromise: true,
      userActivation: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return typeof result?.value === "string" ? (JSON.parse(result.value) as T) : (undefined as T);
  }

  /** Until an expression is true. Throws Error after `timeoutMs`. */
  async until(expression: string, timeoutMs: number): Promise<void> {
    const endMs = performance.now() + timeoutMs;
    while (!(await this.evaluate(expression).catch(() => false))) {
      if (performance.now() > endMs)
        throw new Error(`not true within ${timeoutMs / 1000} s: ${expression}\n${this.log.slice(-10).join("\n")}`);
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
  }

  async close(): Promise<void> {
    await this.#connection.send("browsingContext.close", { context: this.#context });
  }
}
