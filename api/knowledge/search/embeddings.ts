// Converts passages and questions to vectors with an OpenAI-compatible server, and stores unit vectors with one signed
// byte per dimension. The dot product of two of them differs from the exact cosine by less than a percent.
import { z } from "zod";
import { ServiceError } from "../../../shared/errors.ts";
import type { OpenAiEndpoint } from "../../kernel/outgoing/openai-endpoint.ts";

/** Texts in one request. */
const BATCH = 64;
const TIMEOUT_MS = 60_000;
/** Shorter than for builds, because a conversation waits for the answer. */
const QUESTION_TIMEOUT_MS = 3_000;
const SCALE = 127;

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(16_384) })),
});

export interface Embedder {
  /** A vector for each text, in order. Throws as the endpoint does, and UPSTREAM_ERROR for an answer of another shape.
   *  */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Int8Array[]>;
  /** The vector of one question, with a shorter timeout. Throws as `embed`. */
  embedQuestion(text: string): Promise<Int8Array>;
}

/** An embedder for a model of an endpoint. */
export function createEmbedder(endpoint: OpenAiEndpoint, model: string): Embedder {
  async function request(input: readonly string[], timeoutMs: number, signal?: AbortSignal): Promise<Int8Array[]> {
    const answer = answerSchema.safeParse(await endpoint.post("/embeddings", { model, input }, { timeoutMs, signal }));
    const rows = answer.success ? answer.data.data.sort((left, right) => left.index - right.index) : [];
    if (rows.length !== input.length || rows.some(({ index }, position) => index !== position)) {
      throw new ServiceError("UPSTREAM_ERROR", "The embeddings server did not return one vector for each text");
    }
    return rows.map(({ embedding }) => quantize(embedding));
  }

  return {
    async embed(texts, signal) {
      const vectors: Int8Array[] = [];
      for (let start = 0; start < texts.length; start += BATCH) {
        vectors.push(...(await request(texts.slice(start, start + BATCH), TIMEOUT_MS, signal)));
      }
      return vectors;
    },
    async embedQuestion(text) {
      return (await request([text], QUESTION_TIMEOUT_MS))[0];
    },
  };
}

/** A unit vector, its components times 127 and rounded. A zero vector stays zero. */
function quantize(vector: readonly number[]): Int8Array {
  const length = Math.hypot(...vector);
  return Int8Array.from(vector, (component) => (length === 0 ? 0 : Math.round((component / length) * SCALE)));
}
