// The OpenAPI 3.1 document, made from the route declarations.
import { z } from "zod";
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from "zod-openapi";
import type { BodyType } from "../../../program/http/body.ts";
import { ERROR_STATUSES } from "../../../program/http/error-answer.ts";
import type { ErrorCode } from "../../../shared/errors.ts";
import type { AuthKind } from "./caller.ts";
import { describeFields, type FieldDescriptions } from "./describe-fields.ts";
import { operationsOf, type SchemaHolder } from "./document-schema.ts";
import { nameShapes } from "./name-shapes.ts";
import { isOpenToSuspended, type Route } from "./route.ts";
import { shareResponses } from "./share-responses.ts";

const errorSchema = z
  .object({
    error: z.looseObject({ code: z.string(), message: z.string(), httpStatus: z.int() }).meta({ id: "ErrorDetail" }),
    status: z.literal("error"),
    status_code: z.int(),
  })
  .meta({
    id: "Error",
    description: "Envelope of every error. Errors about plan and credits add a link inside `error`.",
  });

const SECURITY_SCHEMES = {
  apiSecret: { type: "apiKey", in: "header", name: "api-secret", description: "The account's API secret." },
  apiSecretBearer: {
    type: "http",
    scheme: "bearer",
    description: "The account's API secret, as clients of the OpenAI protocol send it. The header api-secret wins.",
  },
  bearer: { type: "http", scheme: "bearer", description: "A token minted by this service." },
} as const;

/** How a way to authenticate appears in the document. */
export interface AuthDescription {
  /** Any one of these is enough. */
  schemes: readonly (keyof typeof SECURITY_SCHEMES)[];
  /** Error codes with which it can fail. */
  errors: readonly ErrorCode[];
  /** Further error codes on routes that are closed to suspended accounts. */
  suspendedErrors: readonly ErrorCode[];
}

const MEDIA_TYPES: Readonly<Record<BodyType, string>> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
  text: "text/plain",
};

const REQUEST_ID_HEADER = {
  "X-Request-Id": { description: "Id of this request, also in the service's log", schema: { type: "string" } },
} as const;

const RETRY_HEADER = {
  "Retry-After": { description: "Seconds to wait before a retry", schema: { type: "integer" } },
} as const;

/** Statuses that always come with `Retry-After`. */
const RETRY_STATUSES: readonly number[] = [429, 503];

const RATE_HEADERS = {
  "X-RateLimit-Limit": { description: "Requests per minute in the route's tier", schema: { type: "integer" } },
  "X-RateLimit-Remaining": { description: "Remaining requests", schema: { type: "integer" } },
  "X-RateLimit-Reset": {
    description: "Unix time at which the full limit is available again",
    schema: { type: "integer" },
  },
} as const;

export type OpenApiDocument = ReturnType<typeof createDocument>;

export interface DocumentOptions {
  routes: readonly Route[];
  /** Version of the interface. */
  version: string;
  auth: Readonly<Record<AuthKind, AuthDescription>>;
  /** Descriptions of fields without one in their schema. */
  fields: FieldDescriptions;
}

/** The document as a plain value. It names no server, so it is the same for every installation. */
export function createOpenApiDocument({ routes, version, auth, fields }: DocumentOptions): OpenApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  const published = routes.filter((route) => !route.internal);
  for (const route of [...published].sort((left, right) => (left.path < right.path ? -1 : 1))) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method]: operationOf(route, auth[route.auth]) };
  }
  const examples = new Map(published.map((route) => [route.operation as string, route.example]));
  const document = createDocument({
    openapi: "3.1.0",
    info: {
      title: "Open Avatar Service",
      version,
      description: "Create avatar agents, start them in LiveKit rooms, make them speak.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    // Listed, so that readers show them in the order of the modules instead of by path.
    tags: [...new Set(published.flatMap((route) => route.tags))].map((name) => ({ name })),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES },
  });
  // The library's types allow references at places where it always writes the schemas themselves.
  const holder = document as unknown as SchemaHolder;
  nameShapes(holder);
  describeFields(holder, fields);
  for (const { operationId, parameters = [] } of operationsOf(holder)) {
    const { params, query } = examples.get(operationId) ?? {};
    for (const parameter of parameters) {
      const example = { ...params, ...query }[parameter.name];
      if (example !== undefined) parameter.example = example;
    }
  }
  shareResponses(holder);
  return document;
}

function operationOf(route: Route, auth: AuthDescription): ZodOpenApiOperationObject {
  return {
    summary: route.summary,
    ...(route.description && { description: route.description }),
    tags: [...route.tags],
    ...(route.deprecated && { deprecated: true }),
    operationId: route.operation,
    security: auth.schemes.map((scheme) => ({ [scheme]: [] })),
    requestParams: {
      ...(route.params && { path: route.params as z.ZodObject }),
      ...(route.query && { query: route.query as z.ZodObject }),
      ...(route.requestHeaders && { header: headersSchema(route.requestHeaders) }),
    },
    ...(route.body && {
      requestBody: {
        content: Object.fromEntries(
          (route.bodyTypes ?? ["json"]).map((type) => [
            MEDIA_TYPES[type],
            { schema: route.body, ...(route.example?.body !== undefined && { example: route.example.body }) },
          ]),
        ),
      },
    }),
    ...(route.foreignBodies && {
      requestBody: {
        content: Object.fromEntries(Object.entries(route.foreignBodies).map(([type, schema]) => [type, { schema }])),
      },
    }),
    responses: {
      [route.successStatus ?? 200]: successOf(route),
      ...(route.redirects && { "302": { description: "Redirect to the URL in the Location header" } }),
      ...errorResponsesOf(route, auth),
    },
  };
}

function headersSchema(headers: Readonly<Record<string, string>>): z.ZodObject {
  const fields = Object.entries(headers).map(([name, description]) => [
    name,
    z.string().optional().meta({ description }),
  ]);
  return z.object(Object.fromEntries(fields));
}

function successOf(route: Route): ZodOpenApiResponseObject {
  const success = {
    description: "Success",
    headers: { ...(route.tier !== "none" && RATE_HEADERS), ...REQUEST_ID_HEADER },
  };
  if (route.response) return { ...success, content: { "application/json": { schema: route.response } } };
  if (route.responseType) return { ...success, content: { [route.responseType]: {} } };
  return success;
}

function errorResponsesOf(route: Route, auth: AuthDescription): ZodOpenApiOperationObject["responses"] {
  const codes = new Set<ErrorCode>([...route.errors, ...impliedErrors(route, auth), ...auth.errors]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) byStatus.set(ERROR_STATUSES[code], [...(byStatus.get(ERROR_STATUSES[code]) ?? []), code]);
  const statuses = [...byStatus].sort(([left], [right]) => left - right);
  return Object.fromEntries(
    statuses.map(([status, names]) => [
      String(status),
      {
        description: names.sort().join(", "),
        ...(RETRY_STATUSES.includes(status) && { headers: RETRY_HEADER }),
        content: { "application/json": { schema: errorSchema } },
      },
    ]),
  );
}

/** Error codes that follow from a declaration without being listed in it. */
function impliedErrors(route: Route, auth: AuthDescription): ErrorCode[] {
  const codes: ErrorCode[] = ["INTERNAL_ERROR"];
  if (route.params || route.query) codes.push("VALIDATION_ERROR");
  if (route.body) codes.push("VALIDATION_ERROR", "MISSING_PARAM", "FILE_TOO_LARGE", "UNSUPPORTED_TYPE");
  if (route.tier !== "none") codes.push("RATE_LIMITED");
  if (!isOpenToSuspended(route)) codes.push(...auth.suspendedErrors);
  if (route.personalSecretOnly) codes.push("FORBIDDEN");
  return codes;
}
