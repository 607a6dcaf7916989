// docs/widgets.md has the table of the code.
import { readFile } from "node:fs/promises";
import t from "tap";
import { WIDGET_FORMS } from "../../../shared/widget-messages.ts";
import { WIDGET_OPTION_NOTES } from "../../../shared/widget-option-notes.ts";
import {
  attributeOf,
  type OptionKind,
  WIDGET_OPTIONS,
  type WidgetOption,
  type WidgetOptionName,
} from "../../../shared/widget-options.ts";

t.test("the documentation has the options of the code, with their defaults", async (t) => {
  const text = await readFile(new URL("../../../docs/widgets.md", import.meta.url), "utf8");
  const [, table] = /<!-- options -->\n([\s\S]*?)<!-- \/options -->/.exec(text) ?? [];
  t.equal(table, optionsTable());
});

function optionsTable(): string {
  const rows = Object.entries<WidgetOption>(WIDGET_OPTIONS).map(([name, option]) => {
    const { kind, byDefault, forms, parameter } = option;
    const where = forms.length === WIDGET_FORMS.length ? "all" : forms.join(", ");
    const about = `${WIDGET_OPTION_NOTES[name as WidgetOptionName]}${valuesOf(kind)}`;
    const attribute = attributeOf(name);
    return `| \`${name}\` | \`${attribute}\` | ${parameter ? `\`${parameter}\`` : ""} | ${where} | ${shown(byDefault)} | ${about} |\n`;
  });
  return `| Option | Attribute | In the page's address | Forms | Default | |\n|---|---|---|---|---|---|\n${rows.join("")}`;
}

function shown(byDefault: WidgetOption["byDefault"]): string {
  return byDefault === undefined || String(byDefault) === "" ? "" : `\`${byDefault}\``;
}

function valuesOf(kind: OptionKind): string {
  if (kind.type === "choice") return ` One of ${kind.values.map((value) => `\`${value}\``).join(", ")}.`;
  return kind.type === "number" ? ` ${kind.min} to ${kind.max}.` : "";
}
