// The form that sends a request: a field for each parameter, and the body.

import { element } from "../shared/element.ts";
import type { ApiDocument, ApiOperation } from "./api-document.ts";
import { isBinary, type RequestDraft } from "./request-draft.ts";
import { fieldOf } from "./schema-fields.ts";

export interface TryFormOptions {
  api: ApiDocument;
  operation: ApiOperation;
  /** The draft as the form shows it first. */
  draft: RequestDraft;
  /** A field has changed. */
  onChange(draft: RequestDraft): void;
  onSend(draft: RequestDraft, extra: SentExtras): void;
}

/** What samples do not contain. */
export interface SentExtras {
  files: Readonly<Record<string, File>>;
  /** For operations that take a minted token. */
  token: string;
}

export class TryForm {
  readonly element: HTMLFormElement;
  readonly #options: TryFormOptions;
  readonly #fields = new Map<string, HTMLInputElement | HTMLSelectElement>();
  readonly #formFields = new Map<string, HTMLInputElement>();
  readonly #body: HTMLTextAreaElement | undefined;
  readonly #token: HTMLInputElement | undefined;
  readonly #send: HTMLButtonElement;
  readonly #problem = element("p", { className: "wrong", role: "alert" });
  /** What the fields would hold had the visitor not touched them. */
  #untouched: RequestDraft;
  #isSure = false;

  constructor(options: TryFormOptions) {
    this.#options = options;
    this.#untouched = options.draft;
    const { operation, draft } = options;
    const [content] = operation.bodies;
    this.#send = element("button", { type: "submit", className: "main" }, sendLabel(operation, false));
    this.#body = draft.bodyText === undefined || content.type === "multipart/form-data" ? undefined : this.#bodyField();
    this.#token = operation.credential === "token" ? element("input", { type: "password", required: true }) : undefined;
    const rows = [
      ...(this.#token ? [labelled(operation, "Token", this.#token)] : []),
      ...operation.parameters
        .filter((parameter) => parameter.in !== "header")
        .map((parameter) => this.#parameterField(parameter.name, parameter.in === "path")),
      ...(content?.type === "multipart/form-data" ? this.#formRows() : []),
      ...(this.#body
        ? [labelled(operation, content.type === "application/json" ? "Body" : content.type, this.#body)]
        : []),
    ];
    this.element = element(
      "form",
      { className: "try", autocomplete: "off", noValidate: true },
      ...rows,
      this.#problem,
      this.#send,
    );
    this.element.addEventListener("input", () => {
      this.#isSure = false;
      this.#send.textContent = sendLabel(operation, false);
      this.#options.onChange(this.read());
    });
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
  }

  /** The draft in the fields. */
  read(): RequestDraft {
    const valuesOf = (fields: ReadonlyMap<string, { value: string }>) =>
      Object.fromEntries([...fields].map(([name, { value }]) => [name, value]));
    return {
      parameters: valuesOf(this.#fields),
      bodyText: this.#body?.value ?? this.#untouched.bodyText,
      form: Object.fromEntries(
        [...this.#formFields].map(([name, field]) => [name, field.files?.[0]?.name ?? this.#textOf(name, field)]),
      ),
    };
  }

  /** Puts a new draft into the fields that the visitor has not touched. */
  update(draft: RequestDraft): void {
    const before = this.#untouched;
    for (const [name, field] of this.#fields) {
      if (field.value === before.parameters[name]) field.value = draft.parameters[name];
    }
    if (this.#body && this.#body.value === before.bodyText) this.#body.value = draft.bodyText ?? "";
    this.#untouched = draft;
  }

  /** What is wrong with what was typed; empty if nothing. */
  showProblem(text: string): void {
    this.#problem.textContent = text;
  }

  set isBusy(isBusy: boolean) {
    this.#send.disabled = isBusy;
    this.#send.textContent = isBusy ? "Sending …" : sendLabel(this.#options.operation, false);
  }

  #submit(): void {
    const { operation } = this.#options;
    const draft = this.read();
    const missing = operation.parameters.find(({ name, in: place }) => place === "path" && !draft.parameters[name]);
    if (missing) {
      this.showProblem(`${missing.name} is missing.`);
      this.#fields.get(missing.name)?.focus();
      return;
    }
    if (operation.method === "DELETE" && !this.#isSure) {
      this.#isSure = true;
      this.#send.textContent = sendLabel(operation, true);
      return;
    }
    this.#isSure = false;
    this.showProblem("");
    const files = Object.fromEntries(
      [...this.#formFields].flatMap(([name, { files }]) => (files?.[0] ? [[name, files[0]]] : [])),
    );
    this.#options.onSend(draft, { files, token: this.#token?.value.trim() ?? "" });
  }

  #parameterField(name: string, isPath: boolean): HTMLElement {
    const { api, operation, draft } = this.#options;
    const schema = operation.parameters.find((parameter) => parameter.name === name)?.schema ?? {};
    const { values } = fieldOf(api, { name, schema, isRequired: isPath });
    const texts = values.map((value) => String(JSON.parse(value)));
    const field =
      texts.length > 0
        ? element("select", {}, ...["", ...texts].map((text) => element("option", { value: text }, text || "not sent")))
        : element("input", { type: "text", spellcheck: false });
    field.value = draft.parameters[name];
    this.#fields.set(name, field);
    return labelled(operation, name, field);
  }

  #formRows(): HTMLElement[] {
    const { api, operation, draft } = this.#options;
    const { schema } = operation.bodies[0];
    return Object.keys(api.resolve(schema).properties ?? {}).map((name) => {
      const isFile = isBinary(api, schema, name);
      const field = element("input", { type: isFile ? "file" : "text", spellcheck: false });
      if (!isFile) field.value = draft.form[name] ?? "";
      this.#formFields.set(name, field);
      return labelled(operation, name, field);
    });
  }

  /** A file that was not chosen yet has the name that the example gives it. */
  #textOf(name: string, field: HTMLInputElement): string {
    return field.type === "file" ? (this.#untouched.form[name] ?? "") : field.value;
  }

  #bodyField(): HTMLTextAreaElement {
    const { bodyText = "" } = this.#options.draft;
    const rows = Math.min(14, Math.max(4, bodyText.split("\n").length));
    const field = element("textarea", { rows, spellcheck: false, className: "body" });
    field.value = bodyText;
    return field;
  }
}

function labelled(operation: ApiOperation, name: string, field: HTMLElement): HTMLElement {
  field.id = `try-${operation.id}-${name}`;
  return element("div", { className: "try-row" }, element("label", { htmlFor: field.id }, name), field);
}

function sendLabel({ method }: ApiOperation, isSure: boolean): string {
  if (method !== "DELETE") return "Send request";
  return isSure ? "It cannot be undone. Send it" : "Send DELETE request";
}
