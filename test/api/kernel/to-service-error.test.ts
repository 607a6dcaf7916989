// Errors of the engine as callers and jobs of the api see them.
import t from "tap";
import { mayRetry, reasonOf } from "../../../api/agents/creation/creation-job.ts";
import { CONTRACT_CODES, toServiceError } from "../../../api/kernel/to-service-error.ts";
import { ENGINE_ERROR_CODES, EngineError } from "../../../shared/engine-error.ts";
import { ERROR_CODES } from "../../../shared/errors.ts";

const secondAttempt = { attempt: 2, isLastAttempt: false, signal: new AbortController().signal };

t.test("every engine error code maps to a code of the contract, and the message is kept", async (t) => {
  t.same(Object.keys(CONTRACT_CODES).sort(), [...ENGINE_ERROR_CODES].sort());
  for (const code of ENGINE_ERROR_CODES) {
    const cause = new EngineError(code, `about ${code}`);
    const error = toServiceError(cause);
    t.ok(ERROR_CODES.includes(error.code), `${code}: ${error.code}`);
    t.match(error, { name: "ServiceError", message: `about ${code}`, cause });
    t.equal(reasonOf(error), `about ${code}`);
  }
});

t.test("a job retries only temporary errors of the engine", async (t) => {
  const repeated = ENGINE_ERROR_CODES.filter((code) =>
    mayRetry(toServiceError(new EngineError(code, "m")), secondAttempt),
  );
  t.same(repeated, ["unavailable"]);
});
