// Which providers an agent uses: chosen by kind, from its account's list. What is not chosen is the service's own.
import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import { byProviderKind, PROVIDER_KIND_NAMES, type ProviderKind } from "../../shared/provider-kinds.ts";
import type { JobProviders } from "../../shared/runtime-api.ts";
import type { Queryable } from "../kernel/database/database.ts";
import { type Provider, RUNNABLE_PLATFORM } from "./provider.ts";
import type { ProviderServices } from "./provider-services.ts";
import { isRunnable, settingsOf } from "./provider-settings.ts";
import { findProviders } from "./provider-store.ts";

/** Ids of providers by kind. */
export type ProviderSelection = Partial<Record<ProviderKind, string>>;

/** A change of a selection. Null: the service's own again. Absent kinds stay. */
export type SelectionChange = Partial<Record<ProviderKind, string | null>>;

/** As callers write a change. */
const choiceSchema = z.union([
  z.literal("default"),
  z.object({ mode: z.literal("default") }),
  z.object({ mode: z.literal("custom"), provider_id: z.string().min(1).max(200) }),
]);
export const selectionChangeSchema = z
  .object(byProviderKind(() => choiceSchema.nullish()))
  .meta({ id: "ProviderChoices" });

const shownChoiceSchema = z
  .object({
    mode: z.literal("custom"),
    provider_id: z.string(),
    available: z.boolean().meta({
      description:
        "Whether sessions can use it. false: it was removed from the list, or its platform cannot be run, and the service's own is used",
    }),
  })
  .meta({ id: "ProviderChoice" });
/** Only the kinds that were chosen. */
export const shownSelectionSchema = z
  .object(byProviderKind(() => shownChoiceSchema))
  .partial()
  .meta({ id: "ProviderSelection" });

/** A change as its caller wrote it; null if it changes nothing. */
export function selectionChangeOf(
  given: z.infer<typeof selectionChangeSchema> | null | undefined,
): SelectionChange | null {
  const change: SelectionChange = {};
  for (const kind of PROVIDER_KIND_NAMES) {
    const choice = given?.[kind];
    if (choice) change[kind] = typeof choice === "object" && choice.mode === "custom" ? choice.provider_id : null;
  }
  return Object.keys(change).length > 0 ? change : null;
}

/** Throws VALIDATION_ERROR if the account has no such provider, or one of a platform that cannot be run. */
export async function assertSelectable(database: Queryable, userId: string, change: SelectionChange): Promise<void> {
  const providers = await findSelected(database, userId, change);
  for (const kind of PROVIDER_KIND_NAMES) {
    const id = change[kind];
    if (id === undefined || id === null) continue;
    const provider = providers.get(id);
    if (!provider) {
      throw new ServiceError("VALIDATION_ERROR", `providers.${kind}: no provider has the id "${id}"`);
    }
    if (!isRunnable(provider)) {
      throw new ServiceError(
        "VALIDATION_ERROR",
        `providers.${kind}: the platform "${provider.platform}" of "${id}" cannot be run; "${RUNNABLE_PLATFORM}" can`,
      );
    }
  }
}

/** A selection as callers see it; undefined if nothing is chosen. */
export async function viewSelection(
  database: Queryable,
  userId: string,
  selection: ProviderSelection,
): Promise<z.infer<typeof shownSelectionSchema> | undefined> {
  const chosen = chosenKinds(selection);
  if (chosen.length === 0) return undefined;
  const providers = await findSelected(database, userId, selection);
  const shown = chosen.map(([kind, id]) => {
    const provider = providers.get(id);
    return [kind, { mode: "custom", provider_id: id, available: provider !== undefined && isRunnable(provider) }];
  });
  return Object.fromEntries(shown);
}

/** What a session of an agent gets; null if nothing is chosen. A provider that is missing by now, or cannot be run, is
 *  left out and logged: the service's own part is used. */
export async function describeSelection(
  { database, seal, logger }: Pick<ProviderServices, "database" | "seal" | "logger">,
  { code, userId, providers: selection }: { code: string; userId: string; providers: ProviderSelection },
): Promise<JobProviders | null> {
  const chosen = chosenKinds(selection);
  if (chosen.length === 0) return null;
  const providers = await findSelected(database, userId, selection);
  const described: JobProviders = {};
  for (const [kind, providerId] of chosen) {
    const provider = providers.get(providerId);
    if (provider && isRunnable(provider)) described[kind] = settingsOf(provider, kind, seal);
    else logger.warn({ agentCode: code, kind, providerId }, "selected provider not available, own part used");
  }
  return described;
}

function chosenKinds(selection: ProviderSelection): [ProviderKind, string][] {
  return PROVIDER_KIND_NAMES.flatMap((kind) => {
    const id = selection[kind];
    return id === undefined ? [] : [[kind, id] as [ProviderKind, string]];
  });
}

async function findSelected(
  database: Queryable,
  userId: string,
  selection: SelectionChange,
): Promise<Map<string, Provider>> {
  const ids = Object.values(selection).filter((id) => id !== null);
  const providers = await findProviders(database, userId, [...new Set(ids)]);
  return new Map(providers.map((provider) => [provider.id, provider]));
}
