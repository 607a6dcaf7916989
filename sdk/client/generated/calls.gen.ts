// Generated from api/openapi.json by `npm run openapi`. Do not edit.
import type { Call, CallOptions, ItemList, WithFiles } from "../call-types.ts";
import type {
  AccountProfile,
  Agent,
  AgentRoom,
  AgentSharing,
  AgentSharingReplaceData,
  AgentSummary,
  AgentsAddContextData,
  AgentsDeleteResponse,
  AgentsGenerateData,
  AgentsGenerateResponse,
  AgentsListData,
  AgentsListResponse,
  AgentsListRoomsResponse,
  AgentsSpeakData,
  AgentsUpdateData,
  AgentsUpdateResponse,
  ApiSecret,
  ChangedSessionWebhook,
  ClientModel,
  ConversationMessage,
  ConversationTurn,
  CreditMovement,
  CreditSummary,
  Deleted,
  DeliveryReceipt,
  DeviceCodesCreateData,
  DeviceCodesCreateResponse,
  DeviceCodesRedeemData,
  DeviceCodesRedeemResponse,
  Dynamics,
  DynamicsGenerateData,
  DynamicsGenerateResponse,
  DynamicsUpdateData,
  DynamicsUpdateResponse,
  EmbedLink,
  EmbedLinksCreateData,
  EmbedLinksListData,
  EmbedLinksListResponse,
  EmbedSettingsOutput,
  EmbedSettingsReplaceData,
  EmbedToken,
  EmbedTokensCreateData,
  FaceMarking,
  FaceMarksReplaceData,
  FaceMarksReplaceResponse,
  FilesDownloadData,
  FilesListData,
  FilesListResponse,
  FilesUploadData,
  GroupedUsage,
  KnowledgeBase,
  KnowledgeBaseDetail,
  KnowledgeBasesCreateData,
  KnowledgeBasesCreateResponse,
  KnowledgeBasesListResponse,
  KnowledgeBasesRebuildResponse,
  KnowledgeBasesSearchData,
  KnowledgeBasesSearchResponse,
  KnowledgeBasesUpdateData,
  KnowledgeFile,
  KnowledgeFilesCreateData,
  KnowledgeFilesListData,
  KnowledgeFilesListResponse,
  LedgerListData,
  LedgerListResponse,
  MemberUsage,
  MembersAcceptInviteData,
  MembersAcceptInviteResponse,
  MembersInviteData,
  MembersListResponse,
  MembersResendInviteResponse,
  MembersUpdateData,
  ModelDownload,
  ModelsAddData,
  ModelsAddResponse,
  ModelsDownloadData,
  ModelsListResponse,
  NewWebhook,
  Organization,
  OrganizationEvent,
  OrganizationMember,
  OrganizationSecret,
  OrganizationSecretsCreateData,
  OrganizationSecretsCreateResponse,
  OrganizationSecretsListResponse,
  OrganizationsCreateData,
  OrganizationsDeleteResponse,
  OrganizationsListEventsData,
  OrganizationsListEventsResponse,
  OrganizationsListOwnResponse,
  OrganizationsListUsageResponse,
  OrganizationsTransferData,
  OrganizationsUpdateData,
  OwnOrganization,
  Pricing,
  Provider,
  ProviderList,
  ProvidersReplaceData,
  Readiness,
  RealtimeConnectData,
  ReportedSession,
  RuntimeRevocation,
  RuntimeSession,
  RuntimeTokensMintData,
  RuntimeTokensMintResponse,
  RuntimeTokensRequestData,
  RuntimeTokensRequestResponse,
  SampleModel,
  SamplesDownloadData,
  SamplesListResponse,
  SecretsCreateData,
  SecretsCreateResponse,
  SecretsListResponse,
  SecretsRevokeResponse,
  SecretsValidateResponse,
  SessionTermination,
  SessionWebhook,
  SessionWebhookListDeliveriesData,
  SessionWebhookReplaceData,
  SessionsEndResponse,
  SessionsLaunchData,
  SessionsLaunchResponse,
  SessionsListData,
  SessionsListMessagesResponse,
  SessionsListResponse,
  SessionsListTurnsData,
  SessionsListTurnsResponse,
  SessionsRevokeAllData,
  SessionsTerminateData,
  SpeechCreateData,
  SpeechSynthesizeData,
  StoredFile,
  StudioAxesResponse,
  StudioPreviewData,
  TalkingVideo,
  TranscriptionsCreateData,
  UploadedFile,
  UsageGroupData,
  UsageListData,
  UsageListResponse,
  UsageRow,
  VideosGenerateData,
  VideosGenerateResponse,
  VideosGetResponse,
  VideosListData,
  VideosListResponse,
  Voice,
  VoiceAxis,
  VoicesListResponse,
  Webhook,
  WebhookDelivery,
  WebhookTestOutcome,
  WebhooksCreateData,
  WebhooksListDeliveriesResponse,
  WebhooksListResponse,
  WebhooksUpdateData,
} from "./types.gen.ts";

export interface AccountsCalls {
  /** Get the account of the API secret */
  me(options?: CallOptions): Call<AccountProfile>;
}

export interface AgentSharingCalls {
  /** Get how an agent is shared with the public */
  get(code: string, options?: CallOptions): Call<AgentSharing>;
  /** Share an agent with the public, or stop it. Visitors of a public agent need no embed token. Its owner pays for
   *  their sessions. Once an agent is no longer public, new visits are refused, and running sessions of its
   *  visitors end. Fields that are absent get their defaults. */
  replace(code: string, body: NonNullable<AgentSharingReplaceData["body"]>, options?: CallOptions): Call<AgentSharing>;
}

export interface AgentsCalls {
  /** Get an agent */
  get(code: string, options?: CallOptions): Call<Agent>;
  /** Change an agent's name, system prompt, greeting, voice, knowledge bases, providers, local rendering, emotion
   *  or manner */
  update(code: string, body?: NonNullable<AgentsUpdateData["body"]>, options?: CallOptions): Call<AgentsUpdateResponse>;
  /** Delete an agent permanently */
  delete(code: string, options?: CallOptions): Call<AgentsDeleteResponse>;
  /** Add silent context to an agent's live rooms, or make it speak there. Silent context reaches avatars that hold
   *  a conversation: those of embed pages and widgets. An avatar in a caller's own room speaks what the caller's
   *  agent says and keeps no context, so its room is in rooms_skipped, although it is deliverable to speak. If no
   *  other room is reached, the answer is 404. */
  addContext(code: string, body: NonNullable<AgentsAddContextData["body"]>, options?: CallOptions): Call<DeliveryReceipt>;
  /** List an agent's live rooms */
  listRooms(code: string, options?: CallOptions): ItemList<AgentRoom, AgentsListRoomsResponse>;
  /** Make an agent speak a text in its live rooms */
  speak(code: string, body: NonNullable<AgentsSpeakData["body"]>, options?: CallOptions): Call<DeliveryReceipt>;
  /** Create an agent from a prompt and an optional portrait, or regenerate one */
  create(body?: NonNullable<AgentsGenerateData["body"]>, options?: CallOptions): Call<AgentsGenerateResponse>;
  /** Get the progress of an agent's creation */
  status(agentId: string, options?: CallOptions): Call<Agent>;
  /** List the account's agents, newest first, including deleted ones */
  list(query?: AgentsListData["query"], options?: CallOptions): ItemList<AgentSummary, AgentsListResponse>;
}

export interface CreditsCalls {
  /** Get the account's credits and the minutes that they pay for */
  summarize(options?: CallOptions): Call<CreditSummary>;
}

export interface DeviceCodesCalls {
  /** Begin the sign-in of a program on a computer, which a person then confirms in the console. As RFC 8628
   *  describes it: show user_code and verification_uri, then ask POST /v1/cli/token every interval seconds. */
  create(body?: NonNullable<DeviceCodesCreateData["body"]>, options?: CallOptions): Call<DeviceCodesCreateResponse>;
  /** Ask whether a sign-in was confirmed; then, once, the API secret of the computer. While the person has not
   *  decided, the answer is 200 with the status pending. An unknown, used or expired code gets 400, a denied one
   *  403. */
  redeem(body: NonNullable<DeviceCodesRedeemData["body"]>, options?: CallOptions): Call<DeviceCodesRedeemResponse>;
}

export interface DynamicsCalls {
  /** Get an agent's gestures: their state, and a link to the clip of each */
  get(agentId: string, options?: CallOptions): Call<Dynamics>;
  /** Change an agent's gesture configuration, and make its gestures anew */
  update(agentId: string, body: NonNullable<DynamicsUpdateData["body"]>, options?: CallOptions): Call<DynamicsUpdateResponse>;
  /** Make gestures for an agent: in its model files, and a clip of each. Every agent with a generated model gets
   *  gestures, also one with expression-1 alone. Without any, the answer is 409 MODEL_NOT_GENERATED. */
  create(body: NonNullable<DynamicsGenerateData["body"]>, options?: CallOptions): Call<DynamicsGenerateResponse>;
}

export interface EmbedLinksCalls {
  /** Make a short link to an agent's embed page. Each visit gets a shared embed token of its own: it names no
   *  visitor, and each browser tab has its own conversation. The link ends when it expires or is deleted, and with
   *  its API secret and its agent. */
  create(body: NonNullable<EmbedLinksCreateData["body"]>, options?: CallOptions): Call<EmbedLink>;
  /** List the account's short links that work, newest first */
  list(query?: EmbedLinksListData["query"], options?: CallOptions): ItemList<EmbedLink, EmbedLinksListResponse>;
  /** Withdraw a short link; visitors who are there stay until their token expires */
  delete(code: string, options?: CallOptions): Call<Deleted>;
}

export interface EmbedSettingsCalls {
  /** Get the sites that may show the account's embed pages in a frame */
  get(userId: string, options?: CallOptions): Call<EmbedSettingsOutput>;
  /** Set the sites that may show the account's embed pages in a frame */
  replace(userId: string, body: NonNullable<EmbedSettingsReplaceData["body"]>, options?: CallOptions): Call<EmbedSettingsOutput>;
}

export interface EmbedTokensCalls {
  /** Mint a one-hour token for one visitor of an embed page, or one that its visitors share. The page's address may
   *  name another model (?model=), unless the token names one. A model that the agent lacks is refused with 409
   *  MODEL_NOT_GENERATED before there is a room, one that costs more than the agent's own with 403 FORBIDDEN, and
   *  the page says so; an unknown name is ignored. avatar_error is set only by an avatar that leaves a live room. */
  create(body: NonNullable<EmbedTokensCreateData["body"]>, options?: CallOptions): Call<EmbedToken>;
}

export interface FaceMarksCalls {
  /** Get an agent's portrait and face marks */
  get(code: string, options?: CallOptions): Call<FaceMarking>;
  /** Set the face marks of an agent with the current_step awaiting_face_marking; its creation continues */
  replace(code: string, body: NonNullable<FaceMarksReplaceData["body"]>, options?: CallOptions): Call<FaceMarksReplaceResponse>;
}

export interface FilesCalls {
  /** Fetch a stored file by its signed link */
  download(kind: string, name: string, query?: FilesDownloadData["query"], options?: CallOptions): Call<Response>;
  /** List the account's uploads, newest first */
  list(query?: FilesListData["query"], options?: CallOptions): ItemList<StoredFile, FilesListResponse>;
  /** Delete an upload; its link stops working at once */
  delete(fileId: string, options?: CallOptions): Call<Deleted>;
  /** Upload a file as an asset: by URL, in base64, or as a form */
  upload(body?: WithFiles<NonNullable<FilesUploadData["body"]>>, options?: CallOptions): Call<UploadedFile>;
}

export interface KnowledgeBasesCalls {
  /** Create a knowledge base from source files and build it */
  create(body: NonNullable<KnowledgeBasesCreateData["body"]>, options?: CallOptions): Call<KnowledgeBasesCreateResponse>;
  /** List the organization's knowledge bases, newest first */
  list(options?: CallOptions): ItemList<KnowledgeBase, KnowledgeBasesListResponse>;
  /** Get a knowledge base with its source files, and the caller's agents that use it */
  get(kbId: string, options?: CallOptions): Call<KnowledgeBaseDetail>;
  /** Change a knowledge base's name, description or source files. Other files need a build */
  update(kbId: string, body?: NonNullable<KnowledgeBasesUpdateData["body"]>, options?: CallOptions): Call<KnowledgeBaseDetail>;
  /** Delete a knowledge base. Agents stop using it; its source files stay */
  delete(kbId: string, options?: CallOptions): Call<Deleted>;
  /** Build a knowledge base again */
  rebuild(kbId: string, options?: CallOptions): Call<KnowledgeBasesRebuildResponse>;
  /** Search a knowledge base for passages that answer a question, best first */
  search(kbId: string, body: NonNullable<KnowledgeBasesSearchData["body"]>, options?: CallOptions): Call<KnowledgeBasesSearchResponse>;
}

export interface KnowledgeFilesCalls {
  /** Add a source file: as a form, in base64, or by URL */
  create(body?: WithFiles<NonNullable<KnowledgeFilesCreateData["body"]>>, options?: CallOptions): Call<KnowledgeFile>;
  /** List the organization's source files, newest first */
  list(query?: KnowledgeFilesListData["query"], options?: CallOptions): ItemList<KnowledgeFile, KnowledgeFilesListResponse>;
  /** Delete a source file. Searches no longer find it; the knowledge bases that hold it are built again */
  delete(fileId: string, options?: CallOptions): Call<Deleted>;
}

export interface LedgerCalls {
  /** List every change of the account's balance, the last one first. The changes add up to the booked balance: that
   *  of the last one is the balance without running work. */
  list(query?: LedgerListData["query"], options?: CallOptions): ItemList<CreditMovement, LedgerListResponse>;
}

export interface MembersCalls {
  /** List the members and open invitations of the organization */
  list(orgId: string, options?: CallOptions): ItemList<OrganizationMember, MembersListResponse>;
  /** Change a member's role; owner and admins only */
  update(orgId: string, memberId: string, body: NonNullable<MembersUpdateData["body"]>, options?: CallOptions): Call<OrganizationMember>;
  /** Remove a member, withdraw an invitation, or leave; revokes the secrets that the member issued */
  remove(orgId: string, memberId: string, options?: CallOptions): Call<OrganizationsDeleteResponse>;
  /** Renew an open invitation: new token, valid for seven days; owner and admins only */
  resendInvite(orgId: string, memberId: string, options?: CallOptions): Call<MembersResendInviteResponse>;
  /** Invite an e-mail address; the caller must send the token to the person. Owner and admins only */
  invite(orgId: string, body: NonNullable<MembersInviteData["body"]>, options?: CallOptions): Call<MembersResendInviteResponse>;
  /** Join an organization with the token of an invitation to the account's e-mail address */
  acceptInvite(body: NonNullable<MembersAcceptInviteData["body"]>, options?: CallOptions): Call<MembersAcceptInviteResponse>;
}

export interface ModelsCalls {
  /** Redirect to the file of an agent's model, or return its URL as JSON */
  download(code: string, query?: ModelsDownloadData["query"], options?: CallOptions): Call<ModelDownload>;
  /** Add a model to an agent; a repeated request charges nothing. No model needs the identity video (video_url),
   *  and an agent without a voice gets one. So MODEL_PREREQUISITE_MISSING is answered only to an agent without a
   *  face image. */
  add(code: string, body?: NonNullable<ModelsAddData["body"]>, options?: CallOptions): Call<ModelsAddResponse>;
  /** Download the essence-2 file of an agent without a redirect. The API secret is accepted as Bearer here, too: a
   *  container has no other header to send it in. */
  downloadSelfHosted(code: string, options?: CallOptions): Call<Response>;
  /** List the names of models that /v1/audio/* and /v1/realtime accept, for OpenAI clients */
  list(options?: CallOptions): ItemList<ClientModel, ModelsListResponse>;
  /** Get one of these names */
  get(model: string, options?: CallOptions): Call<ClientModel>;
}

export interface OrganizationSecretsCalls {
  /** Issue an API secret of the organization; it acts for the caller, who pays; only this answer contains its value */
  create(orgId: string, body?: NonNullable<OrganizationSecretsCreateData["body"]>, options?: CallOptions): Call<OrganizationSecretsCreateResponse>;
  /** List the organization's API secrets in use, without their values */
  list(orgId: string, options?: CallOptions): ItemList<OrganizationSecret, OrganizationSecretsListResponse>;
  /** Revoke an API secret of the organization; members may revoke only their own */
  revoke(orgId: string, alias: string, options?: CallOptions): Call<SecretsRevokeResponse>;
}

export interface OrganizationsCalls {
  /** Create an organization; needs the Pro plan or higher */
  create(body: NonNullable<OrganizationsCreateData["body"]>, options?: CallOptions): Call<Organization>;
  /** Get an organization of the account */
  get(orgId: string, options?: CallOptions): Call<Organization>;
  /** Rename an organization; owner and admins only */
  update(orgId: string, body?: NonNullable<OrganizationsUpdateData["body"]>, options?: CallOptions): Call<Organization>;
  /** Delete an organization and revoke its secrets; owner only */
  delete(orgId: string, options?: CallOptions): Call<OrganizationsDeleteResponse>;
  /** List the audit log, newest first; owner and admins only */
  listEvents(orgId: string, query?: OrganizationsListEventsData["query"], options?: CallOptions): ItemList<OrganizationEvent, OrganizationsListEventsResponse>;
  /** Transfer an organization to another member, who needs the Pro plan or higher; owner only */
  transfer(orgId: string, body: NonNullable<OrganizationsTransferData["body"]>, options?: CallOptions): Call<Organization>;
  /** List the credits that each member has spent since joining; owner and admins only */
  listUsage(orgId: string, options?: CallOptions): ItemList<MemberUsage, OrganizationsListUsageResponse>;
  /** List the organizations of the account */
  listOwn(userId: string, options?: CallOptions): ItemList<OwnOrganization, OrganizationsListOwnResponse>;
}

export interface PricingCalls {
  /** Get the prices of agents and sessions */
  get(options?: CallOptions): Call<Pricing>;
}

export interface ProvidersCalls {
  /** List the account's own model, recognition and voice servers, without their secrets */
  list(userId: string, options?: CallOptions): ItemList<Provider, ProviderList>;
  /** Replace the list of the account's own servers; entries with a known id keep what is not sent */
  replace(userId: string, body: NonNullable<ProvidersReplaceData["body"]>, options?: CallOptions): Call<ProviderList>;
}

export interface RealtimeCalls {
  /** Open a realtime call over WebRTC with an SDP offer, or hang one up. An offer is answered with 201, the SDP
   *  answer, and X-Service-Call, which names the call. A hangup is answered with 200 and JSON. A closed peer
   *  without a hangup ends its call after 8 to 10 seconds. The same calls over a WebSocket: GET
   *  /v1/realtime?model=…. */
  connect(body?: NonNullable<RealtimeConnectData["body"]>, query?: RealtimeConnectData["query"], options?: CallOptions): Call<Response>;
}

export interface RuntimeTokensCalls {
  /** Mint a one-hour token: to start one agent's avatar in one room, or to download its model */
  mint(body: NonNullable<RuntimeTokensMintData["body"]>, options?: CallOptions): Call<RuntimeTokensMintResponse>;
  /** Exchange the secret for a runtime token, or (with mode or livekit_token) start an avatar in a room */
  request(body?: WithFiles<NonNullable<RuntimeTokensRequestData["body"]>>, options?: CallOptions): Call<RuntimeTokensRequestResponse>;
}

export interface SamplesCalls {
  /** Redirect to the file of a sample avatar, or return its URL as JSON */
  download(slug: string, query?: SamplesDownloadData["query"], options?: CallOptions): Call<ModelDownload>;
  /** List sample avatars, which need no account. Those that can be downloaded now. After the first start, and after
   *  an upgrade, all are made within minutes; if there is none yet, this makes the first. */
  list(options?: CallOptions): ItemList<SampleModel, SamplesListResponse>;
}

export interface SecretsCalls {
  /** Check whether an API secret is valid */
  validate(options?: CallOptions): Call<SecretsValidateResponse>;
  /** Issue an API secret; only this answer contains its value */
  create(userId: string, body?: NonNullable<SecretsCreateData["body"]>, options?: CallOptions): Call<SecretsCreateResponse>;
  /** List the account's API secrets in use, without their values */
  list(userId: string, options?: CallOptions): ItemList<ApiSecret, SecretsListResponse>;
  /** Revoke an API secret; takes effect at once and cannot be undone */
  revoke(userId: string, alias: string, options?: CallOptions): Call<SecretsRevokeResponse>;
  /** Always refused: a stored value cannot be read with an API secret */
  reveal(userId: string, alias: string, options?: CallOptions): Call<void>;
}

export interface SessionWebhookCalls {
  /** Get the account's webhook for events in rooms */
  get(userId: string, options?: CallOptions): Call<SessionWebhook>;
  /** Set the webhook for events in rooms; only the answer that creates a secret contains it */
  replace(userId: string, body?: NonNullable<SessionWebhookReplaceData["body"]>, options?: CallOptions): Call<ChangedSessionWebhook>;
  /** List the session webhook's recent deliveries with all attempts, newest first */
  listDeliveries(userId: string, query?: SessionWebhookListDeliveriesData["query"], options?: CallOptions): ItemList<WebhookDelivery, WebhooksListDeliveriesResponse>;
  /** Send a test event now, once, and return its outcome */
  test(userId: string, options?: CallOptions): Call<WebhookTestOutcome>;
}

export interface SessionsCalls {
  /** Start an avatar in a room */
  launch(body?: WithFiles<NonNullable<SessionsLaunchData["body"]>>, options?: CallOptions): Call<SessionsLaunchResponse>;
  /** Get an avatar session */
  get(sessionId: string, options?: CallOptions): Call<RuntimeSession>;
  /** End an avatar session and free its slot at once; repeatable */
  end(sessionId: string, options?: CallOptions): Call<SessionsEndResponse>;
  /** Get a still of an avatar session's face, as it is now. A JPEG of at most 320 px and 11 kB, at most a second
   *  old. The session renders one frame for it, also while its video is not taken, and its room sees nothing of it.
   *  Sessions on the caller's own hardware have none. */
  still(sessionId: string, options?: CallOptions): Call<Response>;
  /** List the account's avatar sessions and their costs, newest first */
  list(userId: string, query?: SessionsListData["query"], options?: CallOptions): ItemList<ReportedSession, SessionsListResponse>;
  /** Get the transcript of a conversation; empty for other avatar sessions */
  listMessages(userId: string, sessionId: string, options?: CallOptions): ItemList<ConversationMessage, SessionsListMessagesResponse>;
  /** End an avatar session and free its slot at once; repeatable */
  terminate(userId: string, sessionId: string, body?: NonNullable<SessionsTerminateData["body"]>, options?: CallOptions): Call<SessionTermination>;
  /** Get the last turns of a live conversation: their latencies, and what the language model was told. At most the
   *  last 20 turns, oldest first, as many as one answer of 14 kB holds; ask again with the last number. They are in
   *  the memory of the session's process alone: a session that has ended has none, and a process that takes over
   *  counts from 1 again. Sessions on the caller's own hardware have none here. */
  listTurns(userId: string, sessionId: string, query?: SessionsListTurnsData["query"], options?: CallOptions): ItemList<ConversationTurn, SessionsListTurnsResponse>;
  /** End every avatar session and refuse new ones until an API secret is issued */
  revokeAll(userId: string, body?: NonNullable<SessionsRevokeAllData["body"]>, options?: CallOptions): Call<RuntimeRevocation>;
}

export interface SpeechCalls {
  /** Speak a text, for OpenAI clients; costs no credits */
  create(body: NonNullable<SpeechCreateData["body"]>, options?: CallOptions): Call<Response>;
  /** Speak a text; costs no credits */
  synthesize(body: NonNullable<SpeechSynthesizeData["body"]>, options?: CallOptions): Call<Response>;
}

export interface StudioCalls {
  /** Get the axes along which a voice can be changed */
  axes(options?: CallOptions): ItemList<VoiceAxis, StudioAxesResponse>;
  /** Hear a designed voice; stores nothing. Its code is in the header X-Voice-Code */
  preview(body: NonNullable<StudioPreviewData["body"]>, options?: CallOptions): Call<Response>;
}

export interface SystemCalls {
  /** Get whether avatar sessions can be started, by model family; the status is always 200 */
  readiness(options?: CallOptions): Call<Readiness>;
}

export interface TranscriptionsCalls {
  /** Write down what a recording says, for OpenAI clients; costs no credits */
  create(body: WithFiles<NonNullable<TranscriptionsCreateData["body"]>>, options?: CallOptions): Call<Response>;
}

export interface UsageCalls {
  /** List the usage of the account's credits, newest first */
  list(query?: UsageListData["query"], options?: CallOptions): ItemList<UsageRow, UsageListResponse>;
  /** Sum the account's usage by day, agent, API secret or pricing code. The sums of all groups are those of the
   *  ledger's charges and refunds in the span. */
  group(query?: UsageGroupData["query"], options?: CallOptions): Call<GroupedUsage>;
}

export interface VideosCalls {
  /** Get a talking video's state, and its link once it is completed */
  get(jobId: string, options?: CallOptions): Call<VideosGetResponse>;
  /** Delete a talking video. Its link stops working; one that is being made ends with a full refund */
  delete(jobId: string, options?: CallOptions): Call<Deleted>;
  /** Make a talking video of an agent from a text or a recording */
  create(body: WithFiles<NonNullable<VideosGenerateData["body"]>>, options?: CallOptions): Call<VideosGenerateResponse>;
  /** List the account's talking videos, newest first, without those that went with their agents */
  list(query?: VideosListData["query"], options?: CallOptions): ItemList<TalkingVideo, VideosListResponse>;
}

export interface VoicesCalls {
  /** List the voices: the built-in ones, the designed ones of the account's agents, and those that the operator has
   *  fetched */
  list(options?: CallOptions): ItemList<Voice, VoicesListResponse>;
  /** Hear a voice: a short line in English, as WAV. It needs no credential, so that a page can play it. The line is
   *  spoken once and then kept. */
  preview(voiceId: string, options?: CallOptions): Call<Response>;
}

export interface WebhooksCalls {
  /** Register a webhook; only this answer contains its secret */
  create(body: NonNullable<WebhooksCreateData["body"]>, options?: CallOptions): Call<NewWebhook>;
  /** List the account's webhooks, oldest first */
  list(options?: CallOptions): ItemList<Webhook, WebhooksListResponse>;
  /** Get a webhook */
  get(id: string, options?: CallOptions): Call<Webhook>;
  /** Pause or resume a webhook, or change its events or description */
  update(id: string, body?: NonNullable<WebhooksUpdateData["body"]>, options?: CallOptions): Call<Webhook>;
  /** Delete a webhook; its pending deliveries are dropped */
  delete(id: string, options?: CallOptions): Call<Deleted>;
  /** List a webhook's recent deliveries with all attempts, newest first */
  listDeliveries(id: string, options?: CallOptions): ItemList<WebhookDelivery, WebhooksListDeliveriesResponse>;
  /** Send a ping now, once, and return its outcome */
  test(id: string, options?: CallOptions): Call<WebhookTestOutcome>;
}

export interface ApiCalls {
  accounts: AccountsCalls;
  agentSharing: AgentSharingCalls;
  agents: AgentsCalls;
  credits: CreditsCalls;
  deviceCodes: DeviceCodesCalls;
  dynamics: DynamicsCalls;
  embedLinks: EmbedLinksCalls;
  embedSettings: EmbedSettingsCalls;
  embedTokens: EmbedTokensCalls;
  faceMarks: FaceMarksCalls;
  files: FilesCalls;
  knowledgeBases: KnowledgeBasesCalls;
  knowledgeFiles: KnowledgeFilesCalls;
  ledger: LedgerCalls;
  members: MembersCalls;
  models: ModelsCalls;
  organizationSecrets: OrganizationSecretsCalls;
  organizations: OrganizationsCalls;
  pricing: PricingCalls;
  providers: ProvidersCalls;
  realtime: RealtimeCalls;
  runtimeTokens: RuntimeTokensCalls;
  samples: SamplesCalls;
  secrets: SecretsCalls;
  sessionWebhook: SessionWebhookCalls;
  sessions: SessionsCalls;
  speech: SpeechCalls;
  studio: StudioCalls;
  system: SystemCalls;
  transcriptions: TranscriptionsCalls;
  usage: UsageCalls;
  videos: VideosCalls;
  voices: VoicesCalls;
  webhooks: WebhooksCalls;
}
