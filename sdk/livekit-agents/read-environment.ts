// What the program's environment sets.

export interface Environment {
  /** All of it. */
  variables: NodeJS.ProcessEnv;
  apiUrl?: string;
  apiSecret?: string;
  /** Whether the timeout of calls is set, which the client reads. */
  hasApiTimeout: boolean;
  livekitUrl?: string;
  livekitApiKey?: string;
  livekitApiSecret?: string;
}

export function readEnvironment(): Environment {
  const { AVATAR_API_URL, AVATAR_API_SECRET, AVATAR_API_KEY, AVATAR_API_TIMEOUT } = process.env;
  const { LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET } = process.env;
  return {
    variables: process.env,
    apiUrl: AVATAR_API_URL,
    apiSecret: AVATAR_API_SECRET || AVATAR_API_KEY,
    hasApiTimeout: Boolean(AVATAR_API_TIMEOUT),
    livekitUrl: LIVEKIT_URL,
    livekitApiKey: LIVEKIT_API_KEY,
    livekitApiSecret: LIVEKIT_API_SECRET,
  };
}
