// Prices as the pricing routes show them. The contract fixes the keys of the answer; what this version does not have
// yet keeps its keys, with no rates and a note.
import { z } from "zod";
import type { ModelFamily } from "../../../shared/models.ts";
import {
  CAMERA_CREDITS_PER_MINUTE,
  CAMERA_PRICING_CODE,
  CHAT_CREDITS_PER_MINUTE,
  CHAT_PRICING_CODE,
  DYNAMICS_CREDITS,
  PRICE_LIST,
  pricingCodeOf,
  REALTIME_CREDITS_PER_MINUTE,
  REALTIME_PRICING_CODE,
  rateOf,
  videoRateOf,
} from "./price-list.ts";

const CHAT_NOTE =
  "Added to the rate of the model while a language model of this server answers. Answers from documents alone cost nothing more.";
const CAMERA_NOTE = "Instead of the chat line, while the language model is shown the visitor's camera.";

const SELF_HOSTED_PHOTO_NOTE =
  "Avatars from an image on a machine of the caller's own, at half the cloud rate like all models.";

const IN_BROWSER_NOTE =
  "An embed page that renders the avatar itself (render=local) shows a hosted session. While no video is streamed, its model costs the self_hosted rate under that pricing code; while video is streamed, the hosted rate. Lines of the conversation cost the same in both. A model file that is rendered without this service is free.";

const lineSchema = z
  .object({
    pricing_code: z.string(),
    rate: z.int().meta({ description: "Credits per minute; 0 if the model is not available" }),
    rounding: z.literal("session_seconds_floor_carry"),
    basis: z.literal("session_seconds"),
    note: z.string().optional(),
  })
  .meta({ id: "PricingLine" });
type PricingLine = z.infer<typeof lineSchema>;

const linesSchema = z.record(z.string(), lineSchema);

export const pricingSchema = z
  .object({
    unit: z.literal("credits"),
    agent_generation: z
      .object({
        unit: z.literal("credits"),
        by_model: z.record(z.string(), z.int()),
        note: z.string(),
      })
      .meta({ id: "AgentGenerationPricing" }),
    talking_video: z
      .object({
        unit: z.literal("credits_per_minute"),
        billing: z.string(),
        rates: z.record(z.string(), z.int()),
      })
      .meta({ id: "TalkingVideoPricing" }),
    dynamics_generation: z.object({ flat: z.int(), note: z.string() }).meta({ id: "DynamicsGenerationPricing" }),
    realtime: z
      .object({
        unit: z.literal("credits_per_minute"),
        available: z.boolean().meta({ description: "Whether conversations over /v1/realtime are available" }),
        hosted: z
          .object({
            by_model: linesSchema,
            chat_line: lineSchema,
            camera_chat_line: lineSchema,
            relay_line: lineSchema.meta({ description: "A realtime call, whichever model answers" }),
          })
          .meta({ id: "HostedPricing" }),
        self_hosted: z.object({ by_model: linesSchema }).meta({ id: "SelfHostedPricing" }),
        in_browser: z
          .object({
            surface: z.string().meta({ description: "Where browsers render hosted sessions: embed" }),
            note: z.string().meta({ description: "What they cost there" }),
          })
          .meta({ id: "InBrowserPricing" }),
        note: z.string(),
      })
      .meta({ id: "RealtimePricing" }),
    notes: z.string(),
  })
  .meta({ id: "Pricing" });

/** All prices, for the models that are `offered`. `isRelayed`: whether realtime calls are available. */
export function pricing(offered: readonly ModelFamily[], isRelayed: boolean): z.infer<typeof pricingSchema> {
  const creation = offered.map((family) => [family, PRICE_LIST[family].creationCredits] as const);
  return {
    unit: "credits",
    agent_generation: {
      unit: "credits",
      by_model: { ...Object.fromEntries(creation), auto: Math.max(...creation.map(([, credits]) => credits)) },
      note: "Once per agent and model. auto is billed as the model that it selects; its figure is the highest price.",
    },
    talking_video: {
      unit: "credits_per_minute",
      billing: "Per started minute of output. Two minutes are charged up front; what was not used is refunded.",
      rates: Object.fromEntries(offered.map((family) => [family, videoRateOf(family)])),
    },
    dynamics_generation: {
      flat: DYNAMICS_CREDITS,
      note: "Once per POST /v1/dynamics/generate, for all gestures of an agent. A change of the configuration is free.",
    },
    realtime: {
      unit: "credits_per_minute",
      available: isRelayed,
      hosted: {
        by_model: realtimeLines(offered, false),
        chat_line: { ...line(CHAT_PRICING_CODE, CHAT_CREDITS_PER_MINUTE), note: CHAT_NOTE },
        camera_chat_line: { ...line(CAMERA_PRICING_CODE, CAMERA_CREDITS_PER_MINUTE), note: CAMERA_NOTE },
        relay_line: line(REALTIME_PRICING_CODE, REALTIME_CREDITS_PER_MINUTE),
      },
      self_hosted: { by_model: realtimeLines(offered, true) },
      in_browser: {
        surface: "embed",
        note: IN_BROWSER_NOTE,
      },
      note: "Avatar sessions and realtime calls: exact seconds x rate / 60, floored for each, remainder carried to the next. No minimum.",
    },
    notes: "Plan credits are spent first, then rewards, then top-ups. A creation that fails is refunded.",
  };
}

/** Whole minutes that a balance buys for each way to serve the `offered` models, and of chat line and camera line
 *  alone. Zero for a balance below zero. */
export function minutesEstimate(balanceCredits: number, offered: readonly ModelFamily[]): Record<string, number> {
  const minutes = (rate: number): number => Math.max(0, Math.floor(balanceCredits / rate));
  const entries: [string, number][] = [];
  for (const family of offered) {
    const cloud = minutes(rateOf({ family, isSelfHosted: false }));
    const selfHosted = minutes(rateOf({ family, isSelfHosted: true }));
    const name = family.replaceAll("-", "_");
    entries.push([`${name}_cloud`, cloud], [`${name}_self_hosted`, selfHosted]);
    // Names of the first generation, from before there was a second.
    const alias = name.replace(/_1$/, "");
    if (alias !== name) entries.push([`${alias}_cloud`, cloud], [`${alias}_self_hosted`, selfHosted]);
  }
  return {
    ...Object.fromEntries(entries),
    voice_chat: minutes(CHAT_CREDITS_PER_MINUTE),
    camera_chat: minutes(CAMERA_CREDITS_PER_MINUTE),
  };
}

function realtimeLines(families: readonly ModelFamily[], isSelfHosted: boolean): Record<string, PricingLine> {
  return Object.fromEntries(
    families.map((family) => {
      const serving = { family, isSelfHosted };
      const priced = line(pricingCodeOf(serving), rateOf(serving));
      const isOurs = isSelfHosted && family === "expression-1";
      return [family, isOurs ? { ...priced, note: SELF_HOSTED_PHOTO_NOTE } : priced];
    }),
  );
}

function line(pricingCode: string, rate: number): PricingLine {
  return { pricing_code: pricingCode, rate, rounding: "session_seconds_floor_carry", basis: "session_seconds" };
}
