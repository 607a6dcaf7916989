// How the operator configures a remote voice.

export interface RemoteVoiceSettings {
  /** Base URL including the version, for example `http://127.0.0.1:8880/v1`. */
  baseUrl: string;
  /** Sent as Bearer; absent for servers without keys. */
  apiKey?: string;
  /** The server's name of its model. */
  model: string;
  /** The server's names of our voices. A voice that is missing here is sent by its own id. */
  names: Readonly<Record<string, string>>;
  /** Longest wait for the server's next audio, ms. */
  timeoutMs: number;
}
