// The chapters with their operations, and the contents beside them.

import { element } from "../shared/element.ts";
import type { ApiDocument, ApiOperation, ApiSchema } from "./api-document.ts";
import type { Chapter } from "./chapters.ts";
import { methodView, type OperationContext, OperationView } from "./operation-view.ts";

interface Entry {
  view: OperationView;
  link: HTMLAnchorElement;
  /** What the filter looks at, in lower case. */
  text: string;
}

interface Section {
  element: HTMLElement;
  links: HTMLElement;
  entries: readonly Entry[];
}

/** Names of fields are searched to this depth. */
const SEARCH_DEPTH = 3;

export class ReferenceView {
  readonly #sections: readonly Section[];
  readonly #entries: ReadonlyMap<string, Entry>;

  constructor(chapters: readonly Chapter[], context: OperationContext) {
    this.#sections = chapters.map((chapter) => sectionOf(chapter, context));
    const entries = this.#sections.flatMap((section) => section.entries);
    this.#entries = new Map(entries.map((entry) => [entry.view.operation.id, entry]));
  }

  mount({ reference, links }: { reference: HTMLElement; links: HTMLElement }): void {
    reference.replaceChildren(...this.#sections.map((section) => section.element));
    links.replaceChildren(...this.#sections.map((section) => section.links));
  }

  /** Opens the operation with this id, if there is one, and returns its element. */
  open(id: string): HTMLElement | undefined {
    const view = this.#entries.get(id)?.view;
    view?.open();
    return view?.element;
  }

  /** Marks an operation in the contents. */
  mark(id: string): void {
    for (const [known, { link }] of this.#entries) link.ariaCurrent = known === id ? "true" : null;
  }

  /** The visitor's values or the language have changed. */
  update(): void {
    for (const { view } of this.#entries.values()) view.update();
  }

  /** Hides what does not have all the words. Returns how many operations are left. */
  filter(query: string): number {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { element: section, links, entries } of this.#sections) {
      let left = 0;
      for (const { view, link, text } of entries) {
        const isFound = words.every((word) => text.includes(word));
        view.element.hidden = !isFound;
        if (link.parentElement) link.parentElement.hidden = !isFound;
        left += Number(isFound);
      }
      section.hidden = left === 0;
      links.hidden = left === 0;
      found += left;
    }
    return found;
  }
}

function sectionOf({ id, title, lead, operations }: Chapter, context: OperationContext): Section {
  const entries = operations.flatMap((name) => {
    const operation = context.api.operations.get(name);
    return operation ? [entryOf(operation, context)] : [];
  });
  return {
    entries,
    element: element(
      "section",
      { className: "chapter", id },
      element("h2", {}, title),
      element("p", { className: "chapter-lead" }, lead),
      ...entries.map(({ view }) => view.element),
    ),
    links: element(
      "div",
      { className: "chapter-links" },
      element("a", { className: "chapter-link", href: `#${id}` }, title),
      element("ul", {}, ...entries.map(({ link }) => element("li", {}, link))),
    ),
  };
}

function entryOf(operation: ApiOperation, context: OperationContext): Entry {
  const view = new OperationView(operation, context);
  const link = element("a", { href: `#${operation.id}` }, methodView(operation), element("span", {}, operation.id));
  const { id, method, path, summary, description, parameters, bodies } = operation;
  const fields = bodies.flatMap(({ schema }) => fieldNames(context.api, schema, SEARCH_DEPTH));
  const words = [id, method, path, summary, description, ...parameters.map(({ name }) => name), ...fields];
  return { view, link, text: words.join(" ").toLowerCase() };
}

function fieldNames(api: ApiDocument, schema: ApiSchema, depth: number): string[] {
  if (depth === 0) return [];
  const { properties = {}, items, anyOf = [] } = api.resolve(schema);
  const inner = [...Object.values(properties), ...anyOf, ...(items ? [items] : [])];
  return [...Object.keys(properties), ...inner.flatMap((part) => fieldNames(api, part, depth - 1))];
}
