// Numbers, dates and durations as a language writes them.
import type { Language } from "./languages.ts";

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
const MINUTE_S = 60;
const HOUR_S = 3_600;
/** Ages up to this are told as ages, later times as dates. */
const AGE_LIMIT_S = 24 * HOUR_S;

export interface Formats {
  number(value: number): string;
  /** Credits, with up to two places. */
  credits(value: number): string;
  /** A share of 1. */
  percent(share: number): string;
  /** A count of bytes in the largest unit that fits. */
  bytes(count: number): string;
  /** A length of time as 1:05 or 1:02:05. */
  duration(seconds: number): string;
  /** A short time, in ms below a second. */
  latency(milliseconds: number): string;
  /** Day and time. */
  time(when: string | Date): string;
  /** Only the time of the day, with seconds. */
  clock(when: string | Date): string;
  day(when: string | Date): string;
  /** "5 minutes ago" within a day, else day and time. What is later than `nowMs`, by another clock, is now. */
  age(when: string | Date, nowMs: number): string;
}

export function createFormats(language: Language): Formats {
  const numbers = new Intl.NumberFormat(language);
  const credits = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
  const percents = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const times = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const clocks = new Intl.DateTimeFormat(language, { timeStyle: "medium" });
  const days = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
  const ages = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const unit = (value: number, name: string, digits: number) =>
    new Intl.NumberFormat(language, {
      style: "unit",
      unit: name,
      unitDisplay: "short",
      maximumFractionDigits: digits,
    }).format(value);

  return {
    number: (value) => numbers.format(value),
    credits: (value) => credits.format(value),
    percent: (share) => percents.format(share),
    bytes(count) {
      const step = Math.min(UNITS.length - 1, count < 1 ? 0 : Math.floor(Math.log10(count) / 3));
      return unit(count / 1000 ** step, UNITS[step], step < 2 ? 0 : 1);
    },
    duration(seconds) {
      const whole = Math.max(0, Math.floor(seconds));
      const two = (value: number) => String(value).padStart(2, "0");
      const hours = Math.floor(whole / HOUR_S);
      const minutes = Math.floor((whole % HOUR_S) / MINUTE_S);
      return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(whole % MINUTE_S)}`;
    },
    latency: (milliseconds) =>
      milliseconds < 1000 ? unit(milliseconds, "millisecond", 0) : unit(milliseconds / 1000, "second", 1),
    time: (when) => times.format(new Date(when)),
    clock: (when) => clocks.format(new Date(when)),
    day: (when) => days.format(new Date(when)),
    age(when, nowMs) {
      const seconds = Math.min(0, (new Date(when).getTime() - nowMs) / 1000);
      const distance = -seconds;
      if (distance >= AGE_LIMIT_S) return times.format(new Date(when));
      if (distance < MINUTE_S) return ages.format(Math.round(seconds), "second");
      if (distance < HOUR_S) return ages.format(Math.round(seconds / MINUTE_S), "minute");
      return ages.format(Math.round(seconds / HOUR_S), "hour");
    },
  };
}
