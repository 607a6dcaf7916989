import { jsonText } from "./code-values.ts";
import type { PlannedBody, PlannedRequest } from "./planned-request.ts";

/** The request as a command for a shell. */
export function curlSample({ method, url, credential, body, savedAs }: PlannedRequest): string {
  const isUsual = method === (body ? "POST" : "GET");
  const parts = [
    `curl -sS ${isUsual ? "" : `-X ${method} `}${quoted(url)}`,
    ...(credential === "secret" ? ['-H "api-secret: $AVATAR_API_SECRET"'] : []),
    ...(credential === "token" ? ['-H "authorization: Bearer $TOKEN"'] : []),
    ...bodyParts(body),
    ...(savedAs === undefined ? [] : [`-o ${savedAs}`]),
  ];
  return parts.join(" \\\n  ");
}

function bodyParts(body: PlannedBody | undefined): string[] {
  switch (body?.kind) {
    case "json":
      return ["-H 'content-type: application/json'", `-d ${quoted(jsonText(body.value))}`];
    case "form":
      return [
        ...body.files.map(([name, file]) => `-F ${quoted(`${name}=@${file}`)}`),
        ...body.texts.map(([name, text]) => `--form-string ${quoted(`${name}=${text}`)}`),
      ];
    case "file":
      return [`-H 'content-type: ${body.type}'`, `--data-binary @${body.name}`];
    default:
      return [];
  }
}

/** A word of the shell, in quotes where it needs them. */
function quoted(text: string): string {
  return /^[\w:/.@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
