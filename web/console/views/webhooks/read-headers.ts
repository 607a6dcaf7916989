// Headers of a delivery, as a person pastes them.

const LINE = /^["'\s]*([!#$%&'*+.^_`|~\w-]+)["']?\s*[:=]\s*(.*?)[\s,]*$/;

/** Reads `Name: value` lines, as logs, tools and JSON write them. Lines without a name are left out; names are in lower
 *  case; of two headers with one name the last counts. */
export function readHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = LINE.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers[name.toLowerCase()] = value.replace(/^(["'])(.*)\1$/, "$2");
  }
  return headers;
}
