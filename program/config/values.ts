// Parsers of single values. Their messages follow the name of the setting.
import ipaddr from "ipaddr.js";
import { z } from "zod";

export const MB_BYTES = 1e6;
export const SECOND_MS = 1_000;
export const DAY_MS = 86_400_000;

export const flag = z
  .enum(["0", "1", "true", "false", "on", "off"], "must be 1 or 0")
  .transform((value) => value === "1" || value === "true" || value === "on");

export const text = z.string().min(1);

export const port = wholeNumber(1, 65_535);
/** 0 for a free one. */
export const anyPort = wholeNumber(0, 65_535);

export const httpUrl = url(/^https?$/, "http:// or https://");

/** A key that is sent in a header. With a line break in it the header's error would quote it. */
export const headerKey = z
  .string()
  .regex(/^[\x21-\x7e]+$/, "must be letters, digits and signs of ASCII, without spaces and line breaks")
  .optional();

/** Addresses and CIDR ranges, separated by commas. */
export const addressRanges = z.string().transform((list, context): readonly string[] => {
  const ranges = list.split(",").map((range) => range.trim());
  const isValid = (range: string) => (range.includes("/") ? ipaddr.isValidCIDR(range) : ipaddr.isValid(range));
  if (!ranges.every(isValid)) context.addIssue("must be IP addresses or CIDR ranges, separated by commas");
  return ranges;
});

export function wholeNumber(least: number, most: number) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(message).int(message).min(least, message).max(most, message);
}

export function url(protocol: RegExp, beginnings: string) {
  return z.url({ protocol, error: `must be a URL that begins with ${beginnings}` });
}

export function withoutTrailingSlash(base: string): string {
  return base.replace(/\/+$/, "");
}
