// A choice of one, apart from the other fields: the frame around all views has one, and no field to type in.
import type { ReactElement } from "react";

export interface SelectFieldProps<Value extends string> {
  label: string;
  note?: string;
  value: Value;
  /** Each with the words that stand for it. */
  choices: readonly { value: Value; words: string }[];
  onChange(value: Value): void;
  isDisabled?: boolean;
}

/** A choice of one. The browser's own list: phones have a good one. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>): ReactElement {
  const { label, note, value, choices, onChange, isDisabled } = props;
  return (
    <label className="field">
      <span>{label}</span>
      <select disabled={isDisabled} onChange={(event) => onChange(event.target.value as Value)} value={value}>
        {choices.map(({ value: each, words }) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
      {note && <span className="fine">{note}</span>}
    </label>
  );
}
