// The exit codes of the contract, and which failure has which.
import t from "tap";
import { StartError } from "../../../cli/start/start-error.ts";
import { CliError, EXIT_CODES, toCliError } from "../../../cli/terminal/cli-error.ts";
import { ConfigError } from "../../../program/config.ts";
import { ApiError, ConnectionError } from "../../../sdk/client/errors.ts";
import { ServiceError } from "../../../shared/errors.ts";

t.test("the table of exit codes is the contract's", (t) => {
  t.same(EXIT_CODES, {
    generic: 1,
    usage: 2,
    no_input: 66,
    unavailable: 69,
    internal: 70,
    no_permission: 77,
    interrupted: 130,
  });
  t.end();
});

t.test("every failure has its code, and a sentence", (t) => {
  const refusal = (httpStatus: number, code: string) => new ApiError({ httpStatus, code, message: "Refused" });
  const cases: [unknown, number][] = [
    [new StartError("The disk is full.", "Free some space."), 1],
    [refusal(400, "VALIDATION_ERROR"), 1],
    [refusal(409, "MODEL_NOT_GENERATED"), 1],
    [new ConfigError(["PORT: must be a number"]), 2],
    [new CliError("usage", "--limit must be a number."), 2],
    [refusal(404, "NOT_FOUND"), 66],
    [new ServiceError("NOT_FOUND", "There is no such file."), 66],
    [new ConnectionError("GET /v1/me: it cannot be reached", { cause: new Error("ECONNREFUSED") }), 69],
    [refusal(503, "SERVICE_UNAVAILABLE"), 69],
    [refusal(429, "RATE_LIMITED"), 69],
    [Object.assign(new Error("Cannot find package 'sharp' imported from x"), { code: "ERR_MODULE_NOT_FOUND" }), 69],
    [new TypeError("x is not a function"), 70],
    ["a thrown text", 70],
    [refusal(401, "UNAUTHORIZED"), 77],
    [refusal(402, "INSUFFICIENT_BALANCE"), 77],
    [refusal(403, "PLAN_REQUIRED"), 77],
    [new ServiceError("INSUFFICIENT_BALANCE", "No credits."), 77],
    [new DOMException("This operation was aborted", "AbortError"), 130],
  ];
  for (const [error, code] of cases) {
    const failure = toCliError(error);
    t.equal(failure.exitCode, code, String(error));
    t.ok(failure.message.length > 0);
  }
  t.match(toCliError(new StartError("The disk is full.", "Free some space.")), { hint: "Free some space." });
  t.match(toCliError(new TypeError("x")), { hint: /bug in the program/ });
  t.end();
});
