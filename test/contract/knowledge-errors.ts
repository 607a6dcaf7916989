// Proofs of the error rows about knowledge bases.
import { sql } from "kysely";
import type { TestApi } from "../helpers/service/with-api.ts";
import { waitFor } from "../helpers/wait-for.ts";
import { expectError, type Proof } from "./prove.ts";

const BUILD_MS = 120_000;

/** The proofs. They create their own organization, because knowledge bases belong to one. */
export function knowledgeErrors(api: TestApi): Proof[] {
  return [
    {
      rows: ["errors/KB_EMPTY", "errors/BUILD_IN_PROGRESS", "errors/BUILD_CONCURRENCY", "errors/BUILD_DAILY_CAP"],
      title: "an account builds one knowledge base at a time and twenty a day, and an empty one is refused",
      async prove(t) {
        const { account, secret: personal } = await api.addAccount({ plan: "enterprise", credits: 100 });
        const { body: organization } = await api.call("POST", "/v2/organizations", {
          secret: personal,
          body: { name: "Teapots" },
        });
        const { body: issued } = await api.call("POST", `/v2/organizations/${organization.id}/api-secrets`, {
          secret: personal,
          body: { alias: "kb" },
        });
        const call = (method: string, path: string, body?: unknown) =>
          api.call(method, path, { secret: issued.secret, body });
        const make = async (fields: object) =>
          (await call("POST", "/v1/knowledge/kbs", { name: "Shop", ...fields })).body;
        const rebuild = (id: string) => call("POST", `/v1/knowledge/kbs/${id}/rebuild`);
        const isSettled = async (id: string) => {
          const { kbs } = (await call("GET", "/v1/knowledge/kbs")).body;
          const base = kbs.find((candidate: { id: string }) => candidate.id === id);
          return !["queued", "building"].includes(base.status);
        };

        const empty = await make({});
        expectError(t, await rebuild(empty.id), { status: 422, code: "KB_EMPTY" }, "without a file");
        const form = new FormData();
        form.append("file", new Blob(["Words enough to be built."]), "a.txt");
        const file = (await call("POST", "/v1/knowledge/files", form)).body.id;
        const first = await make({ file_ids: [file], build: false });
        const second = await make({ file_ids: [file], build: false });
        t.equal((await rebuild(first.id)).status, 200);
        expectError(t, await rebuild(first.id), { status: 409, code: "BUILD_IN_PROGRESS" }, "the same again");
        expectError(t, await rebuild(second.id), { status: 409, code: "BUILD_CONCURRENCY" }, "another meanwhile");
        await waitFor(() => isSettled(first.id), "the builds", BUILD_MS);
        await sql`
          insert into knowledge_builds select (jsonb_populate_record(one, jsonb_build_object(
            'id', gen_random_uuid(), 'is_running', false))).*
          from knowledge_builds one, generate_series(1, 20)
          where one.id = (select id from knowledge_builds where user_id = ${account.userId} limit 1)
        `.execute(api.services.database);
        expectError(t, await rebuild(second.id), { status: 409, code: "BUILD_DAILY_CAP" }, "the 21st of a day");
      },
    },
  ];
}
