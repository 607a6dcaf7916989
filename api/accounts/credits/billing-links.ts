// Links in errors about plan or credits.

export interface BillingLinks {
  upgradeUrl: string;
  topupUrl: string;
}

/** The links of an installation. `publicUrl` is its base, without a trailing slash. */
export function billingLinks(publicUrl: string): BillingLinks {
  return { upgradeUrl: `${publicUrl}/account/plan`, topupUrl: `${publicUrl}/account/credits` };
}
