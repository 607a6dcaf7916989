// What `progress_msg` says while an agent is made, so that pages can say it in other languages.

export const CREATION_PROGRESS = {
  waiting: "Waiting for its turn",
  paid: "Payment received",
  persona: "Writing the persona",
  personaWritten: "Persona written",
  fetching: "Fetching the files",
  choosing: "Choosing a voice and a portrait",
  chosen: "Voice and portrait ready",
  finding: "Looking for the face",
  marked: "Face marks received",
  making: "Making the face",
  made: "Face ready",
  finishing: "Finishing",
  ready: "Ready",
  failed: "Failed",
} as const;

export type CreationProgress = keyof typeof CREATION_PROGRESS;
