// A call of the REST API in curl, TypeScript and Python, to copy. It is folded until it is wanted.
import { type ReactElement, useState } from "react";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import { curlSample } from "../../shared/code/sample-curl.ts";
import { pythonSample } from "../../shared/code/sample-python.ts";
import { typeScriptSample } from "../../shared/code/sample-typescript.ts";
import { useConsole } from "../data/console-context.ts";
import { useTexts } from "../texts/texts-context.ts";
import { CopyButton } from "./copy-button.tsx";

export interface ExampleRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the service's address, with a slash in front. */
  path: string;
  /** Sent as JSON. */
  body?: Readonly<Record<string, unknown>>;
}

const WRITERS = { curl: curlSample, TypeScript: typeScriptSample, Python: pythonSample } as const;
type CodeLanguage = keyof typeof WRITERS;
const LANGUAGES = Object.keys(WRITERS) as CodeLanguage[];

export function CodeExample({ request }: { request: ExampleRequest }): ReactElement {
  const { shell } = useTexts();
  const { root } = useConsole();
  const [language, setLanguage] = useState<CodeLanguage>("curl");
  const { method, path, body } = request;
  const code = WRITERS[language]({
    method,
    url: root.href.replace(/\/$/, "") + path,
    credential: "secret",
    ...(body && { body: { kind: "json", value: body } }),
  });
  return (
    <details className="example">
      <summary>{shell.byProgram}</summary>
      <div className="row">
        <ToggleButtonGroup
          aria-label={shell.byProgram}
          className="row"
          disallowEmptySelection
          onSelectionChange={([chosen]) => setLanguage(chosen as CodeLanguage)}
          selectedKeys={[language]}
          selectionMode="single"
        >
          {LANGUAGES.map((name) => (
            <ToggleButton className="chip" id={name} key={name}>
              {name}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
        <CopyButton text={code} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <pre className="code" tabIndex={0}>
        <code>{code}</code>
      </pre>
    </details>
  );
}
