// Headers that the owner of a session endpoint adds to its deliveries, for example a bearer token.
import { z } from "zod";

const MAX_HEADERS = 20;
const MAX_VALUE_CHARACTERS = 4_096;
/** A token of RFC 9110. */
const NAME_PATTERN = /^[!#$%&'*+.^_`|~\w-]{1,128}$/;
/** Visible characters, spaces and tabs. A line break could start another header. */
const VALUE_PATTERN = /^[\t\x20-\x7e]*$/;
/** Headers that the service sets, or that belong to the connection. */
const RESERVED_PATTERN =
  /^(content-.*|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|proxy-.*|x-service-.*|x-test-webhook)$/i;

/** Headers by name, as a caller gives them. */
export const customHeadersSchema = z
  .record(
    z
      .string()
      .regex(NAME_PATTERN, "is not a valid header name")
      .refine((name) => !RESERVED_PATTERN.test(name), "is reserved and cannot be set"),
    z.string().max(MAX_VALUE_CHARACTERS).regex(VALUE_PATTERN, "is not a valid header value"),
  )
  .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `must have at most ${MAX_HEADERS} headers`);

export type CustomHeaders = z.infer<typeof customHeadersSchema>;
