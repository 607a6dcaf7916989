// Names of models that OpenAI's clients send to /v1/audio/*. Any name is accepted there, because this service has one
// voice and one recogniser; listed are those that stock clients send.

export const SPEECH_MODELS = ["tts-1", "tts-1-hd", "gpt-4o-mini-tts"] as const;
export const TRANSCRIPTION_MODELS = [
  "whisper-1",
  "gpt-transcribe",
  "gpt-4o-transcribe",
  "gpt-4o-mini-transcribe",
] as const;
