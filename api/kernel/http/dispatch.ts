// Finds the endpoint of a request and runs it.
import Router from "@koa/router";
import type { Middleware } from "koa";
import { ServiceError } from "../../../shared/errors.ts";
import type { HttpMethod } from "./route.ts";

/** A method of a path, and its handler. */
export interface Endpoint {
  method: HttpMethod | "options";
  /** Parameters are written `:name`; the handler finds them in `context.params`. */
  path: string;
  handler: Middleware;
}

/** Runs the endpoint with the request's method and the most literal matching path, regardless of the order of
 *  declaration. Throws NOT_FOUND, also if the path exists with other methods only, as the contract demands. */
export function createDispatch(endpoints: readonly Endpoint[]): Middleware {
  const router = new Router();
  for (const { method, path, handler } of [...endpoints].sort(compareSpecificity)) router[method](path, handler);
  const dispatch = router.routes();
  return (context) =>
    dispatch(context as Parameters<typeof dispatch>[0], async () => {
      throw new ServiceError(
        "NOT_FOUND",
        `No endpoint ${context.method} ${context.path.slice(0, MAX_SHOWN_CHARACTERS)}`,
      );
    });
}

const MAX_SHOWN_CHARACTERS = 200;

/** Orders paths so that a literal segment is tried before a parameter at the same position. */
function compareSpecificity(left: Endpoint, right: Endpoint): number {
  const leftSegments = left.path.split("/");
  const rightSegments = right.path.split("/");
  for (let index = 0; index < Math.min(leftSegments.length, rightSegments.length); index++) {
    const difference = Number(isParameter(leftSegments[index])) - Number(isParameter(rightSegments[index]));
    if (difference !== 0) return difference;
  }
  return 0;
}

function isParameter(segment: string): boolean {
  return segment.startsWith(":");
}
