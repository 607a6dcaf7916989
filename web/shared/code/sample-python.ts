import { pythonText } from "./code-values.ts";
import type { PlannedBody, PlannedRequest } from "./planned-request.ts";

/** The request as a program for Python 3.8 and newer, with nothing but its standard library. */
export function pythonSample({ method, url, credential, body, savedAs }: PlannedRequest): string {
  const headers = [
    ...(credential === "secret" ? ['"api-secret": os.environ["AVATAR_API_SECRET"]'] : []),
    ...(credential === "token" ? [`"authorization": "Bearer " + os.environ["TOKEN"]`] : []),
    ...headersOf(body),
  ];
  const options = [
    pythonText(url),
    ...(method === (body ? "POST" : "GET") ? [] : [`method=${pythonText(method)}`]),
    ...(headers.length > 0 ? [`headers={\n        ${headers.join(",\n        ")},\n    }`] : []),
    ...dataOf(body),
  ];
  const modules = [
    ...(body?.kind === "json" || savedAs === undefined ? ["json"] : []),
    ...(credential === "none" ? [] : ["os"]),
    "urllib.request",
    ...(body?.kind === "form" ? ["uuid"] : []),
  ];
  return [
    ...modules.map((name) => `import ${name}`),
    "",
    ...(body?.kind === "form" ? [...formLines(body), ""] : []),
    `request = urllib.request.Request(\n    ${options.join(",\n    ")},\n)`,
    "with urllib.request.urlopen(request) as response:",
    savedAs === undefined
      ? "    print(json.load(response))"
      : `    with open(${pythonText(savedAs)}, "wb") as file:\n        file.write(response.read())`,
  ].join("\n");
}

function headersOf(body: PlannedBody | undefined): string[] {
  if (body?.kind === "json") return ['"content-type": "application/json"'];
  if (body?.kind === "file") return [`"content-type": ${pythonText(body.type)}`];
  return body?.kind === "form" ? ['"content-type": "multipart/form-data; boundary=" + boundary'] : [];
}

function dataOf(body: PlannedBody | undefined): string[] {
  if (body?.kind === "json") return [`data=json.dumps(${pythonText(body.value, "    ")}).encode()`];
  if (body?.kind === "file") return [`data=open(${pythonText(body.name)}, "rb").read()`];
  return body?.kind === "form" ? ["data=form"] : [];
}

/** The library has no forms with files, so the sample writes the parts itself. */
function formLines({ texts, files }: { texts: readonly [string, string][]; files: readonly [string, string][] }) {
  const part = (name: string, more: string) =>
    `f"--{boundary}\\r\\ncontent-disposition: form-data; name=${escaped(name)}${more}\\r\\n\\r\\n"`;
  return [
    "boundary = uuid.uuid4().hex",
    'form = b""',
    ...files.flatMap(([name, file]) => [
      `form += ${part(name, `; filename=${escaped(file)}`)}.encode()`,
      `form += open(${pythonText(file)}, "rb").read() + b"\\r\\n"`,
    ]),
    ...texts.flatMap(([name, text]) => [
      `form += ${part(name, "")}.encode()`,
      `form += ${pythonText(text)}.encode() + b"\\r\\n"`,
    ]),
    'form += f"--{boundary}--\\r\\n".encode()',
  ];
}

/** In quotes, inside a string of Python that is an f-string. */
function escaped(text: string): string {
  return JSON.stringify(JSON.stringify(text)).slice(1, -1).replaceAll("{", "{{").replaceAll("}", "}}");
}
