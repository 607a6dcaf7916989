// Finds the endpoint of a request and runs it.
import Router from "@koa/router";
import type { Middleware } from "koa";
import { ServiceError } from "../../../shared/errors.ts";
import { toErrorAnswer } from "./errors.ts";
import type { HttpMethod } from "./route.ts";

/** A method of a path, and what answers it. */
export interface Endpoint {
  method: HttpMethod | "options";
  /** With `:name` for parameters, which the handler finds in `context.params`. */
  path: string;
  handler: Middleware;
}

const AGENT_PATH = "/v1/agent/:code";

/** Runs the endpoint of the most literal path that matches, whatever their order. A path that exists is answered 405 for any other method,
 *  with those that it has; the contract has no code for it, so it goes as bad input. PATCH of an agent stays 404: the contract says so,
 *  and older clients look for it. Throws NOT_FOUND. */
export function createDispatch(endpoints: readonly Endpoint[]): Middleware {
  const routers = createRouters(endpoints);
  return (context, next) => {
    const matched = routers.get(countSegments(context.path))?.match(context.path, context.method);
    const nearest = matched?.path[0];
    if (!nearest) throw notFound();
    const chosen = matched.pathAndMethod.find((layer) => layer.path === nearest.path);
    if (chosen) {
      context.params = chosen.params(context.path, chosen.captures(context.path));
      const [handler] = chosen.stack as Middleware[];
      return handler(context, next);
    }
    if (context.method === "PATCH" && nearest.path === AGENT_PATH) throw notFound();
    const own = matched.path.filter((layer) => layer.path === nearest.path);
    const allowed = [...new Set(own.flatMap((layer) => layer.methods))].sort().join(", ");
    const answer = toErrorAnswer(new ServiceError("VALIDATION_ERROR", `This path takes ${allowed}`), 405);
    context.set("Allow", allowed);
    context.status = answer.status;
    context.body = answer.body;
  };
}

/** Routers by the number of segments of their paths: a request is tried against a few endpoints instead of all. */
function createRouters(endpoints: readonly Endpoint[]): Map<number, Router> {
  const routers = new Map<number, Router>();
  for (const { method, path, handler } of [...endpoints].sort(compareSpecificity)) {
    const count = countSegments(path);
    const router = routers.get(count) ?? new Router();
    routers.set(count, router);
    router[method](path, handler);
  }
  return routers;
}

/** Segments of a path that hold something: a slash at its end changes nothing. */
function countSegments(path: string): number {
  return path.split("/").filter((segment) => segment !== "").length;
}

function notFound(): ServiceError {
  return new ServiceError("NOT_FOUND", "There is no such path");
}

/** Orders paths so that a literal segment is tried before a parameter in the same place. */
function compareSpecificity(left: Endpoint, right: Endpoint): number {
  const leftSegments = left.path.split("/");
  const rightSegments = right.path.split("/");
  for (let index = 0; index < Math.min(leftSegments.length, rightSegments.length); index++) {
    const difference = Number(isOpen(leftSegments[index])) - Number(isOpen(rightSegments[index]));
    if (difference !== 0) return difference;
  }
  return 0;
}

function isOpen(segment: string): boolean {
  return segment.startsWith(":");
}
