// What a person sees at an address that the service refuses; programs get JSON.
import type { Refusal, RefusalAnswer } from "../kernel/http/refusal.ts";
import { contentPolicy } from "./content-policy.ts";
import { readPage } from "./page-files.ts";

const POLICY = contentPolicy({ connect: [], frameAncestors: "'none'" });
/** Titles by status. */
const TITLES: Readonly<Record<number, string>> = {
  401: "This needs a valid link",
  403: "This is not open to you",
  404: "There is nothing here",
  410: "This is no longer here",
  429: "Too many requests at once",
  503: "Not ready yet",
};
const OTHER_TITLE = "This did not work";

/** The page; undefined if the pages were not built. */
export async function refusalPage({ path, status, message, isUnknown }: Refusal): Promise<RefusalAnswer | undefined> {
  const html = await readPage("not-found", path).catch(() => undefined);
  if (html === undefined) return undefined;
  const headers = { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": POLICY };
  // The page as it is built says what is true of an unknown address.
  if (isUnknown) return { html, headers };
  const title = escaped(TITLES[status] ?? OTHER_TITLE);
  const told = html
    .replace(/(<title>)[^<]*/, (_, tag: string) => `${tag}${title} · Open avatar service`)
    .replace(/(<h1>)[^<]*/, (_, tag: string) => tag + title)
    .replace(/(<p class="lead">)[^<]*/, (_, tag: string) => tag + escaped(message));
  return { html: told, headers };
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
