// Prices of the model families. Source: the contract.
import type { ModelFamily } from "../../../shared/models.ts";

export interface FamilyPrices {
  /** Credits for one creation of an agent with this model. */
  creationCredits: number;
  /** Credits per minute of an avatar session on our workers. */
  cloudCreditsPerMinute: number;
  /** Credits per minute of an avatar session on the caller's own machine. */
  selfHostedCreditsPerMinute: number;
}

const prices = (
  creationCredits: number,
  cloudCreditsPerMinute: number,
  selfHostedCreditsPerMinute: number,
): FamilyPrices => Object.freeze({ creationCredits, cloudCreditsPerMinute, selfHostedCreditsPerMinute });

export const PRICE_LIST: Readonly<Record<ModelFamily, FamilyPrices>> = Object.freeze({
  "essence-1": prices(250, 2, 1),
  "expression-1": prices(250, 4, 2),
  "essence-2": prices(500, 4, 2),
  "essence-2-light": prices(500, 4, 2),
  "essence-2-quality": prices(500, 8, 4),
  "expression-2": prices(2000, 4, 2),
});

/** What the price of a session's minute depends on. */
export interface PricedSession {
  family: ModelFamily;
  isSelfHosted: boolean;
}

/** Credits per minute. */
export function rateOf({ family, isSelfHosted }: PricedSession): number {
  const { cloudCreditsPerMinute, selfHostedCreditsPerMinute } = PRICE_LIST[family];
  return isSelfHosted ? selfHostedCreditsPerMinute : cloudCreditsPerMinute;
}

/** The chat line: credits per minute of a conversation while a language model of the service answers, besides the rate
 *  of its model. Source: the contract. */
export const CHAT_CREDITS_PER_MINUTE = 10;
/** Its pricing code. */
export const CHAT_PRICING_CODE = "usage_voice_chat";

/** Credits per minute of a realtime call. Source: the contract. */
export const REALTIME_CREDITS_PER_MINUTE = 10;
/** Its pricing code. */
export const REALTIME_PRICING_CODE = "usage_realtime_call";

/** The camera line: it stands in for the chat line while the language model is shown the person's camera. Source: the
 *  contract. */
export const CAMERA_CREDITS_PER_MINUTE = 30;
/** Its pricing code. */
export const CAMERA_PRICING_CODE = "usage_camera_chat";

/** The pricing code, for example `usage_essence_2_model_cloud`. */
export function pricingCodeOf({ family, isSelfHosted }: PricedSession): string {
  const [name, generation, tier] = family.split("-");
  const model = [name, generation === "1" ? null : generation, tier].filter(Boolean).join("_");
  return `usage_${model}_model_${isSelfHosted ? "self_hosted" : "cloud"}`;
}

/** Credits per started minute of a talking video. Source: the contract; it equals the minute of a session. */
export function videoRateOf(family: ModelFamily): number {
  return PRICE_LIST[family].cloudCreditsPerMinute;
}

/** Credits for one generation of an agent's gestures. Source: the contract. */
export const DYNAMICS_CREDITS = 250;
/** Its pricing code. */
export const DYNAMICS_PRICING_CODE = "usage_dynamics_generation_by_api";

const VIDEO_CODE_PREFIX = "usage_talking_video_";

/** The pricing code of a talking video, for example `usage_talking_video_essence_2_by_api`. */
export function videoPricingCodeOf(family: ModelFamily): string {
  return `${VIDEO_CODE_PREFIX}${family.replaceAll("-", "_")}_by_api`;
}

/** Whether a pricing code is that of a talking video. */
export function isVideoPricingCode(code: string): boolean {
  return code.startsWith(VIDEO_CODE_PREFIX);
}
