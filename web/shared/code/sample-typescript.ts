import { typeScriptText } from "./code-values.ts";
import type { PlannedRequest } from "./planned-request.ts";

/** The request as a program for Node, with nothing but what Node has. */
export function typeScriptSample({ method, url, credential, body, savedAs }: PlannedRequest): string {
  const headers = [
    ...(credential === "secret" ? ['"api-secret": process.env.AVATAR_API_SECRET ?? ""'] : []),
    ...(credential === "token" ? ['authorization: "Bearer " + process.env.TOKEN'] : []),
    ...(body?.kind === "json" ? ['"content-type": "application/json"'] : []),
    ...(body?.kind === "file" ? [`"content-type": ${JSON.stringify(body.type)}`] : []),
  ];
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}"`]),
    ...(headers.length > 0 ? [`headers: ${block(headers)}`] : []),
    ...(body?.kind === "json" ? [`body: JSON.stringify(${typeScriptText(body.value, "  ")})`] : []),
    ...(body?.kind === "form" ? ["body: form"] : []),
    ...(body?.kind === "file" ? [`body: await readFile(${JSON.stringify(body.name)})`] : []),
  ];
  const reads = body?.kind === "file" || (body?.kind === "form" && body.files.length > 0);
  const imports = [...(reads ? ["readFile"] : []), ...(savedAs === undefined ? [] : ["writeFile"])];
  return [
    ...(imports.length > 0 ? [`import { ${imports.join(", ")} } from "node:fs/promises";`, ""] : []),
    ...(body?.kind === "form" ? [...formLines(body), ""] : []),
    options.length > 0
      ? `const response = await fetch(${JSON.stringify(url)}, {\n  ${options.join(",\n  ")},\n});`
      : `const response = await fetch(${JSON.stringify(url)});`,
    "if (!response.ok) throw new Error(await response.text());",
    savedAs === undefined
      ? "console.log(await response.json());"
      : `await writeFile(${JSON.stringify(savedAs)}, new Uint8Array(await response.arrayBuffer()));`,
  ].join("\n");
}

function formLines({ texts, files }: { texts: readonly [string, string][]; files: readonly [string, string][] }) {
  const quote = (text: string) => JSON.stringify(text);
  return [
    "const form = new FormData();",
    ...files.map(
      ([name, file]) => `form.set(${quote(name)}, new Blob([await readFile(${quote(file)})]), ${quote(file)});`,
    ),
    ...texts.map(([name, text]) => `form.set(${quote(name)}, ${quote(text)});`),
  ];
}

function block(lines: readonly string[]): string {
  return lines.length === 1 ? `{ ${lines[0]} }` : `{\n    ${lines.join(",\n    ")},\n  }`;
}
