// Signs in to the console of a running service.
import type { Cookie } from "playwright-core";
import type { DrivenService } from "../service/own-service.ts";

/** The session's cookie, as the console's page gets it. */
export async function consoleCookie({
  client,
  apiSecret,
}: Pick<DrivenService, "client" | "apiSecret">): Promise<Cookie> {
  const answer = await fetch(`${client.baseUrl}/console/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: new URL(client.baseUrl).origin },
    body: JSON.stringify({ secret: apiSecret }),
  });
  const [pair] = (answer.headers.get("set-cookie") ?? "").split(";");
  const [name, value] = pair.split("=");
  if (!answer.ok || !value) throw new Error(`signing in to the console answered ${answer.status}`);
  const { hostname } = new URL(client.baseUrl);
  return { name, value, domain: hostname, path: "/", expires: -1, httpOnly: true, secure: false, sameSite: "Strict" };
}
