// Gives every shape and every enum of the OpenAPI document a name, so that generated clients have types for them. A
// schema declared with `.meta({ id })` has its own name. Any other is named after its operation and its position in it;
// equal schemas share one name.
import { isDeepStrictEqual } from "node:util";
import { changeChildren, type DocumentSchema, operationsOf, type SchemaHolder } from "./document-schema.ts";

/** Moves inline shapes and enums to the document's components. Throws Error if two shapes would have the same name. */
export function nameShapes(document: SchemaHolder): void {
  document.components ??= {};
  document.components.schemas ??= {};
  const { schemas } = document.components;

  /** A reference to an inline schema, which becomes a component; any other schema is returned unchanged. */
  function moved(schema: DocumentSchema, name: string): DocumentSchema {
    if (schema.$ref !== undefined) return schema;
    changeChildren(schema, (child, part) => moved(child, name + pascal(part)));
    if (!schema.properties && !schema.enum) return schema;
    const { description, ...shape } = schema;
    const equal = Object.entries(schemas).find(([, { description: _other, ...known }]) =>
      isDeepStrictEqual(known, shape),
    );
    const component = equal?.[0] ?? freeName(name, schema);
    schemas[component] ??= schema;
    const $ref = `#/components/schemas/${component}`;
    return description === undefined ? { $ref } : { $ref, description };
  }

  function freeName(name: string, schema: DocumentSchema): string {
    // An enum of a shape's field may have the same path as another shape of a union.
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? name : `${name}${number}`;
      if (schemas[candidate] === undefined || schemas[candidate] === schema) return candidate;
    }
  }

  for (const [name, schema] of Object.entries(schemas)) {
    changeChildren(schema, (child, part) => moved(child, name + pascal(part)));
  }
  for (const operation of operationsOf(document)) {
    const name = pascal(operation.operationId);
    for (const parameter of operation.parameters ?? []) {
      if (parameter.schema) parameter.schema = moved(parameter.schema, name + pascal(parameter.name));
    }
    for (const content of Object.values(operation.requestBody?.content ?? {})) {
      if (content.schema) content.schema = moved(content.schema, `${name}Request`);
    }
    for (const response of Object.values(operation.responses)) {
      for (const content of Object.values(response.content ?? {})) {
        if (content.schema) content.schema = moved(content.schema, `${name}Response`);
      }
    }
  }
}

/** `agents.speak` becomes `AgentsSpeak`, `end_reason` becomes `EndReason`. */
function pascal(name: string): string {
  return name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]|$)/g, (_match, letter: string) => letter.toUpperCase());
}
