// What the console asks of the service. The browser adds the cookie to these requests.
import * as z from "zod/mini";
import { sendRequest } from "../../shared/send-request.ts";
import { attendanceHeaders } from "./attendance.ts";
import { type OperatorOverview, overviewSchema } from "./operator-overview.ts";

const accessSchema = z.discriminatedUnion("signed_in", [
  z.object({
    signed_in: z.literal(true),
    user_id: z.string(),
    email: z.string(),
    plan: z.string(),
    organization_id: z.nullable(z.string()),
    is_operator: z.boolean(),
    /** Of the REST API, as `agents.list`: those of this installation that the session's cookie opens. */
    operations: z.array(z.string()),
  }),
  z.object({
    signed_in: z.literal(false),
    issuer: z.nullable(z.string()),
    /** The browser has the cookie of a session that has ended. */
    session_ended: z.optional(z.boolean()),
  }),
]);
const sessionSchema = z.object({
  id: z.string(),
  method: z.enum(["link", "secret", "issuer"]),
  user_agent: z.string(),
  address: z.string(),
  last_used_at: z.string(),
  is_current: z.boolean(),
});
const deviceSchema = z.object({
  user_code: z.string(),
  host: z.string(),
  address: z.string(),
  created_at: z.string(),
});

export type ConsoleAccess = z.infer<typeof accessSchema>;
export type Person = Extract<ConsoleAccess, { signed_in: true }>;
export type ListedSession = z.infer<typeof sessionSchema>;
export type AskingDevice = z.infer<typeof deviceSchema>;
/** One of the three ways to sign in. */
export type Proof = { link: string } | { secret: string } | { callback: string };

/** Each method throws RequestError. */
export class ConsoleClient {
  readonly #base: URL;

  /** `base`: the address below which everything is served. */
  constructor(base: URL) {
    this.#base = base;
  }

  async access(): Promise<ConsoleAccess> {
    return accessSchema.parse(await this.#send("GET", "console/session"));
  }

  async signIn(proof: Proof): Promise<void> {
    await this.#send("POST", "console/session", proof);
  }

  async signOut(): Promise<void> {
    await this.#send("DELETE", "console/session");
  }

  /** Where to sign in at the issuer. */
  async issuerUrl(): Promise<string> {
    return z.object({ url: z.url() }).parse(await this.#send("POST", "console/issuer", {})).url;
  }

  async sessions(): Promise<ListedSession[]> {
    return z.object({ data: z.array(sessionSchema) }).parse(await this.#send("GET", "console/sign-ins")).data;
  }

  async revoke(id: string): Promise<void> {
    await this.#send("DELETE", `console/sign-ins/${encodeURIComponent(id)}`);
  }

  /** What runs on the installation. For the operator. */
  async operator(): Promise<OperatorOverview> {
    return overviewSchema.parse(await this.#send("GET", "console/overview"));
  }

  async findDevice(userCode: string): Promise<AskingDevice> {
    return deviceSchema.parse(await this.#send("POST", "console/device/find", { user_code: userCode }));
  }

  async decide(userCode: string, isConfirmed: boolean): Promise<void> {
    await this.#send("POST", "console/device/decide", { user_code: userCode, is_confirmed: isConfirmed });
  }

  #send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    return sendRequest(new URL(path, this.#base), { method, body, headers: attendanceHeaders(), hasCookie: true });
  }
}
