// Moves error responses and headers that many operations share to the components of the OpenAPI document. Written out
// for each operation, they were two thirds of it.
import { type DocumentResponse, operationsOf, type SchemaHolder } from "./document-schema.ts";

/** First status of an error. */
const FIRST_REFUSAL = 400;

/** Replaces headers, and responses with a status of 400 or more, by references. Equal ones share one component. */
export function shareResponses(document: SchemaHolder): void {
  document.components ??= {};
  const headers: Record<string, object> = {};
  const responses: Record<string, DocumentResponse> = {};
  for (const operation of operationsOf(document)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      for (const [name, header] of Object.entries(response.headers ?? {})) {
        headers[name] = header;
        response.headers = { ...response.headers, [name]: { $ref: `#/components/headers/${name}` } };
      }
      if (Number(status) < FIRST_REFUSAL) continue;
      const name = componentName(response.description ?? status);
      responses[name] = response;
      operation.responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  Object.assign(document.components, { headers, responses });
}

/** `MISSING_PARAM, VALIDATION_ERROR` becomes `MissingParamOrValidationError`. The codes imply the status. */
function componentName(codes: string): string {
  const names = codes.split(", ").map((code) =>
    code
      .split("_")
      .map((word) => word[0] + word.slice(1).toLowerCase())
      .join(""),
  );
  return names.join("Or");
}
