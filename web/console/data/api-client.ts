// The client of the REST API, opened by the session's cookie.
import { Client } from "../../../sdk/client/index.ts";
import { attendanceHeaders } from "./attendance.ts";

const API_PATH = "console/api";

export interface ApiClientOptions {
  /** Address of the start page. */
  root: URL;
  /** The organization for which the person acts; null for none. */
  organizationId: string | null;
}

/** Every call goes to `/console/api`, where the browser's cookie counts. Calls reject with AvatarError. */
export function createApiClient({ root, organizationId }: ApiClientOptions): Client {
  return new Client({
    baseUrl: new URL(API_PATH, root).href,
    apiSecret: null,
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      for (const [name, value] of Object.entries(attendanceHeaders())) headers.set(name, value);
      return fetch(input, { ...init, headers, credentials: "same-origin", referrerPolicy: "no-referrer" });
    },
    ...(organizationId !== null && { headers: { "x-service-organization": organizationId } }),
  });
}
