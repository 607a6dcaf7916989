// Gives every field and parameter of the OpenAPI document a description: its schema's own, or the one that its noun
// declares.
import { changeChildren, operationsOf, type SchemaHolder } from "./document-schema.ts";

/** Descriptions by field (`room_name`), or by shape and field where the name has another meaning there
 *  (`Agent.status`). */
export type FieldDescriptions = Readonly<Record<string, string>>;

/** Writes the descriptions into the document. A schema's own description wins. */
export function describeFields(document: SchemaHolder, fields: FieldDescriptions): void {
  for (const [shape, schema] of Object.entries(document.components?.schemas ?? {})) {
    changeChildren(schema, (child, name) => {
      const description = child.description ?? fields[`${shape}.${name}`] ?? fields[name];
      return name === "" || description === undefined ? child : { ...child, description };
    });
  }
  for (const { operationId, parameters = [] } of operationsOf(document)) {
    for (const parameter of parameters) {
      const { name } = parameter;
      parameter.description ??= parameter.schema?.description ?? fields[`${operationId}.${name}`] ?? fields[name];
    }
  }
}
