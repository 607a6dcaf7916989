// What pricing codes and other reasons of the ledger stand for, in words.
import type { Texts } from "../../texts/load-texts.ts";

type CodeTexts = Texts["usage"]["code"];

const REFUND = "credit_refund_";

/** The words of a reason; the reason itself where there are none. */
export function describeCode(code: string, texts: CodeTexts): string {
  if (code.startsWith(REFUND)) return texts.refund(describeCode(code.slice(REFUND.length), texts));
  const [, session, place] = /^usage_(\w+)_model_(cloud|self_hosted)$/.exec(code) ?? [];
  if (session) return place === "cloud" ? texts.cloud(modelOf(session)) : texts.selfHosted(modelOf(session));
  const [, film] = /^usage_talking_video_(\w+)_by_api$/.exec(code) ?? [];
  if (film) return texts.film(film.replaceAll("_", "-"));
  const [, made] = /^agent_generation_(.+)$/.exec(code) ?? [];
  if (made) return texts.agent(made);
  return FIXED.get(code)?.(texts) ?? code;
}

const FIXED = new Map<string, (texts: CodeTexts) => string>(
  Object.entries({
    usage_voice_chat: ({ chat }) => chat,
    usage_camera_chat: ({ camera }) => camera,
    usage_realtime_call: ({ realtime }) => realtime,
    usage_dynamics_generation_by_api: ({ gestures }) => gestures,
    plan_credits: ({ planMonth }) => planMonth,
    plan_credits_lapsed: ({ lapsed }) => lapsed,
    account_opened: ({ opened }) => opened,
  }),
);

/** Codes of the first generation leave its number out: `usage_essence_model_cloud` is essence-1. */
function modelOf(code: string): string {
  const name = code.replaceAll("_", "-");
  return /\d/.test(name) ? name : `${name}-1`;
}
