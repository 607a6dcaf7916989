// The cookie of the console. Routes under /console read it, and no others.
import { CONSOLE_SESSION_MS } from "./console-sessions.ts";

/** With this prefix browsers take the cookie over HTTPS only, for this host only. */
const SECURE_PREFIX = "__Host-";
const NAME = "avatar-console";
const STATE_NAME = "avatar-sign-in";
const SECOND_MS = 1000;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface ConsoleCookies {
  /** The value in a request; null without one. */
  read(headers: Headers): string | null;
  /** `Set-Cookie` of a session. */
  write(value: string): string;
  /** `Set-Cookie` that removes it. */
  clear(): string;
  /** What waits for the answer of an issuer. Lax, so that browsers send it after the issuer's redirect. */
  readState(headers: Headers): string | null;
  writeState(value: string, maxAgeMs: number): string;
}

/** `publicUrl` decides whether cookies are for HTTPS only. */
export function createConsoleCookies(publicUrl: string): ConsoleCookies {
  const isSecure = publicUrl.startsWith("https:");
  const prefix = isSecure ? SECURE_PREFIX : "";
  const common = `; Path=/; HttpOnly${isSecure ? "; Secure" : ""}`;
  const cookie = (name: string, value: string, maxAgeMs: number, sameSite: "Strict" | "Lax") =>
    `${prefix}${name}=${value}${common}; SameSite=${sameSite}; Max-Age=${Math.floor(maxAgeMs / SECOND_MS)}`;
  return {
    read: (headers) => cookieValue(headers, prefix + NAME),
    write: (value) => cookie(NAME, value, CONSOLE_SESSION_MS, "Strict"),
    clear: () => cookie(NAME, "", 0, "Strict"),
    readState: (headers) => cookieValue(headers, prefix + STATE_NAME),
    writeState: (value, maxAgeMs) => cookie(STATE_NAME, value, maxAgeMs, "Lax"),
  };
}

function cookieValue({ cookie }: Headers, name: string): string | null {
  if (typeof cookie !== "string") return null;
  for (const pair of cookie.split(";")) {
    const [key, value] = pair.trim().split("=", 2);
    if (key === name && value) return value;
  }
  return null;
}
