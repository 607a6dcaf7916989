/** Why the microphone or the camera stays off, by the name of the browser's error. */
export function deviceProblem(device: "microphone" | "camera", name: string | undefined, isSecure: boolean): string {
  const instead = device === "microphone" ? "type instead" : "go on without it";
  if (!isSecure) return `Browsers open the ${device} on secure pages only (https). You can ${instead}.`;
  switch (name) {
    case "NotAllowedError":
    case "SecurityError":
      return `The ${device} is not allowed. Allow it in the browser's address bar, or ${instead}.`;
    case "NotFoundError":
    case "DevicesNotFoundError":
      return `No ${device} was found. Connect one, or ${instead}.`;
    case "NotReadableError":
    case "TrackStartError":
      return `Another program is using the ${device}. Close it there, or ${instead}.`;
    default:
      return `The ${device} did not start. Try again, or ${instead}.`;
  }
}
