// Who gets in, how often, and what answers look like, as the contract has it.
import t from "tap";
import { AUTHENTICATION_ROWS, CONVENTION_ROWS, LIMIT_ROWS } from "./access-rows.ts";
import { authenticationProofs } from "./authentication-proofs.ts";
import { conventionProofs } from "./convention-proofs.ts";
import { limitProofs } from "./limit-proofs.ts";
import { proveSection } from "./prove.ts";
import { withContract } from "./with-contract.ts";

// Within a test, which ends only when all is taken down again.
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
