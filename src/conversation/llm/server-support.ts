// What a server takes. Not all servers with the OpenAI protocol take every part of a request, and few say so in
// advance: what is refused is left out and remembered.

/** A part of requests that some servers refuse. */
export type Feature = "image" | "stream_options" | "user" | "tools" | "system";

/** What servers write when they refuse a part, the surest first. Sources: messages of vLLM, llama.cpp, Ollama,
 *  LM Studio, and of the chat templates of Gemma and Mistral. */
const REFUSALS: readonly (readonly [Feature, RegExp])[] = [
  ["image", /\bimages?\b|image_url|\bvision\b|multi-?modal|\bmmproj\b|content.{0,40}\b(?:string|str|list|array)\b/i],
  ["stream_options", /stream_options/i],
  ["tools", /\btools?\b|\btool_|function.call/i],
  ["system", /\bsystem\b.{0,20}\b(?:role|message|prompt)|\brole\b.{0,20}\bsystem\b|roles must alternate/i],
  ["user", /["'`]user["'`]/i],
];
/** What is left out for a refusal without a reason: first what the answer needs least. */
const LEAST_NEEDED_FIRST: readonly Feature[] = ["image", "stream_options", "user", "tools", "system"];
/** Of refusals without a reason. Servers name reasons with other codes too: earlier llama.cpp answers 500. */
const BAD_REQUEST = [400, 422];
/** The request was too large: of what it holds, only an image can be left out. */
const TOO_LARGE = 413;
/** They say nothing about the request. */
const NOT_ABOUT_FEATURES = [401, 403, 408, 429];

/** What is known of one server. */
export class ServerSupport {
  readonly #refused = new Set<Feature>();
  readonly #proven = new Set<Feature>();

  /** Whether the server takes it, as far as is known. */
  mayTake(feature: Feature): boolean {
    return !this.#refused.has(feature);
  }

  /** Starts a request that would use `wanted`. */
  offer(wanted: readonly Feature[]): FeatureOffer {
    return new FeatureOffer(
      new Set(wanted.filter((feature) => !this.#refused.has(feature))),
      this.#proven,
      this.#refused,
    );
  }
}

/** The features of one request, fewer with each refusal. */
class FeatureOffer {
  readonly #used: Set<Feature>;
  readonly #proven: Set<Feature>;
  readonly #refused: Set<Feature>;
  readonly #dropped = new Set<Feature>();

  constructor(used: Set<Feature>, proven: Set<Feature>, refused: Set<Feature>) {
    this.#used = used;
    this.#proven = proven;
    this.#refused = refused;
  }

  /** Whether the next request uses it. */
  has(feature: Feature): boolean {
    return this.#used.has(feature);
  }

  /** Leaves out what a refusal is about. A refusal without a reason can be about anything that the server has not
   *  taken before. False if nothing is left to leave out: the refusal is the answer. */
  narrow({ status, text }: { status: number; text: string }): boolean {
    if (status < 400 || NOT_ABOUT_FEATURES.includes(status)) return false;
    const named = REFUSALS.find(([feature, pattern]) => this.#used.has(feature) && pattern.test(text))?.[0];
    const feature = status === TOO_LARGE ? this.#imageIfUsed() : (named ?? this.#guess(status));
    if (!feature) return false;
    this.#used.delete(feature);
    this.#dropped.add(feature);
    return true;
  }

  /** The server answers: what it took is proven, and what was left out for it is remembered, unless it took that
   *  earlier. */
  accepted(): void {
    for (const feature of this.#used) this.#proven.add(feature);
    for (const feature of this.#dropped) if (!this.#proven.has(feature)) this.#refused.add(feature);
  }

  #imageIfUsed(): Feature | undefined {
    return this.#used.has("image") ? "image" : undefined;
  }

  #guess(status: number): Feature | undefined {
    if (!BAD_REQUEST.includes(status)) return undefined;
    return LEAST_NEEDED_FIRST.find((feature) => this.#used.has(feature) && !this.#proven.has(feature));
  }
}
