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
  const groups = new Map<string, Dispatch>();
  for (const [key, router] of createRouters(endpoints)) groups.set(key, router.routes());
  return (context) => {
    const refuse = async () => {
      const path = context.path.slice(0, MAX_SHOWN_CHARACTERS);
      throw new ServiceError("NOT_FOUND", `No endpoint ${context.method} ${path}`);
    };
    const dispatch = groups.get(groupOf(context.method, context.path));
    return dispatch ? dispatch(context as Parameters<Dispatch>[0], refuse) : refuse();
  };
}

type Dispatch = ReturnType<Router["routes"]>;

/** Routers by method and number of segments. A router tries its paths one after the other: of 150 paths these are a
 *  few. */
function createRouters(endpoints: readonly Endpoint[]): Map<string, Router> {
  const routers = new Map<string, Router>();
  for (const { method, path, handler } of [...endpoints].sort(compareSpecificity)) {
    const key = groupOf(method, path);
    const router = routers.get(key) ?? new Router();
    routers.set(key, router);
    router[method](path, handler);
  }
  return routers;
}

/** Empty segments do not count: a slash at the end of a path changes nothing. */
function groupOf(method: string, path: string): string {
  const name = method.toUpperCase();
  const segments = path.split("/").filter((segment) => segment !== "").length;
  return `${name === "HEAD" ? "GET" : name} ${segments}`;
}

const MAX_SHOWN_CHARACTERS = 200;

/** Orders paths so that a literal segment is tried before a parameter at the same position. A total order: sorting by
 *  one that calls unlike paths equal leaves a literal behind its parameter, depending on how many others there are. */
function compareSpecificity(left: Endpoint, right: Endpoint): number {
  const leftSegments = left.path.split("/");
  const rightSegments = right.path.split("/");
  for (let index = 0; index < Math.min(leftSegments.length, rightSegments.length); index++) {
    const difference = compareSegments(leftSegments[index], rightSegments[index]);
    if (difference !== 0) return difference;
  }
  return leftSegments.length - rightSegments.length;
}

function compareSegments(left: string, right: string): number {
  if (isParameter(left) || isParameter(right)) return Number(isParameter(left)) - Number(isParameter(right));
  return left < right ? -1 : Number(left > right);
}

function isParameter(segment: string): boolean {
  return segment.startsWith(":");
}
