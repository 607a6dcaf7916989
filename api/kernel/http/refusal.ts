// Refusals that a person reads: a browser that opens an address asks for HTML.
import type { Context } from "koa";

export interface Refusal {
  path: string;
  status: number;
  /** Safe to show. */
  message: string;
  /** No route has this address. */
  isUnknown: boolean;
}

export interface RefusalAnswer {
  html: string;
  headers: Record<string, string>;
}

/** Makes the page of a refusal; undefined leaves it as JSON. Never rejects. */
export type RefusalPage = (refusal: Refusal) => Promise<RefusalAnswer | undefined>;

/** Whether a browser opens the address to show it. Scripts and programs take any type. */
export function isOpenedByPerson({ method, headers }: Pick<Context, "method" | "headers">): boolean {
  return (method === "GET" || method === "HEAD") && /\btext\/html\b/.test(headers.accept ?? "");
}
