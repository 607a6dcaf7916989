// Reads the stream of changes as a page of the console does.
import { CHANGES_PATH } from "../../../shared/change-nouns.ts";
import { waitFor, within } from "../wait-for.ts";
import { OWN_PAGE } from "./sign-in.ts";

export interface ChangeEvents {
  /** Events so far, as `name data`, without heartbeats. */
  readonly events: readonly string[];
  /** Whether the stream has ended. */
  readonly hasEnded: boolean;
  /** Resolves once an event contains the text. */
  until(text: string): Promise<void>;
  /** Nouns of the events so far, in order and once each. */
  nouns(): string[];
  close(): void;
}

/** Opens the stream for a browser's cookie. Throws Error with status and body if it is refused. */
export async function openChanges(
  { baseUrl }: { baseUrl: string },
  { cookie }: { cookie: string },
  query = "",
): Promise<ChangeEvents> {
  const leaving = new AbortController();
  const response = await within(
    fetch(baseUrl + CHANGES_PATH + query, { headers: { ...OWN_PAGE, cookie }, signal: leaving.signal }),
    "the stream of changes",
  );
  if (response.status !== 200 || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  const events: string[] = [];
  let hasEnded = false;
  const reading = (async (body: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true });
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? [];
        if (name !== undefined && name !== "beat") events.push(`${name} ${data}`);
      }
    }
  })(response.body);
  void reading
    .catch(() => undefined)
    .finally(() => {
      hasEnded = true;
    });
  const stream: ChangeEvents = {
    events,
    get hasEnded() {
      return hasEnded;
    },
    async until(wanted) {
      await waitFor(() => events.some((event) => event.includes(wanted)), `a change with ${wanted}: ${events}`);
    },
    nouns: () => [
      ...new Set(
        events
          .filter((event) => event.startsWith("change "))
          .flatMap((event) => JSON.parse(event.slice("change ".length)).nouns),
      ),
    ],
    close: () => leaving.abort(),
  };
  await stream.until("ready");
  return stream;
}
