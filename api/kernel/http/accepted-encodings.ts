// Which compressions a caller takes.

/** Compressions that the service has, the smallest first. */
const ENCODINGS = ["br", "gzip"] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The encodings that an `Accept-Encoding` header names, the smallest first. A weight of 0 forbids one; other weights
 *  are not compared. */
export function encodingsOf(header: string): Encoding[] {
  const accepted = new Map(
    header.split(",").map((part) => {
      const [name, ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
      return [name, !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter))];
    }),
  );
  return ENCODINGS.filter((name) => accepted.get(name) ?? accepted.get("*") ?? false);
}
