// What `avatar account` prints.
import { z } from "zod";
import { findCredentials, findServiceUrl } from "../../account/credentials.ts";
import { clientOf } from "../../account/open-client.ts";
import { readAnswer } from "../../account/read-answer.ts";
import type { Environment } from "../../terminal/environment.ts";
import { plainText } from "../../terminal/plain-text.ts";
import { fittingTable } from "../../terminal/text-table.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { type accountShape, chargeShape } from "./shapes.ts";

type Shown = z.input<typeof accountShape>;

const profileSchema = z.object({
  email: z.string(),
  plan: z.string(),
  credit_balance: z.number(),
  account_status: z.string(),
  upgrade_url: z.string().nullish(),
});
export async function showOwnAccount(
  environment: Environment,
  { limit, json }: { limit: number; json?: boolean },
): Promise<void> {
  const credentials = await findCredentials(environment);
  if (credentials === null) {
    const url = await findServiceUrl(environment);
    if (json) return writeJson(signedOut(url));
    process.stdout.write(`You are not signed in at ${url}. avatar login signs you in.\n`);
    return;
  }
  const { baseUrl, source } = credentials;
  const client = clientOf(credentials);
  const [profile, page] = await Promise.all([client.accounts.me(), client.usage.list({ limit })]);
  const { email, plan, credit_balance, account_status } = readAnswer(profileSchema, profile);
  const usage = readAnswer(z.array(chargeShape), page.items);
  const shown: Shown = {
    logged_in: true,
    source,
    url: baseUrl,
    email,
    plan,
    credit_balance,
    account_status,
    out_of_credits: credit_balance <= 0,
    usage,
  };
  if (json) return writeJson(shown);
  process.stdout.write(`${describe(shown)}\n`);
}

function signedOut(url: string): Shown {
  return {
    logged_in: false,
    source: null,
    url,
    email: null,
    plan: null,
    credit_balance: null,
    account_status: null,
    out_of_credits: null,
    usage: [],
  };
}

function describe({ email, plan, credit_balance, account_status, source, url, usage }: Shown): string {
  const from = source === "environment" ? "the secret of AVATAR_API_SECRET" : "avatar login";
  const facts = [
    `${email} at ${url} (${from})`,
    `Plan     ${plan}, ${account_status}`,
    `Credits  ${credit_balance}${Number(credit_balance) <= 0 ? ": nothing that is charged can begin" : ""}`,
  ];
  if (usage.length === 0) return facts.join("\n");
  const rows = usage.map(({ created_at, activity_type, agent_code, credits_change }) => [
    created_at.slice(0, 16).replace("T", " "),
    activity_type.replaceAll("_", " "),
    agent_code ?? "",
    String(credits_change),
  ]);
  const table = fittingTable(
    ["charged (UTC)", "for", "agent", "credits"],
    rows.map((row) => row.map(plainText)),
    {
      right: [3],
    },
  );
  return `${facts.join("\n")}\n\n${table}`;
}
