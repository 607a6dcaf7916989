// Times in queries.
import { z } from "zod";

const ISO_ZONE = /(?:Z|[+-]\d{2}:?\d{2})$/;

/** An ISO 8601 date or time; without a zone it is UTC. */
export const momentSchema = z.union([z.iso.datetime({ offset: true, local: true }), z.iso.date()]);

/** The time of a text that `momentSchema` accepts; undefined for undefined. A date is its first moment in UTC. */
export function parseMoment(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const hasTime = text.includes("T");
  return new Date(hasTime && !ISO_ZONE.test(text) ? `${text}Z` : text);
}
