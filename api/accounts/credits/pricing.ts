// What things cost, as the pricing routes show it. The figures of models are the catalogue's.
import { z } from "zod";
import { FAMILIES, type ModelFamily } from "../../../shared/models.ts";
import { PRICE_LIST, pricingCodeOf, rateOf } from "./price-list.ts";

/** Credits per minute of a conversation by voice, and with a camera. Source: the contract. */
const VOICE_CHAT_RATE = 10;
const CAMERA_CHAT_RATE = 30;
/** Credits for one run of gesture generation. Source: the contract. */
const DYNAMICS_CREDITS = 250;
/** Models that talking videos are rendered with. Source: the contract. */
const TALKING_VIDEO_FAMILIES: readonly ModelFamily[] = ["essence-2", "essence-2-quality", "expression-2"];

const lineSchema = z
  .object({
    pricing_code: z.string(),
    rate: z.int().meta({ description: "Credits per minute" }),
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
    agent_generation: z.object({
      unit: z.literal("credits"),
      by_model: z.record(z.string(), z.int()),
      note: z.string(),
    }),
    talking_video: z.object({
      unit: z.literal("credits_per_minute"),
      billing: z.string(),
      rates: z.record(z.string(), z.int()),
    }),
    dynamics_generation: z.object({ flat: z.int(), note: z.string() }),
    realtime: z.object({
      unit: z.literal("credits_per_minute"),
      available: z.boolean(),
      hosted: z.object({ by_model: linesSchema, chat_line: lineSchema, camera_chat_line: lineSchema }),
      self_hosted: z.object({ by_model: linesSchema }),
      in_browser: z.object({ surface: z.string(), note: z.string() }),
      note: z.string(),
    }),
    notes: z.string(),
  })
  .meta({ id: "Pricing" });

/** All prices; creation for the models that are `offered`. */
export function pricing(offered: readonly ModelFamily[]): z.infer<typeof pricingSchema> {
  const creation = offered.map((family) => [family, PRICE_LIST[family].creationCredits] as const);
  return {
    unit: "credits",
    agent_generation: {
      unit: "credits",
      by_model: { ...Object.fromEntries(creation), auto: Math.max(...creation.map(([, credits]) => credits)) },
      note: "One time per agent and model. auto is billed as the model it is routed to; the figure is the most it can be.",
    },
    talking_video: {
      unit: "credits_per_minute",
      billing: "Per minute of output, rounded up.",
      rates: Object.fromEntries(
        TALKING_VIDEO_FAMILIES.map((family) => [family, PRICE_LIST[family].cloudCreditsPerMinute]),
      ),
    },
    dynamics_generation: { flat: DYNAMICS_CREDITS, note: "Per run, whatever the number of gestures." },
    realtime: {
      unit: "credits_per_minute",
      available: true,
      hosted: {
        by_model: realtimeLines(FAMILIES, false),
        chat_line: line("usage_voice_chat", VOICE_CHAT_RATE),
        camera_chat_line: line("usage_camera_chat", CAMERA_CHAT_RATE),
      },
      self_hosted: { by_model: realtimeLines(FAMILIES, true) },
      in_browser: {
        surface: "embed",
        note: "An embed page shows a hosted session, billed as one. What a page draws itself from a model file costs nothing.",
      },
      note: "Exact seconds times rate / 60, floored per session; the remainder is carried to the next one. No minimum.",
    },
    notes: "Plan credits are spent first, then rewards, then top-ups. What fails to be made is refunded.",
  };
}

/** Whole minutes that a balance buys, by way of serving the models that are `offered`. Zero for a balance below zero; always finite. */
export function minutesEstimate(balanceCredits: number, offered: readonly ModelFamily[]): Record<string, number> {
  const minutes = (rate: number): number => Math.max(0, Math.floor(balanceCredits / rate));
  const entries: [string, number][] = [];
  for (const family of offered) {
    const cloud = minutes(rateOf({ family, isSelfHosted: false }));
    const selfHosted = minutes(rateOf({ family, isSelfHosted: true }));
    const name = family.replaceAll("-", "_");
    entries.push([`${name}_cloud`, cloud], [`${name}_self_hosted`, selfHosted]);
    // Names from before there was a second generation.
    const alias = name.replace(/_1$/, "");
    if (alias !== name) entries.push([`${alias}_cloud`, cloud], [`${alias}_self_hosted`, selfHosted]);
  }
  entries.push(["voice_chat", minutes(VOICE_CHAT_RATE)], ["camera_chat", minutes(CAMERA_CHAT_RATE)]);
  return Object.fromEntries(entries);
}

function realtimeLines(families: readonly ModelFamily[], isSelfHosted: boolean): Record<string, PricingLine> {
  return Object.fromEntries(
    families.map((family) => {
      const serving = { family, isSelfHosted };
      return [family, line(pricingCodeOf(serving), rateOf(serving))];
    }),
  );
}

function line(pricingCode: string, rate: number): PricingLine {
  return { pricing_code: pricingCode, rate, rounding: "session_seconds_floor_carry", basis: "session_seconds" };
}
