// Rows of facts. On a phone each row is a card with the columns' names beside the values.
import type { ReactElement, ReactNode } from "react";

export interface Column<Row> {
  title: string;
  /** A value, or what shows it. */
  cell(row: Row): ReactNode;
  /** Numbers are set to the right. */
  isNumber?: boolean;
}

export interface TableProps<Row> {
  /** Read aloud before the rows. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
}

/** The first column names the row. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>): ReactElement {
  return (
    <table aria-label={label} className="table">
      <thead>
        <tr>
          {columns.map(({ title, isNumber }) => (
            <th className={isNumber ? "number" : undefined} key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ title, cell, isNumber }, index) => {
              const shared = { className: isNumber ? "number" : undefined, "data-title": title, key: title };
              return index === 0 ? (
                <th {...shared} key={title} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td {...shared} key={title}>
                  {cell(row)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
