// Tables of signing in, as created by migrations 0062 and 0063.
import type { Generated } from "kysely";

/** How a person signed in: with a link of the operator, a pasted API secret, or an OpenID Connect issuer. */
export type SignInMethod = "link" | "secret" | "issuer";

declare module "../../kernel/database/database.ts" {
  interface Tables {
    console_sessions: {
      id: Generated<string>;
      user_id: string;
      cookie_sha256: Buffer;
      /** Stands behind what the session begins. Revoked, it ends the session. */
      secret_id: string;
      method: SignInMethod;
      user_agent: string;
      address: string;
      created_at: Date;
      last_used_at: Date;
    };
    sign_in_links: { link_sha256: Buffer; user_id: string; expires_at: Date };
    issuer_identities: { issuer: string; subject: string; user_id: string; created_at: Date };
    device_codes: {
      device_sha256: Buffer;
      user_code: string;
      host: string;
      address: string;
      created_at: Date;
      expires_at: Date;
      /** Who has decided; null until then. */
      user_id: string | null;
      is_denied: Generated<boolean>;
    };
  }
}
