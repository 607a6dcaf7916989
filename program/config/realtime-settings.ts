import { z } from "zod";
import { DEFAULT_REALTIME_MODEL, SERVICE_REALTIME_MODEL } from "../../shared/wire-names.ts";
import { addressRanges, headerKey, httpUrl, withoutTrailingSlash } from "./values.ts";

const OPENAI_HOST = "api.openai.com";

/** A server that speaks OpenAI's realtime events, to which relays lead calls. */
export interface RealtimeUpstream {
  /** The model as callers name it. */
  readonly name: string;
  /** With its version, without a trailing slash: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Sent as Bearer. */
  readonly apiKey: string | undefined;
  /** The model as the server names it. */
  readonly model: string;
  /** Least plan of accounts that may call it; undefined for any. */
  readonly plan: RealtimePlan | undefined;
}

/** Plans that an upstream may need, cheapest first. */
const REALTIME_PLANS = ["creator", "pro", "business", "enterprise"] as const;
export type RealtimePlan = (typeof REALTIME_PLANS)[number];

const upstreamSchema = z.strictObject({
  name: z.string().regex(/^[\w.:/-]{1,100}$/, "must have 1 to 100 letters, digits and signs of _ . : / -"),
  base_url: httpUrl.transform(withoutTrailingSlash),
  api_key: headerKey,
  model: z.string().min(1).max(200).optional(),
  plan: z.enum(REALTIME_PLANS, `must be one of ${REALTIME_PLANS.join(", ")}`).optional(),
});

/** A JSON list of upstreams. Problems name the entry and the field, never a value: one of them is a key. */
const realtimeUpstreams = z.string().transform((json, context): readonly RealtimeUpstream[] => {
  let list: unknown;
  try {
    list = JSON.parse(json);
  } catch {
    list = undefined;
  }
  if (!Array.isArray(list)) {
    context.addIssue('must be a JSON list like [{"name":"…","base_url":"https://…/v1","api_key":"…"}]');
    return [];
  }
  const names = new Set<string>([SERVICE_REALTIME_MODEL]);
  return list.flatMap((entry, index) => {
    const parsed = upstreamSchema.safeParse(entry);
    for (const { path, code, message } of parsed.error?.issues ?? []) {
      const problem =
        code === "invalid_type" || code === "unrecognized_keys" ? "is missing, unknown or of a wrong type" : message;
      context.addIssue(`entry ${index + 1}${path.length > 0 ? `, ${path.join(".")}` : ""}: ${problem}`);
    }
    if (!parsed.success) return [];
    const { name, base_url: baseUrl, api_key: apiKey, model = name, plan } = parsed.data;
    if (names.has(name)) context.addIssue(`entry ${index + 1}, name: is taken`);
    names.add(name);
    return [Object.freeze({ name, baseUrl, apiKey, model, plan })];
  });
});

export const realtimeSettings = z
  .object({
    AVATAR_REALTIME_UPSTREAMS: realtimeUpstreams.default([]),
    OPENAI_BASE_URL: httpUrl.optional(),
    OPENAI_API_KEY: headerKey,
    AVATAR_REALTIME_ADDRESSES: addressRanges.default([]),
  })
  .transform((realtime) => ({
    upstreams: withOpenAi(realtime.AVATAR_REALTIME_UPSTREAMS, realtime.OPENAI_BASE_URL, realtime.OPENAI_API_KEY),
    /** Where realtime servers of workers may be, besides their own addresses. */
    workerAddresses: realtime.AVATAR_REALTIME_ADDRESSES,
  }));

/** The listed upstreams, and the default model at OpenAI itself if the language model is there too. Another server at
 *  `OPENAI_BASE_URL` may know no realtime calls, so it has to be listed. */
function withOpenAi(
  listed: readonly RealtimeUpstream[],
  baseUrl: string | undefined,
  apiKey: string | undefined,
): readonly RealtimeUpstream[] {
  const isListed = listed.some(({ name }) => name === DEFAULT_REALTIME_MODEL);
  const isOpenAi = baseUrl !== undefined && new URL(baseUrl).hostname === OPENAI_HOST;
  if (isListed || !isOpenAi || apiKey === undefined) return listed;
  const name = DEFAULT_REALTIME_MODEL;
  return [
    ...listed,
    Object.freeze({ name, baseUrl: withoutTrailingSlash(baseUrl), apiKey, model: name, plan: undefined }),
  ];
}
