// The caller of a request: the result of each authentication method. A route declares its method; its handler gets the
// caller.
import type { Account } from "./account.ts";

/** The account secret itself. */
export interface SecretCaller {
  kind: "secret";
  account: Account;
  /** Row id of the secret. Sessions keep it, so that they end when the secret is revoked. */
  secretId: string;
  /** The organization that the secret was issued for; null for a personal secret. The member who issued it acts and
   *  pays. */
  organizationId: string | null;
  /** Whether a person acts who has signed in to the console. */
  isConsole: boolean;
}

/** A person who has signed in to the console. Routes treat them as the secret behind their session. */
export interface ConsoleCaller extends SecretCaller {
  consoleSessionId: string;
}

/** What a launch token may start. */
export interface LaunchScope {
  agentCode: string;
  roomName: string;
  livekitUrl: string;
  /** The only model that it may start; null for any that costs no more than the agent's own. */
  model: string | null;
  /** One avatar session per token id. */
  tokenId: string;
}

/** A minted launch token: may start one agent's avatar in one room. */
export interface LaunchTokenCaller extends LaunchScope {
  kind: "launch-token";
  account: Account;
  secretId: string;
}

/** A minted token without scope: may download one agent's model. */
export interface ModelDownloadCaller {
  kind: "model-download";
  account: Account;
  secretId: string;
  agentCode: string;
}

/** A visitor of an embed page. `visitorOf` tells who it is. */
export interface EmbedCaller {
  kind: "embed";
  account: Account;
  /** Null for a visitor of a public agent: no secret stands behind that token. */
  secretId: string | null;
  agentCode: string;
  /** Session id of the embed: one avatar session each. */
  sid: string;
  /** The visitor, as the account's owner names them; null for a token that visitors share, such as those of `/demo`. */
  endUserId: string | null;
  /** Model name as requested when the token was minted. Null: the agent's own model. */
  model: string | null;
  /** Whether the token was minted in the console, for the person who has signed in there. */
  isConsole: boolean;
  /** From `/demo`: its avatar sessions are capped. */
  isDemo: boolean;
  /** A visitor of a public agent, without a token of its owner: limits of the agent's sharing apply. */
  isPublic: boolean;
}

/** The start page, opened on the machine of the service. */
export interface PageCaller {
  kind: "page";
  /** The account that it acts for. The field has a name of its own, so that a handler that forgets how little this
   *  caller may do does not compile. */
  operator: Account;
  secretId: string;
}

/** A runtime with an exchanged token, which acts on runtime routes only: for the whole account, or for one session. */
export interface RuntimeCaller {
  kind: "runtime";
  account: Account;
  secretId: string;
  /** Of the exchange that the token comes from; null for tokens of earlier versions. */
  transactionId: string | null;
  /** What it may begin, and alone report, if a launch token was exchanged; null if it acts for the account. */
  launch: LaunchScope | null;
}

/** An avatar worker with the token of one avatar session. */
export interface RuntimeSessionCaller {
  kind: "runtime-session";
  avatarSessionId: string;
  /** A worker that was superseded has an earlier number than the session. */
  dispatchNumber: number;
}

declare module "../kernel/http/caller.ts" {
  /** `console`: the cookie of the console, from its own pages. `secret`: REST. `secret-or-page`,
   *  `token-secret-or-page`: the same, or the token of the start page as Bearer, for agents that were made there.
   *  `token-secret`: token endpoints, where a revoked secret is RUNTIME_SUSPENDED.
   *  `launch`: secret or launch token, as Bearer too when the body is a form. `secret-or-model-download`: secret, or
   *  this token as Bearer. `self-hosted-download`: the same, or the secret as Bearer, for containers.
   *  `secret-or-bearer`: the secret, also as Bearer, for OpenAI's clients. The others: their token as Bearer;
   *  `runtime-session` also takes a runtime token, for self-hosted runtimes. */
  interface Callers {
    console: ConsoleCaller;
    secret: SecretCaller;
    "secret-or-bearer": SecretCaller;
    "secret-or-page": SecretCaller | PageCaller;
    "token-secret": SecretCaller;
    "token-secret-or-page": SecretCaller | PageCaller;
    launch: SecretCaller | LaunchTokenCaller;
    "secret-or-model-download": SecretCaller | ModelDownloadCaller;
    "self-hosted-download": SecretCaller | ModelDownloadCaller;
    embed: EmbedCaller;
    runtime: RuntimeCaller;
    "runtime-session": RuntimeSessionCaller | RuntimeCaller;
  }
}
