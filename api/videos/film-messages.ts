// Tasks and results of the film process.
import type { ModelFamily } from "../../shared/models.ts";
import type { VoiceEngine } from "../../src/voice/default-voice.ts";
import type { RemoteVoiceSettings } from "../../src/voice/remote/remote-voice-settings.ts";

export interface FilmTask {
  /** Bytes of the `.imx`. */
  imx: Uint8Array;
  family: ModelFamily;
  speech:
    | { type: "text"; text: string; voiceId: string; language: string }
    /** An audio file. */
    | { type: "audio"; path: string };
  /** Speaks a text. */
  voiceEngine: VoiceEngine;
  /** Of `remote`. Its key is a secret of the operator. */
  remoteVoice?: RemoteVoiceSettings;
  /** Of fetched voices. */
  voicesFolder: string;
  /** Longer speech is refused. */
  maxSeconds: number;
  /** Files to write. */
  filmPath: string;
  subtitlesPath: string;
  /** Settings of the operator; absent if they are not set. */
  ffmpegPath?: string;
  qualityNetworkPath?: string;
}

export interface FilmResult {
  /** Number of frames of 40 ms. */
  frames: number;
  /** Whether there are subtitles. */
  hasSubtitles: boolean;
}
