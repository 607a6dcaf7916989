// The OpenAPI document, as far as the client is made from it.

export interface ApiSchema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, ApiSchema>;
  items?: ApiSchema;
}

export interface ApiOperation {
  operationId: string;
  summary: string;
  description?: string;
  deprecated?: boolean;
  security: object[];
  parameters?: { in: string; name: string; schema: ApiSchema }[];
  requestBody?: { content: Record<string, { schema: ApiSchema }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema?: ApiSchema }> }>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, ApiOperation>>;
  components: { schemas: Record<string, ApiSchema> };
}

/** The operations that a client offers: all but the retired ones. */
export function publicOperations(document: ApiDocument): { path: string; method: string; operation: ApiOperation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { deprecated }]) => !deprecated)
      .map(([method, operation]) => ({ path, method, operation })),
  );
}
