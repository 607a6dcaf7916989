// Descriptions of the fields of providers.
import { PROVIDER_KIND_NAMES, PROVIDER_KINDS } from "../../shared/provider-kinds.ts";
import type { FieldDescriptions } from "../kernel/http/describe-fields.ts";

export const PROVIDER_FIELDS: FieldDescriptions = {
  "providers.replace.entries": "The whole list; an empty one removes all providers",
  entries: "The providers, in the account's order. In a request they replace the list; an empty one removes all",
  platform: "What kind of server it is; openai can be selected",
  "Provider.id": "Id of the provider, unique in the account",
  "Provider.label": "Name for people; empty if none was given",
  "ProviderEntry.label": "Name for people",
  "Provider.credentials": "The base URL, if one was given; secrets are in secrets",
  baseUrl: "Address of the server, without a route",
  "Provider.options": "Models and voices, as they were given",
  secrets: "What is known of each stored secret; never its value",
  present: "Always true",
  hint: "The last characters of the secret; empty for a short one",
  "Provider.metadata": "The caller's own data",
  "ProviderEntry.metadata": "The caller's own data. Replaces what is stored",
  "ProviderChoicesLlm.mode": "default: the service's own server",
  "ProviderChoicesLlm2.mode": "custom: the account's server that provider_id names",
  providers: "The account's own servers",
  ...Object.fromEntries(
    PROVIDER_KIND_NAMES.map((kind) => [`ProviderSelection.${kind}`, PROVIDER_KINDS[kind].description]),
  ),
  ...Object.fromEntries(
    PROVIDER_KIND_NAMES.map((kind) => [`ProviderChoices.${kind}`, PROVIDER_KINDS[kind].description]),
  ),
  "ProviderChoice.mode": "Always custom: kinds that use the service's own are left out",
  provider_id: "Id of a provider of the account",
};
