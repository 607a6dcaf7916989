// Fields of forms, with their labels, notes and problems.
import type { ReactElement } from "react";
import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
} from "react-aria-components";

export interface TextFieldProps extends AriaTextFieldProps {
  label: string;
  /** Under the field. */
  note?: string;
  placeholder?: string;
  /** What is wrong with the value; sets the field to invalid. */
  problem?: string;
  /** Lines of a longer text. Default: one line. */
  rows?: number;
}

export function TextField({ label, note, placeholder, problem, rows, ...rest }: TextFieldProps): ReactElement {
  return (
    <AriaTextField {...rest} className="field" isInvalid={problem !== undefined || rest.isInvalid}>
      <Label>{label}</Label>
      {rows === undefined ? <Input placeholder={placeholder} /> : <TextArea placeholder={placeholder} rows={rows} />}
      {note && (
        <Text className="fine" slot="description">
          {note}
        </Text>
      )}
      <FieldError className="wrong fine">{problem}</FieldError>
    </AriaTextField>
  );
}

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

export interface SwitchFieldProps {
  label: string;
  note?: string;
  isOn: boolean;
  onChange(isOn: boolean): void;
  isDisabled?: boolean;
}

export function SwitchField({ label, note, isOn, onChange, isDisabled }: SwitchFieldProps): ReactElement {
  return (
    <label className="check">
      <input
        aria-checked={isOn}
        checked={isOn}
        disabled={isDisabled}
        onChange={(event) => onChange(event.target.checked)}
        role="switch"
        type="checkbox"
      />
      <span>
        {label}
        {note && <span className="fine note">{note}</span>}
      </span>
    </label>
  );
}
