// The list of migrations, in order. A file under `migrations/` counts once it is named here.
import type { Migration } from "../kernel/database/migration.ts";
import { accountsMigration } from "./0001-accounts.ts";
import { avatarSessionsMigration } from "./0002-avatar-sessions.ts";
import { agentsMigration } from "./0003-agents.ts";
import { limitsMigration } from "./0004-limits.ts";
import { webhooksMigration } from "./0005-webhooks.ts";
import { accountActivityMigration } from "./0006-account-activity.ts";
import { doubleEntryMigration } from "./0007-double-entry.ts";
import { organizationsMigration } from "./0008-organizations.ts";
import { uploadsMigration } from "./0009-uploads.ts";
import { knowledgeBasesMigration } from "./0010-knowledge-bases.ts";
import { agentInputsMigration } from "./0011-agent-inputs.ts";
import { sessionAcceptanceMigration } from "./0013-session-acceptance.ts";
import { bucketTakesMigration } from "./0017-bucket-takes.ts";
import { creditBalancesMigration } from "./0018-credit-balances.ts";
import { agentDraftsMigration } from "./0021-agent-drafts.ts";
import { sessionRoomMigration } from "./0024-session-room.ts";
import { avatarWorkersMigration } from "./0025-avatar-workers.ts";
import { tokenExchangesMigration } from "./0027-token-exchanges.ts";
import { embedSettingsMigration } from "./0028-embed-settings.ts";
import { storedFilesMigration } from "./0029-stored-files.ts";
import { openSegmentsMigration } from "./0030-open-segments.ts";
import { sessionVisitorsMigration } from "./0031-session-visitors.ts";
import { workerRegistrationsMigration } from "./0032-worker-registrations.ts";
import { modelGeneratorsMigration } from "./0033-model-generators.ts";
import { videosMigration } from "./0034-videos.ts";
import { dynamicsMigration } from "./0035-dynamics.ts";
import { videoCanvasesMigration } from "./0036-video-canvases.ts";
import { agentClipsMigration } from "./0037-agent-clips.ts";
import { voiceCharactersMigration } from "./0038-voice-characters.ts";
import { sessionMessagesMigration } from "./0039-session-messages.ts";
import { sessionContextsMigration } from "./0040-session-contexts.ts";
import { agentGreetingsMigration } from "./0041-agent-greetings.ts";
import { conversationStateMigration } from "./0042-conversation-state.ts";
import { rememberedVisitorsMigration } from "./0043-remembered-visitors.ts";
import { providersMigration } from "./0044-providers.ts";
import { realtimeCallsMigration } from "./0045-realtime-calls.ts";
import { realtimeRelaysMigration } from "./0046-realtime-relays.ts";
import { workerRealtimeMigration } from "./0047-worker-realtime.ts";
import { watchedCamerasMigration } from "./0048-watched-cameras.ts";
import { workerGpusMigration } from "./0049-worker-gpus.ts";
import { workerReportNumbersMigration } from "./0050-worker-report-numbers.ts";
import { messageBudgetsMigration } from "./0051-message-budgets.ts";
import { realtimeCallBoundsMigration } from "./0052-realtime-call-bounds.ts";
import { vacantSessionsMigration } from "./0053-vacant-sessions.ts";
import { sweepIndicesMigration } from "./0054-sweep-indices.ts";
import { workerAddressesMigration } from "./0055-worker-addresses.ts";
import { namedAgentsMigration } from "./0056-named-agents.ts";
import { embedLinksMigration } from "./0057-embed-links.ts";
import { localRenderingMigration } from "./0058-local-rendering.ts";
import { agentSharingMigration } from "./0059-agent-sharing.ts";
import { sessionGreetingsMigration } from "./0060-session-greetings.ts";
import { lightSessionsMigration } from "./0061-light-sessions.ts";
import { consoleSessionsMigration } from "./0062-console-sessions.ts";
import { issuerIdentitiesMigration } from "./0063-issuer-identities.ts";
import { videoListsMigration } from "./0064-video-lists.ts";
import { ledgerSecretsMigration } from "./0065-ledger-secrets.ts";
import { consoleChangesMigration } from "./0066-console-changes.ts";
import { workerDetailsMigration } from "./0067-worker-details.ts";
import { secretUsesMigration } from "./0068-secret-uses.ts";
import { sessionListsMigration } from "./0069-session-lists.ts";
import { expressionsMigration } from "./0070-expressions.ts";
import { listeningMigration } from "./0071-listening.ts";

export const MIGRATIONS: readonly Migration[] = Object.freeze([
  accountsMigration,
  avatarSessionsMigration,
  agentsMigration,
  limitsMigration,
  webhooksMigration,
  accountActivityMigration,
  doubleEntryMigration,
  organizationsMigration,
  uploadsMigration,
  knowledgeBasesMigration,
  agentInputsMigration,
  sessionAcceptanceMigration,
  bucketTakesMigration,
  creditBalancesMigration,
  agentDraftsMigration,
  sessionRoomMigration,
  avatarWorkersMigration,
  tokenExchangesMigration,
  embedSettingsMigration,
  storedFilesMigration,
  openSegmentsMigration,
  sessionVisitorsMigration,
  workerRegistrationsMigration,
  modelGeneratorsMigration,
  videosMigration,
  dynamicsMigration,
  videoCanvasesMigration,
  agentClipsMigration,
  voiceCharactersMigration,
  sessionMessagesMigration,
  sessionContextsMigration,
  agentGreetingsMigration,
  conversationStateMigration,
  rememberedVisitorsMigration,
  providersMigration,
  realtimeCallsMigration,
  realtimeRelaysMigration,
  workerRealtimeMigration,
  watchedCamerasMigration,
  workerGpusMigration,
  workerReportNumbersMigration,
  messageBudgetsMigration,
  realtimeCallBoundsMigration,
  vacantSessionsMigration,
  sweepIndicesMigration,
  workerAddressesMigration,
  namedAgentsMigration,
  embedLinksMigration,
  localRenderingMigration,
  agentSharingMigration,
  sessionGreetingsMigration,
  lightSessionsMigration,
  consoleSessionsMigration,
  issuerIdentitiesMigration,
  videoListsMigration,
  ledgerSecretsMigration,
  consoleChangesMigration,
  workerDetailsMigration,
  secretUsesMigration,
  sessionListsMigration,
  expressionsMigration,
  listeningMigration,
]);
