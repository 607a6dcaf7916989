import { z } from "zod";
import { flag, headerKey, httpUrl, text } from "./values.ts";

export const languageModelSettings = z
  .object({
    OPENAI_BASE_URL: httpUrl.optional(),
    OPENAI_API_KEY: headerKey,
    OPENAI_MODEL: text.optional(),
    AVATAR_FIND_MODEL: flag.default(true),
  })
  .transform((language) => ({
    baseUrl: language.OPENAI_BASE_URL,
    apiKey: language.OPENAI_API_KEY,
    model: language.OPENAI_MODEL,
    /** Without `baseUrl`: whether to look for a server on this machine. */
    isSearched: language.AVATAR_FIND_MODEL,
  }));

/** Undefined without a server. */
export const embeddingSettings = z
  .object({
    OPENAI_EMBEDDINGS_BASE_URL: httpUrl.optional(),
    OPENAI_EMBEDDINGS_API_KEY: text.optional(),
    OPENAI_EMBEDDINGS_MODEL: text.default("text-embedding-3-small"),
  })
  .transform(({ OPENAI_EMBEDDINGS_BASE_URL: baseUrl, ...embeddings }) =>
    baseUrl === undefined
      ? undefined
      : { baseUrl, apiKey: embeddings.OPENAI_EMBEDDINGS_API_KEY, model: embeddings.OPENAI_EMBEDDINGS_MODEL },
  );

/** The model that makes portraits. */
export const imageModelSettings = z
  .object({
    OPENAI_IMAGES_BASE_URL: httpUrl.optional(),
    OPENAI_IMAGES_API_KEY: text.optional(),
    OPENAI_IMAGES_MODEL: text.optional(),
  })
  .transform((images) => ({
    baseUrl: images.OPENAI_IMAGES_BASE_URL,
    apiKey: images.OPENAI_IMAGES_API_KEY,
    model: images.OPENAI_IMAGES_MODEL,
  }));
