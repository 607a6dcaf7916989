// Reads the options of a widget. They come from pages that are not ours: what the table does not allow is told once in
// the console, and the default counts.
import type { WidgetForm } from "../../shared/widget-messages.ts";
import {
  attributeOf,
  LANGUAGE_TAG,
  MARGIN_BY_DEFAULT_PX,
  type OptionKind,
  type OptionValue,
  WIDGET_OPTIONS,
  type WidgetOption,
  type WidgetOptionName,
} from "../../shared/widget-options.ts";

const TABLE: Readonly<Record<string, WidgetOption>> = WIDGET_OPTIONS;
/** Other names of options. */
const ALIASES: Readonly<Record<string, WidgetOptionName>> = { agentUrl: "agentId" };
/** A page's code in the address of the agent's page. */
const PAGE_PATH = /^(.*)\/(?:embed|share)\/([^/]+)\/?$/;
const AGENT_CODE = /^[\w-]{1,64}$/;
const COLOUR = /^#[0-9a-f]{6}$/i;

/** Attributes of the element, as HTML has them: lower case. */
export const OPTION_ATTRIBUTES: readonly string[] = [...Object.keys(TABLE), ...Object.keys(ALIASES)].map(attributeOf);

/** The option of an attribute: `agent-id` is `agentId`. */
export function optionOf(attribute: string): string {
  return attribute.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The options of one widget, checked. */
export class WidgetSettings {
  readonly form: WidgetForm;
  readonly #values: ReadonlyMap<string, OptionValue>;
  readonly #service: string;

  /** `given`: names of options and their values, without undefined and null. `byDefault`: the form without
   *  one, and the service's address, ending in a slash. `warn` gets one line for each mistake. */
  constructor(
    given: Readonly<Record<string, unknown>>,
    byDefault: { form: WidgetForm; serviceUrl: string },
    warn: (text: string) => void,
  ) {
    const values = new Map<string, OptionValue>();
    for (const [name, value] of Object.entries(given)) {
      const known = ALIASES[name] ?? name;
      if (!Object.hasOwn(TABLE, known)) warn(`There is no option ${quoted(name)}.`);
      else if (value !== undefined && value !== null) {
        const read = readValue(TABLE[known].kind, value);
        if (read === undefined) warn(`The option ${name} does not take this value. Its default is used.`);
        else values.set(known, read);
      }
    }
    this.form = (values.get("form") as WidgetForm | undefined) ?? byDefault.form;
    const page = PAGE_PATH.exec(String(values.get("agentId")));
    if (page) values.set("agentId", page[2]);
    this.#service = `${(values.get("serviceUrl") as string | undefined) ?? page?.[1] ?? byDefault.serviceUrl}`;
    this.#values = values;
    if (this.number("minSize") > this.number("maxSize")) {
      warn("minSize is more than maxSize. Their defaults are used.");
      values.delete("minSize");
      values.delete("maxSize");
    }
  }

  /** Address of the service without a slash at the end; empty if it is not known. */
  get serviceUrl(): string {
    return this.#service.replace(/\/+$/, "");
  }

  /** A text option, or a choice; empty if it has no value. */
  text(name: WidgetOptionName): string {
    return String(this.#get(name) ?? "");
  }

  number(name: WidgetOptionName): number {
    if (name === "margin") return Number(this.#values.get(name) ?? MARGIN_BY_DEFAULT_PX[this.form]);
    return Number(this.#get(name));
  }

  flag(name: WidgetOptionName): boolean {
    return this.#get(name) === true;
  }

  texts(name: WidgetOptionName): readonly string[] {
    return this.#get(name) as readonly string[];
  }

  has(name: WidgetOptionName): boolean {
    return this.#values.has(name);
  }

  #get(name: WidgetOptionName): OptionValue | undefined {
    return this.#values.get(name) ?? TABLE[name].byDefault;
  }
}

/** A value of its kind; undefined for any other. Attributes are strings, also those of numbers and flags. */
function readValue(kind: OptionKind, value: unknown): OptionValue | undefined {
  if (kind.type === "flag") return readFlag(value);
  if (kind.type === "number") return readNumber(value, kind);
  if (kind.type === "texts") return readTexts(value, kind);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  switch (kind.type) {
    case "text":
      return text.length <= kind.maxCharacters ? text : undefined;
    case "choice":
      return kind.values.includes(text) ? text : undefined;
    case "colour":
      return COLOUR.test(text) ? text.toLowerCase() : undefined;
    case "language":
      return text === "auto" || LANGUAGE_TAG.test(text) ? text : undefined;
    case "address":
      return readAddress(text);
    case "agent":
      return AGENT_CODE.test(text) ? text : readPage(text);
  }
}

function readFlag(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  return value === "" || value === "true" ? true : value === "false" ? false : undefined;
}

function readNumber(value: unknown, { min, max }: { min: number; max: number }): number | undefined {
  const number = typeof value === "string" && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
  return typeof number === "number" && number >= min && number <= max ? number : undefined;
}

function readTexts(
  value: unknown,
  { maxCount, maxCharacters }: { maxCount: number; maxCharacters: number },
): readonly string[] | undefined {
  const list: unknown[] = Array.isArray(value) ? value : typeof value === "string" ? value.split("|") : [undefined];
  if (!list.every((one): one is string => typeof one === "string")) return undefined;
  const texts = list.map((one) => one.trim()).filter(Boolean);
  return texts.length <= maxCount && texts.every((one) => one.length <= maxCharacters) ? texts : undefined;
}

/** An absolute address without credentials, query and fragment left as they are. */
function readAddress(text: string): string | undefined {
  if (text === "" || text.length > 2_000 || !URL.canParse(text, document.baseURI)) return undefined;
  const { protocol, username, href } = new URL(text, document.baseURI);
  return /^https?:$/.test(protocol) && username === "" ? href : undefined;
}

function readPage(text: string): string | undefined {
  const href = readAddress(text);
  if (href === undefined) return undefined;
  const { origin, pathname } = new URL(href);
  const code = PAGE_PATH.exec(pathname)?.[2];
  return code !== undefined && AGENT_CODE.test(code) ? origin + pathname : undefined;
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 60));
}
