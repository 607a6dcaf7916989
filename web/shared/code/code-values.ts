// JSON values as they are written in the languages of the samples.

/** Longer objects and lists have a line for each field. */
const LINE_CHARACTERS = 64;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

interface Syntax {
  null: string;
  true: string;
  false: string;
  key(name: string): string;
  /** Inside the braces of an object on one line. */
  padding: "" | " ";
  indent: string;
  /** After the last element where each has a line. */
  lastComma: "" | ",";
}

const JSON_SYNTAX: Syntax = {
  null: "null",
  true: "true",
  false: "false",
  key: (name) => JSON.stringify(name),
  padding: "",
  indent: "  ",
  lastComma: "",
};
const TYPESCRIPT_SYNTAX: Syntax = {
  ...JSON_SYNTAX,
  key: (name) => (IDENTIFIER.test(name) ? name : JSON.stringify(name)),
  padding: " ",
  lastComma: ",",
};
const PYTHON_SYNTAX: Syntax = {
  ...JSON_SYNTAX,
  null: "None",
  true: "True",
  false: "False",
  indent: "    ",
  lastComma: ",",
};

/** JSON on one line if it fits. */
export function jsonText(value: unknown): string {
  return write(value, JSON_SYNTAX, "");
}

/** An expression of TypeScript. `indent`: of the line on which it begins. */
export function typeScriptText(value: unknown, indent = ""): string {
  return write(value, TYPESCRIPT_SYNTAX, indent);
}

/** An expression of Python. JSON's strings are Python's too. */
export function pythonText(value: unknown, indent = ""): string {
  return write(value, PYTHON_SYNTAX, indent);
}

function write(value: unknown, syntax: Syntax, indent: string): string {
  if (value === null) return syntax.null;
  if (typeof value === "boolean") return value ? syntax.true : syntax.false;
  if (typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const parts = (inner: string): string[] =>
    isList
      ? value.map((one) => write(one, syntax, inner))
      : Object.entries(value).map(([name, one]) => `${syntax.key(name)}: ${write(one, syntax, inner)}`);
  const line = parts(indent).join(", ");
  if (line === "") return open + close;
  const padding = isList ? "" : syntax.padding;
  if (!line.includes("\n") && line.length <= LINE_CHARACTERS) return open + padding + line + padding + close;
  const inner = indent + syntax.indent;
  return `${open}\n${inner}${parts(inner).join(`,\n${inner}`)}${syntax.lastComma}\n${indent}${close}`;
}
