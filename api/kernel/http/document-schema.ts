// JSON schemas of the OpenAPI document, and functions to traverse them.

/** A schema of the document, with the properties that naming and describing read. */
export interface DocumentSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  properties?: Record<string, DocumentSchema>;
  items?: DocumentSchema;
  additionalProperties?: DocumentSchema | boolean;
  anyOf?: DocumentSchema[];
  oneOf?: DocumentSchema[];
  allOf?: DocumentSchema[];
  prefixItems?: DocumentSchema[];
}

/** A parameter of an operation. */
export interface DocumentParameter {
  name: string;
  in: string;
  description?: string;
  schema?: DocumentSchema;
  example?: unknown;
}

/** An operation of the document. */
export interface DocumentOperation {
  operationId: string;
  parameters?: DocumentParameter[];
  requestBody?: { content: Record<string, { schema?: DocumentSchema; example?: unknown }> };
  responses: Record<string, DocumentResponse>;
}

/** A response of an operation, by status. */
export interface DocumentResponse {
  $ref?: string;
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema?: DocumentSchema }>;
}

/** The parts of a document that hold schemas. */
export interface SchemaHolder {
  paths?: Record<string, Record<string, DocumentOperation>>;
  components?: { schemas?: Record<string, DocumentSchema> };
}

/** Replaces each direct child schema of `schema` with the result of `change`. `part` is the name of a field, or "" for
 *  an alternative or the element of a list. */
export function changeChildren(
  schema: DocumentSchema,
  change: (child: DocumentSchema, part: string) => DocumentSchema,
): void {
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    if (schema.properties) schema.properties[name] = change(child, name);
  }
  if (schema.items) schema.items = change(schema.items, "");
  if (typeof schema.additionalProperties === "object") {
    schema.additionalProperties = change(schema.additionalProperties, "");
  }
  for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"] as const) {
    schema[key]?.forEach((child, index) => {
      schema[key]?.splice(index, 1, change(child, ""));
    });
  }
}

/** The operations of a document, in its order. */
export function operationsOf(document: SchemaHolder): DocumentOperation[] {
  return Object.values(document.paths ?? {}).flatMap((path) => Object.values(path));
}
