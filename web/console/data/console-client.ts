// What the console asks of the service. The browser adds the cookie to these requests.
import { sendRequest } from "../../shared/send-request.ts";
import { attendanceHeaders } from "./attendance.ts";
import { type ConsoleAccess, toConsoleAccess } from "./console-access.ts";
import type { AskingDevice, ListedSession } from "./console-schemas.ts";
import type { OperatorOverview } from "./operator-overview.ts";

/** Loaded with the first answer that they read. */
const schemas = () => import("./console-schemas.ts");

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
    return toConsoleAccess(await this.#send("GET", "console/session"));
  }

  async signIn(proof: Proof): Promise<void> {
    await this.#send("POST", "console/session", proof);
  }

  async signOut(): Promise<void> {
    await this.#send("DELETE", "console/session");
  }

  /** Where to sign in at the issuer. */
  async issuerUrl(): Promise<string> {
    const answer = await this.#send("POST", "console/issuer", {});
    return (await schemas()).issuerSchema.parse(answer).url;
  }

  async sessions(): Promise<ListedSession[]> {
    const answer = await this.#send("GET", "console/sign-ins");
    return (await schemas()).sessionsSchema.parse(answer).data;
  }

  async revoke(id: string): Promise<void> {
    await this.#send("DELETE", `console/sign-ins/${encodeURIComponent(id)}`);
  }

  /** What runs on the installation. For the operator. */
  async operator(): Promise<OperatorOverview> {
    const answer = await this.#send("GET", "console/overview");
    return (await import("./operator-overview.ts")).overviewSchema.parse(answer);
  }

  async findDevice(userCode: string): Promise<AskingDevice> {
    const answer = await this.#send("POST", "console/device/find", { user_code: userCode });
    return (await schemas()).deviceSchema.parse(answer);
  }

  async decide(userCode: string, isConfirmed: boolean): Promise<void> {
    await this.#send("POST", "console/device/decide", { user_code: userCode, is_confirmed: isConfirmed });
  }

  #send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    return sendRequest(new URL(path, this.#base), { method, body, headers: attendanceHeaders(), hasCookie: true });
  }
}
