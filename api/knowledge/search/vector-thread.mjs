// The thread of the vector index: holds the vectors of builds and finds the nearest to a question. Plain JavaScript, because a thread
// that loads TypeScript would keep a compiler in memory.
// @ts-check
import { parentPort } from "node:worker_threads";

/** A unit vector's components are stored times this. As in embeddings.ts. */
const SCALE = 127;

/** @typedef {{ ids: Float64Array, vectors: Int8Array, dimensions: number }} Build */
/** @type {Map<string, Build>} */
const builds = new Map();

/** Ids and cosines of the passages at least as near as `leastNearness`, best first; none for a question of another model.
 *  @param {Build} build @param {Int8Array} question @param {number} limit @param {number} leastNearness */
function findNearest({ ids, vectors, dimensions }, question, limit, leastNearness) {
  if (question.length !== dimensions) return [];
  const near = [];
  for (let row = 0; row < ids.length; row++) {
    const start = row * dimensions;
    let sum = 0;
    for (let index = 0; index < dimensions; index++) sum += question[index] * vectors[start + index];
    const nearness = sum / (SCALE * SCALE);
    if (nearness >= leastNearness) near.push({ id: ids[row], nearness });
  }
  return near.sort((left, right) => right.nearness - left.nearness).slice(0, limit);
}

parentPort?.on("message", (message) => {
  switch (message.type) {
    case "add":
      builds.set(message.buildId, message.build);
      break;
    case "drop":
      builds.delete(message.buildId);
      break;
    case "search": {
      const { searchId, buildId, question, limit, leastNearness } = message;
      const build = builds.get(buildId);
      parentPort?.postMessage({
        searchId,
        near: build ? findNearest(build, question, limit, leastNearness) : null,
      });
    }
  }
});
