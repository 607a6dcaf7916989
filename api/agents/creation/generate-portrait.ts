// Generates a portrait from a prompt, with the configured image model.
import { z } from "zod";
import { MAX_PORTRAIT_BYTES } from "../../../program/http/portrait-input.ts";
import { ServiceError } from "../../../shared/errors.ts";
import type { OpenAiModel } from "../../kernel/outgoing/openai-endpoint.ts";
import type { Framing } from "../record/agent.ts";

export interface PortraitDescription {
  /** The persona's name and description, and the owner's words. */
  name: string;
  description: string;
  prompt: string;
  gender: string;
  subject: string;
  /** The model needs a photograph of a person. */
  mustBePerson: boolean;
  framing: Framing;
  /** The background must be plain green. */
  isTransparent: boolean;
}

/** Image generation is slow on small machines. */
const TIMEOUT_MS = 120_000;
const DOWNLOAD_TIMEOUT_MS = 30_000;
/** The one size that every image server supports; the canvas is cropped from it. */
const SIZE = "1024x1024";
/** Image models ignore text beyond about this length. */
const MAX_PROMPT_CHARACTERS = 900;

const answerSchema = z.object({
  data: z.array(z.object({ b64_json: z.string().nullish(), url: z.string().nullish() })).min(1),
});

/** Returns the image file in whatever format the model chose. Throws the endpoint's ServiceError, and UPSTREAM_ERROR
 *  for an answer without an image. */
export async function generatePortrait(
  { endpoint, model }: OpenAiModel,
  description: PortraitDescription,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const body = { model, prompt: portraitPrompt(description), n: 1, size: SIZE };
  const answer = answerSchema.safeParse(
    await endpoint.post("/images/generations", body, { timeoutMs: TIMEOUT_MS, signal }),
  );
  const image = answer.data?.data[0];
  if (image?.b64_json) return Buffer.from(image.b64_json, "base64");
  if (!image?.url) throw new ServiceError("UPSTREAM_ERROR", "The image model returned no image.");
  const limits = { maxBytes: 2 * MAX_PORTRAIT_BYTES, timeoutMs: DOWNLOAD_TIMEOUT_MS };
  return (await endpoint.download(image.url, limits)).bytes;
}

/** The prompt for the image model. A rig needs an evenly lit frontal face with a closed mouth. */
function portraitPrompt(description: PortraitDescription): string {
  const kind =
    description.mustBePerson || description.subject === "person"
      ? `${description.gender || "adult"} person`
      : description.subject;
  const medium = description.mustBePerson ? "Photorealistic portrait photograph" : "High-quality portrait";
  const cut =
    description.framing === "full_body" ? "whole figure standing, head large enough to see" : "head and shoulders";
  const background = description.isTransparent
    ? "plain bright green (#00ff00) background"
    : "simple, softly blurred background";
  const rules = `${cut}, facing the camera directly, whole face visible, mouth closed, relaxed friendly expression, even soft light, ${background}, no text`;
  const subject =
    `${medium} of one ${kind}: ${description.name}. ${description.description} ${description.prompt}`.replace(
      /\s+/g,
      " ",
    );
  return `${subject.slice(0, MAX_PROMPT_CHARACTERS)}. ${rules}.`;
}
