// Fields of a request or an answer, with what they contain folded below them.

import { element } from "../shared/element.ts";
import type { ApiDocument, ApiSchema } from "./api-document.ts";
import { fieldsOf, type SchemaField } from "./schema-fields.ts";

/** The fields of the objects that a value may be; undefined if it has none. */
export function shapesView(api: ApiDocument, shapes: readonly ApiSchema[]): HTMLElement | undefined {
  if (shapes.length === 0) return undefined;
  if (shapes.length === 1) return fieldsView(api, fieldsOf(api, shapes[0]));
  const lists = shapes.flatMap((shape, index) => [
    element("p", { className: "alternative" }, index === 0 ? "Either" : "or"),
    fieldsView(api, fieldsOf(api, shape)),
  ]);
  return element("div", {}, ...lists);
}

export function fieldsView(api: ApiDocument, fields: readonly SchemaField[]): HTMLElement {
  if (fields.length === 0) return element("p", { className: "note" }, "Fields are not fixed.");
  return element("ul", { className: "fields" }, ...fields.map((field) => fieldView(api, field)));
}

function fieldView(api: ApiDocument, field: SchemaField): HTMLElement {
  const { name, type, isRequired, isDeprecated, description, notes, values, shapes } = field;
  return element(
    "li",
    {},
    element(
      "p",
      { className: "field-head" },
      element("code", { className: "field-name" }, name),
      element("span", { className: "field-type" }, type),
      isRequired && element("span", { className: "required" }, "required"),
      isDeprecated && element("span", { className: "retired" }, "deprecated"),
    ),
    description !== "" && element("p", { className: "field-text" }, description),
    notes.length > 0 && element("p", { className: "note" }, notes.join(" · ")),
    values.length > 0 &&
      element("p", { className: "values" }, "One of ", ...values.flatMap((value) => [element("code", {}, value), " "])),
    shapes.length > 0 && foldedView(api, name, shapes),
  );
}

/** Filled when it is opened: shapes may contain each other. */
function foldedView(api: ApiDocument, name: string, shapes: readonly ApiSchema[]): HTMLElement {
  const folded = element("details", { className: "inner" }, element("summary", {}, `Fields of ${name}`));
  const fill = () => folded.append(shapesView(api, shapes) ?? "");
  folded.addEventListener("toggle", fill, { once: true });
  return folded;
}
