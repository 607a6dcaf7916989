// One declaration per route; parsing, types, authentication, rate limits and the OpenAPI document follow from it.
import type { z } from "zod";
import type { BodyType } from "../../../program/http/body.ts";
import type { Span } from "../../../program/telemetry/tracer.ts";
import type { ErrorCode } from "../../../shared/errors.ts";
import type { Answer } from "./answer.ts";
import type { AuthKind, Callers } from "./caller.ts";

export type HttpMethod = "get" | "post" | "put" | "patch" | "delete";

/** Rate-limit tier. `generate`, `write` and `read` count per account, `address` per client IP; `none` is never
 *  limited. */
export type RateTier = "generate" | "write" | "read" | "address" | "none";

/** Properties of the request that a handler gets besides its parsed parts. */
export interface RequestInfo {
  /** Address of the client. With `trustProxy`, as the nearest proxy reports it. */
  ip: string;
  /** Also in the answer's `X-Request-Id` and in every log line of the request. */
  requestId: string;
  /** Fires if the client disconnects before it is answered. */
  signal: AbortSignal;
  /** The request in its trace. */
  span: Span;
  /** Header names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

type Schema = z.ZodType | undefined;
type Output<S extends Schema, Fallback> = S extends z.ZodType ? z.output<S> : Fallback;
type Input<S extends Schema> = S extends z.ZodType ? z.input<S> : never;
type Result<S extends Schema> = S extends z.ZodType ? z.input<S> : undefined;

/** Values of a request before they are parsed. */
interface RequestExample<P extends Schema, Q extends Schema, B extends Schema> {
  params?: Input<P>;
  query?: Input<Q>;
  body?: Input<B>;
}

export interface HandlerInput<A extends AuthKind, P extends Schema, Q extends Schema, B extends Schema> {
  params: Output<P, Record<string, never>>;
  query: Output<Q, Record<string, never>>;
  body: Output<B, undefined>;
  caller: Callers[A];
  request: RequestInfo;
}

export interface RouteDeclaration<
  A extends AuthKind,
  P extends Schema,
  Q extends Schema,
  B extends Schema,
  R extends Schema,
> {
  method: HttpMethod;
  /** Parameters are written `:name`. Literal segments win over parameters, regardless of the order of declaration. */
  path: string;
  /** Resource and verb, unique among all routes: the operation id of the OpenAPI document, from which clients name
   *  their functions. */
  operation: `${string}.${string}`;
  tier: RateTier;
  auth: A;
  /** One line for the OpenAPI document. */
  summary: string;
  /** What the summary and the fields leave open, in sentences, for the document. */
  description?: string;
  tags: readonly string[];
  params?: P;
  query?: Q;
  /** Headers that the handler reads, for the document; all optional. */
  requestHeaders?: Readonly<Record<string, string>>;
  /** An absent body is parsed as `{}`. Unknown fields are ignored. */
  body?: B;
  /** A request that works, for the document: samples are made from it. Values in capitals, as AGENT_CODE, stand for the
   *  caller's own. */
  example?: RequestExample<P, Q, B>;
  /** Default: JSON alone. */
  bodyTypes?: readonly BodyType[];
  /** Whether JSON must come as `application/json`: for routes that a cookie opens. Default false. */
  requiresJsonType?: boolean;
  /** Bodies that another program reads, by content type, for the document of a route without `body`. */
  foreignBodies?: Readonly<Record<string, z.ZodType>>;
  /** Limit of the body in bytes, or of all parts of a multipart body together. Default 1 MiB. */
  bodyLimitBytes?: number;
  /** Limit of the texts of a multipart body together, in bytes. Default: `bodyLimitBytes`. */
  bodyTextLimitBytes?: number;
  /** Fields of a JSON body that hold a file in base64. It goes to disk as it arrives and becomes an `UploadedFile`. */
  fileFields?: readonly string[];
  /** Fields of a JSON body that hold either base64 or a short text such as a URL: a long string goes to disk as in
   *  `fileFields`, a short one stays text. */
  fileOrTextFields?: readonly string[];
  /** Called once the caller is known, before the body is read. Throws to refuse the request. The returned function is
   *  called once the body has been read or has failed. */
  beforeBody?(caller: Callers[A]): Promise<() => void>;
  /** Schema of a successful answer; absent if it is not JSON. */
  response?: R;
  /** Status of a success, for the document. Default 200. */
  successStatus?: 200 | 201;
  /** Content type of an answer that is not JSON, for the document. */
  responseType?: string;
  /** Whether it may answer with a redirect (302), for the document. Default false. */
  redirects?: boolean;
  /** Error codes that a caller should handle, beyond those that follow from `auth`, `tier` and `body`. */
  errors: readonly ErrorCode[];
  /** Leave it out of the OpenAPI document: for the routes of our own pages and workers. Default false. */
  internal?: boolean;
  /** Whether suspended accounts may call it. Default: they may read and delete. */
  openToSuspended?: boolean;
  /** Refuse the secrets of organizations: for results that outlive a secret, such as other secrets. Default false. */
  personalSecretOnly?: boolean;
  /** Marked so in the document. Default false. */
  deprecated?: boolean;
  /** Whether pages call it by themselves: it does not prolong the session in the console. Default false. */
  isUnattended?: boolean;
  /** How the route authenticates where the API has it, if this one is mounted again for the console. */
  mountedFrom?: AuthKind;
  /** Let pages of any origin call it. Default false. */
  cors?: boolean;
  handler(input: HandlerInput<A, P, Q, B>): Promise<Result<R> | Answer<Result<R>>>;
}

/** A declaration with its types erased, as the server and the document use it. */
export interface Route
  extends Omit<RouteDeclaration<AuthKind, Schema, Schema, Schema, Schema>, "handler" | "beforeBody" | "example"> {
  example?: { params?: Readonly<Record<string, unknown>>; query?: Readonly<Record<string, unknown>>; body?: unknown };
  beforeBody?(caller: Callers[AuthKind]): Promise<() => void>;
  handler(input: ErasedInput): Promise<unknown>;
}

interface ErasedInput {
  params: unknown;
  query: unknown;
  body: unknown;
  caller: Callers[AuthKind];
  request: RequestInfo;
}

/** The properties of a route that authentication depends on. */
export type RouteAccess = Pick<
  Route,
  "method" | "tier" | "openToSuspended" | "personalSecretOnly" | "isUnattended" | "mountedFrom"
>;

/** Whether suspended accounts may call a route. */
export function isOpenToSuspended({ method, openToSuspended }: RouteAccess): boolean {
  return openToSuspended ?? (method === "get" || method === "delete");
}

/** Declares a route. The server parses each part with the declared schema before it calls the handler, which makes the
 *  erasure of types safe. */
export function route<
  A extends AuthKind,
  P extends Schema = undefined,
  Q extends Schema = undefined,
  B extends Schema = undefined,
  R extends Schema = undefined,
>(declaration: RouteDeclaration<A, P, Q, B, R>): Route {
  return declaration as unknown as Route;
}
