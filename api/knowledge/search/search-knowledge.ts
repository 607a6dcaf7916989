// Finds the passages that answer a question: by their words, and by their meaning if an embeddings endpoint is
// configured. The two results are merged by rank, because their scores cannot be compared.
import type { KnowledgeServices } from "../knowledge-services.ts";
import { listSearchable } from "../knowledge-store.ts";
import { type FoundPassage, findByWords, findPassages } from "./passage-store.ts";

/** Number of passages of each result that are merged. */
const CANDIDATES = 50;
/** Source: Cormack, Clarke and Büttcher, "Reciprocal rank fusion", 2009. */
const RANK_OFFSET = 60;
/** Passages with a smaller cosine are unrelated to the question. */
const LEAST_NEARNESS = 0.2;

export interface SearchedPassage extends FoundPassage {
  /** Larger is better; comparable within one answer only. */
  score: number;
}

/** The best `limit` passages of built knowledge bases, best first; empty if none matches. If the embeddings server
 *  does not answer or too many searches are running, passages are searched by their words only. */
export async function searchKnowledge(
  services: KnowledgeServices,
  { knowledgeBaseIds, question, limit }: { knowledgeBaseIds: readonly string[]; question: string; limit: number },
): Promise<SearchedPassage[]> {
  const buildIds = await listSearchable(services.database, knowledgeBaseIds);
  if (buildIds.length === 0 || question.trim() === "") return [];
  const [byWords, byMeaning] = await Promise.all([
    findByWords(services.database, buildIds, question, CANDIDATES),
    findByMeaning(services, buildIds, question),
  ]);
  const scores = new Map<number, number>();
  for (const order of [byWords, byMeaning]) {
    for (const [rank, id] of order.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + rank));
  }
  const best = [...scores].sort(([leftId, left], [rightId, right]) => right - left || leftId - rightId).slice(0, limit);
  const found = await findPassages(
    services.database,
    best.map(([id]) => id),
  );
  const byId = new Map(found.map((passage) => [passage.id, passage]));
  return best.flatMap(([id, score]) => {
    const passage = byId.get(id);
    return passage ? [{ ...passage, score }] : [];
  });
}

async function findByMeaning(
  { embedder, vectors, logger }: KnowledgeServices,
  buildIds: readonly string[],
  question: string,
): Promise<number[]> {
  if (!embedder) return [];
  try {
    const vector = await embedder.embedQuestion(question);
    return await vectors.nearest(buildIds, vector, { limit: CANDIDATES, leastNearness: LEAST_NEARNESS });
  } catch (error) {
    logger.warn({ err: error }, "search by meaning failed; searched by words only");
    return [];
  }
}
