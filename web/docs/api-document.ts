// The OpenAPI document as the reference reads it.

export interface ApiSchema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  format?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  examples?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  deprecated?: boolean;
  properties?: Readonly<Record<string, ApiSchema>>;
  required?: readonly string[];
  items?: ApiSchema;
  additionalProperties?: ApiSchema | boolean;
  anyOf?: readonly ApiSchema[];
  oneOf?: readonly ApiSchema[];
}

export interface ApiParameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: ApiSchema;
  example?: unknown;
}

/** A body that is accepted, or an answer, in one content type. */
export interface ApiContent {
  type: string;
  schema: ApiSchema;
  example: unknown;
}

export interface ApiAnswer {
  status: number;
  /** Of an error: the codes that it may have. */
  codes: readonly string[];
  description: string;
  content: ApiContent | undefined;
}

export interface ApiOperation {
  id: string;
  /** In capitals. */
  method: string;
  /** Parameters are written `{name}`. */
  path: string;
  summary: string;
  description: string;
  isDeprecated: boolean;
  /** What the request is sent with. `token`: a token minted by the service. */
  credential: "secret" | "token" | "none";
  parameters: readonly ApiParameter[];
  /** The first is the usual one; empty if nothing is sent. */
  bodies: readonly ApiContent[];
  answers: readonly ApiAnswer[];
}

type Contents = Readonly<Record<string, { schema?: ApiSchema; example?: unknown }>>;
type Response = { $ref?: string; description?: string; content?: Contents };

interface WireOperation {
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  security?: readonly Readonly<Record<string, unknown>>[];
  parameters?: readonly ApiParameter[];
  requestBody?: { content: Contents };
  responses: Readonly<Record<string, Response>>;
}

export interface WireDocument {
  paths: Readonly<Record<string, Readonly<Record<string, WireOperation>>>>;
  components: {
    schemas?: Readonly<Record<string, ApiSchema>>;
    responses?: Readonly<Record<string, Response>>;
  };
}

/** In a description: `CONFLICT, NOT_FOUND`. */
const CODE = /\b[A-Z][A-Z_]{2,}\b/g;

export class ApiDocument {
  /** By id. */
  readonly operations: ReadonlyMap<string, ApiOperation>;
  readonly #wire: WireDocument;

  constructor(wire: WireDocument) {
    this.#wire = wire;
    const operations = Object.entries(wire.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => this.#read(path, method, operation)),
    );
    this.operations = new Map(operations.map((operation) => [operation.id, operation]));
  }

  /** The schema that a reference names, with the description of the place where it is used; any other schema itself.
   *  Throws TypeError if the document lacks it. */
  resolve(schema: ApiSchema): ApiSchema {
    if (schema.$ref === undefined) return schema;
    const known = this.#wire.components.schemas?.[nameOf(schema.$ref)];
    if (!known) throw new TypeError(`the document lacks ${schema.$ref}`);
    return schema.description === undefined ? known : { ...known, description: schema.description };
  }

  #read(path: string, method: string, wire: WireOperation): ApiOperation {
    return {
      id: wire.operationId,
      method: method.toUpperCase(),
      path,
      summary: wire.summary,
      description: wire.description ?? "",
      isDeprecated: wire.deprecated ?? false,
      credential: credentialOf(wire.security ?? []),
      parameters: wire.parameters ?? [],
      bodies: contentsOf(wire.requestBody?.content),
      answers: Object.entries(wire.responses).map(([status, response]) => this.#answer(Number(status), response)),
    };
  }

  #answer(status: number, response: Response): ApiAnswer {
    const { description = "", content } =
      response.$ref === undefined ? response : (this.#wire.components.responses?.[nameOf(response.$ref)] ?? {});
    const codes = status < 400 ? [] : (description.match(CODE) ?? []);
    return { status, codes, description, content: contentsOf(content)[0] };
  }
}

function credentialOf(security: readonly Readonly<Record<string, unknown>>[]): ApiOperation["credential"] {
  if (security.length === 0) return "none";
  return security.some((scheme) => "apiSecret" in scheme) ? "secret" : "token";
}

function contentsOf(contents: Contents = {}): ApiContent[] {
  return Object.entries(contents).map(([type, { schema = {}, example }]) => ({ type, schema, example }));
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
