// Headers that the owner adds to deliveries. Values that are kept are never shown, so a change replaces all of them.
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import { TextField } from "../../controls/field.tsx";
import { useTexts } from "../../texts/texts-context.ts";

export interface HeaderRow {
  name: string;
  value: string;
}

export interface HeadersFieldProps {
  /** Of those that are kept. */
  names: readonly string[];
  /** Those that replace them; undefined while they stay. */
  rows: readonly HeaderRow[] | undefined;
  onChange(rows: readonly HeaderRow[] | undefined): void;
}

const MAX_HEADERS = 20;
const EMPTY: HeaderRow = { name: "", value: "" };

/** Rows without a name are left out. */
export function headersOf(rows: readonly HeaderRow[]): Record<string, string> {
  return Object.fromEntries(
    rows.flatMap(({ name, value }) => (name.trim() === "" ? [] : [[name.trim(), value.trim()]])),
  );
}

export function HeadersField({ names, rows, onChange }: HeadersFieldProps): ReactElement {
  const { webhooks: texts, shell } = useTexts();
  const begin = () => onChange(names.length === 0 ? [EMPTY] : names.map((name) => ({ name, value: "" })));
  if (rows === undefined) {
    return (
      <fieldset className="webhook-headers">
        <legend>{texts.headers}</legend>
        {names.length === 0 ? (
          <p className="fine">{texts.noHeaders}</p>
        ) : (
          <ul className="rows">
            {names.map((name) => (
              <li key={name}>
                <code>{name}</code>
                <span className="fine">{texts.hiddenValue}</span>
              </li>
            ))}
          </ul>
        )}
        <Button onPress={begin}>{names.length === 0 ? texts.addHeaders : texts.replaceHeaders}</Button>
      </fieldset>
    );
  }
  const put = (at: number, part: Partial<HeaderRow>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)));
  return (
    <fieldset className="webhook-headers">
      <legend>{texts.headers}</legend>
      <p className="fine">{texts.headersNote}</p>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
        <div className="webhook-header" key={index}>
          <TextField
            autoComplete="off"
            label={texts.headerName(index + 1)}
            maxLength={128}
            onChange={(name) => put(index, { name })}
            spellCheck="false"
            value={row.name}
          />
          <TextField
            autoComplete="off"
            label={texts.headerValue(index + 1)}
            maxLength={4_096}
            onChange={(value) => put(index, { value })}
            type="password"
            value={row.value}
          />
          <Button
            aria-label={texts.removeHeader(index + 1)}
            onPress={() => onChange(rows.filter((_, at) => at !== index))}
          >
            {shell.delete}
          </Button>
        </div>
      ))}
      <div className="row">
        {rows.length < MAX_HEADERS && <Button onPress={() => onChange([...rows, EMPTY])}>{texts.addHeader}</Button>}
        <Button onPress={() => onChange(undefined)}>{shell.cancel}</Button>
      </div>
    </fieldset>
  );
}
