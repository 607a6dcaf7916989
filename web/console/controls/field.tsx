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

export { SelectField } from "./select-field.tsx";

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
