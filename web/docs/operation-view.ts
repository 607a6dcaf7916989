// One operation: closed a line, opened its fields, its errors, samples, and a form that sends it.

import { CodeView, type Language } from "../shared/code/code-view.ts";
import { curlSample } from "../shared/code/sample-curl.ts";
import { pythonSample } from "../shared/code/sample-python.ts";
import { typeScriptSample } from "../shared/code/sample-typescript.ts";
import { element } from "../shared/element.ts";
import { answerView } from "./answer-view.ts";
import type { ApiDocument, ApiOperation } from "./api-document.ts";
import { fieldsView, shapesView } from "./fields-view.ts";
import { draftOf, isBinary, type KnownValues, planRequest, type RequestDraft } from "./request-draft.ts";
import { fieldOf, shapesOf } from "./schema-fields.ts";
import { type SentExtras, TryForm } from "./try-form.ts";
import { type ReceivedAnswer, tryRequest } from "./try-request.ts";

const WRITERS = { curl: curlSample, typescript: typeScriptSample, python: pythonSample } as const;

export interface OperationContext {
  api: ApiDocument;
  /** The address below which the service is served. */
  base: string;
  readonly known: KnownValues;
  readonly language: Language;
  choose(language: Language): void;
  /** The headers with the visitor's credential. Throws RequestError without one. */
  headers(): Promise<Record<string, string>>;
  /** A request was answered. Returns a sentence on what to do about a refusal; empty if there is nothing to say. */
  answered(operation: ApiOperation, answer: ReceivedAnswer): string;
  opened(operation: ApiOperation): void;
}

export class OperationView {
  readonly operation: ApiOperation;
  readonly element: HTMLElement;
  readonly #context: OperationContext;
  readonly #details: HTMLDetailsElement;
  #sample: CodeView | undefined;
  #form: TryForm | undefined;
  #releaseAnswer: () => void = () => undefined;

  constructor(operation: ApiOperation, context: OperationContext) {
    this.operation = operation;
    this.#context = context;
    this.#details = element(
      "details",
      {},
      element(
        "summary",
        { className: "operation-head" },
        element("h3", {}, operation.summary),
        element("span", { className: "address" }, methodView(operation), " ", element("code", {}, operation.path)),
      ),
    );
    this.#details.addEventListener("toggle", () => {
      if (!this.#details.open) return;
      this.#fill();
      context.opened(operation);
    });
    this.element = element("article", { className: "operation", id: operation.id }, this.#details);
  }

  /** Opens it. */
  open(): void {
    this.#details.open = true;
    this.#fill();
  }

  /** The visitor's values or the language have changed. */
  update(): void {
    if (!this.#form) return;
    this.#form.update(this.#example());
    this.#showSample(this.#form.read());
  }

  #example(): RequestDraft {
    const { api, known } = this.#context;
    return draftOf(api, this.operation, known);
  }

  /** Written when it is opened for the first time: most never are. */
  #fill(): void {
    if (this.#form) return;
    const { api, choose } = this.#context;
    const { operation } = this;
    this.#sample = new CodeView(choose);
    const result = element("div", { className: "result" });
    const status = element("p", { className: "hidden", role: "status" });
    this.#form = new TryForm({
      api,
      operation,
      draft: this.#example(),
      onChange: (draft) => this.#showSample(draft),
      onSend: (draft, extras) => void this.#send(draft, extras, { result, status }),
    });
    this.#details.append(
      element(
        "div",
        { className: "operation-body" },
        element("div", { className: "description" }, ...this.#description()),
        element(
          "div",
          { className: "practice" },
          this.#sample.element,
          element(
            "details",
            { className: "try-panel" },
            element("summary", {}, "Try it"),
            this.#form.element,
            status,
            result,
          ),
        ),
      ),
    );
    this.#showSample(this.#form.read());
  }

  #showSample(draft: RequestDraft): void {
    const { api, base, language } = this.#context;
    try {
      this.#sample?.show(WRITERS[language](planRequest(api, this.operation, { draft, base })), language);
      this.#form?.showProblem("");
    } catch (error) {
      // The sample stays as it was while JSON is being typed.
      if (!(error instanceof SyntaxError)) throw error;
      this.#form?.showProblem(`The body is not JSON yet: ${error.message}`);
    }
  }

  async #send(
    draft: RequestDraft,
    { files, token }: SentExtras,
    { result, status }: { result: HTMLElement; status: HTMLElement },
  ): Promise<void> {
    const { api, base } = this.#context;
    const { operation } = this;
    const form = this.#form;
    if (!form) return;
    this.#releaseAnswer();
    result.replaceChildren();
    form.isBusy = true;
    try {
      const planned = planRequest(api, operation, { draft, base });
      const [content] = operation.bodies;
      const isForm = content?.type === "multipart/form-data";
      const isFile = (name: string) => isBinary(api, content.schema, name);
      const body = isForm ? formOf(draft, { files, isFile }) : content && draft.bodyText;
      const headers: Record<string, string> = {
        ...(operation.credential === "secret" && (await this.#context.headers())),
        ...(operation.credential === "token" && { authorization: `Bearer ${token}` }),
        ...(content && !isForm && { "content-type": content.type }),
      };
      const answer = await tryRequest({ method: planned.method, url: planned.url, headers, body });
      const shown = answerView(answer);
      this.#releaseAnswer = shown.release;
      const advice = this.#context.answered(operation, answer);
      result.replaceChildren(shown.element);
      if (advice !== "") shown.element.prepend(element("p", { className: "advice" }, advice));
      status.textContent = `The service answered ${answer.status}.`;
    } catch (error) {
      form.showProblem(error instanceof Error ? error.message : String(error));
    } finally {
      form.isBusy = false;
    }
  }

  #description(): (HTMLElement | false)[] {
    const { api } = this.#context;
    const { operation } = this;
    const [content] = operation.bodies;
    const types = operation.bodies.map(({ type }) => type);
    const byPlace = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
    const parameters = (title: string, place: string) => {
      const fields = byPlace(place).map(({ name, description, schema, required }) =>
        fieldOf(api, { name, schema: { description, ...schema }, isRequired: place === "path" || Boolean(required) }),
      );
      return fields.length > 0 && section(title, fieldsView(api, fields));
    };
    const shapes = content ? shapesOf(api, content.schema) : [];
    return [
      operation.description !== "" && element("p", {}, operation.description),
      operation.isDeprecated && element("p", { className: "advice" }, "Deprecated: for older clients only."),
      element("p", { className: "note" }, credentialText(operation), " ", permalink(operation)),
      parameters("Path", "path"),
      parameters("Query", "query"),
      parameters("Headers", "header"),
      content !== undefined &&
        section(
          "Body",
          types.length > 1 && element("p", { className: "note" }, `As ${types.join(", or ")}.`),
          shapesView(api, shapes) ?? element("p", { className: "note" }, `${content.type}, as it is.`),
        ),
      this.#answers(),
      this.#errors(),
    ];
  }

  #answers(): HTMLElement {
    const { api } = this.#context;
    const answers = this.operation.answers.filter(({ status }) => status < 400);
    const views = answers.map(({ status, description, content }) => {
      const shapes = content ? shapesOf(api, content.schema) : [];
      const title = element("code", {}, String(status));
      const kind = content && content.type !== "application/json" ? content.type : "";
      if (shapes.length === 0) {
        return element("p", {}, title, ` ${kind || (description === "Success" ? "" : description)}`);
      }
      const folded = element("details", { className: "inner" }, element("summary", {}, title, " Fields of the answer"));
      folded.addEventListener("toggle", () => folded.append(shapesView(api, shapes) ?? ""), { once: true });
      return folded;
    });
    return section("Answer", ...views);
  }

  #errors(): HTMLElement | false {
    const errors = this.operation.answers.filter(({ status }) => status >= 400);
    const rows = errors.flatMap(({ status, codes }) => [
      element("dt", {}, element("code", {}, String(status))),
      element("dd", {}, ...codes.flatMap((code) => [element("code", {}, code), " "])),
    ]);
    return rows.length > 0 && section("Errors", element("dl", { className: "errors" }, ...rows));
  }
}

export function methodView({ method }: ApiOperation): HTMLElement {
  const shown = element("span", { className: "method" }, method === "DELETE" ? "DEL" : method);
  shown.dataset.method = method;
  return shown;
}

function section(title: string, ...children: (HTMLElement | false)[]): HTMLElement {
  return element("section", {}, element("h4", {}, title), ...children);
}

function permalink({ id }: ApiOperation): HTMLElement {
  return element("a", { href: `#${id}` }, `#${id}`);
}

function credentialText({ credential }: ApiOperation): string {
  if (credential === "none") return "Needs no credential.";
  return credential === "secret" ? "Needs an API secret." : "Needs a token that the service minted.";
}

/** A file that was not chosen is left out; the service says that it is missing. */
function formOf(
  { form }: RequestDraft,
  { files, isFile }: { files: SentExtras["files"]; isFile(name: string): boolean },
): FormData {
  const body = new FormData();
  for (const [name, value] of Object.entries(form)) {
    if (files[name]) body.set(name, files[name]);
    else if (value !== "" && !isFile(name)) body.set(name, value);
  }
  return body;
}
