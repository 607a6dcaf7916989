// The calls about secrets: of the person, or of the organization for which they act.
import { useMemo } from "react";
import type { ApiSecret } from "../../../../sdk/client/index.ts";
import { useConsole } from "../../data/console-context.ts";

export interface ListedSecret extends ApiSecret {
  /** The account that issued it, of an organization's secret. */
  user_id?: string;
}

export interface NewSecret {
  alias: string;
  /** The only time that the service tells it. */
  value: string;
  hasResumedRuntime: boolean;
}

export interface SecretChoices {
  /** Empty for a random name. */
  alias: string;
  /** Of a personal secret only. */
  keepsRuntimeSuspended: boolean;
}

export interface Secrets {
  /** Where the calls lead. */
  path: string;
  list(): Promise<ListedSecret[]>;
  make(choices: SecretChoices): Promise<NewSecret>;
  revoke(alias: string): Promise<unknown>;
}

/** Its calls reject with AvatarError. */
export function useSecrets(): Secrets {
  const { client, person, organizationId } = useConsole();
  const userId = person.user_id;
  return useMemo(() => {
    if (organizationId !== null) {
      return {
        path: `/v2/organizations/${organizationId}/api-secrets`,
        list: async () => (await client.organizationSecrets.list(organizationId)).items,
        make: async ({ alias }) => {
          const made = await client.organizationSecrets.create(organizationId, { alias: alias || null });
          return { alias: made.alias, value: made.secret, hasResumedRuntime: false };
        },
        revoke: (alias) => client.organizationSecrets.revoke(organizationId, alias),
      };
    }
    return {
      path: `/v2/${userId}/api-secrets`,
      list: async () => (await client.secrets.list(userId)).items,
      make: async ({ alias, keepsRuntimeSuspended }) => {
        const body = { alias: alias || null, keep_runtime_suspended: keepsRuntimeSuspended };
        const made = await client.secrets.create(userId, body);
        return { alias: made.alias, value: made.secret, hasResumedRuntime: made.runtime_resumed ?? false };
      },
      revoke: (alias) => client.secrets.revoke(userId, alias),
    };
  }, [client, userId, organizationId]);
}
