// The contract's rules for credentials, rate limits and the shape of answers.
import t from "tap";
import { AUTHENTICATION_ROWS, CONVENTION_ROWS, LIMIT_ROWS } from "./access-rows.ts";
import { authenticationProofs } from "./authentication-proofs.ts";
import { conventionProofs } from "./convention-proofs.ts";
import { limitProofs } from "./limit-proofs.ts";
import { proveSection } from "./prove.ts";
import { withContract } from "./with-contract.ts";

// Inside a test, so that it ends after everything is closed.
await t.test("access", (t) =>
  withContract(async (calls) => {
    const { routes } = calls;
    const sections = [
      { name: "conventions", rows: CONVENTION_ROWS, proofs: conventionProofs(calls) },
      { name: "authentication", rows: AUTHENTICATION_ROWS, proofs: authenticationProofs(calls) },
      { name: "limits", rows: LIMIT_ROWS, proofs: limitProofs(calls) },
    ];
    for (const section of sections) await proveSection(t, { ...section, routes });
  }),
);
