// Mounts the routes of the API again for the console, where the cookie opens them.
import type { AuthKind } from "../../kernel/http/caller.ts";
import type { Route } from "../../kernel/http/route.ts";

/** What the paths of these routes begin with. */
const CONSOLE_API = "/console/api";

const CONSOLE_PREFIX = "console.";

/** Ways to authenticate that an API secret opens. */
const SECRET_KINDS: readonly AuthKind[] = [
  "secret",
  "secret-or-bearer",
  "secret-or-page",
  "token-secret",
  "token-secret-or-page",
  "launch",
  "secret-or-model-download",
  "self-hosted-download",
];

/** The routes that an API secret opens, under `/console/api`: the same handlers, for the cookie alone. They take JSON
 *  alone, so a route that takes only forms or another program's bodies is left out. */
export function mountForConsole(routes: readonly Route[]): Route[] {
  return routes
    .filter(({ auth, bodyTypes = ["json"], foreignBodies }) => {
      return SECRET_KINDS.includes(auth) && bodyTypes.includes("json") && foreignBodies === undefined;
    })
    .map((route) => ({
      ...route,
      path: CONSOLE_API + route.path,
      operation: `${CONSOLE_PREFIX}${route.operation}` as const,
      auth: "console",
      mountedFrom: route.auth,
      bodyTypes: ["json"],
      requiresJsonType: true,
      cors: false,
      internal: true,
    }));
}

/** Names of the operations behind routes of `mountForConsole`. */
export function consoleOperationsOf(mounted: readonly Route[]): string[] {
  return mounted.map(({ operation }) => operation.slice(CONSOLE_PREFIX.length));
}
