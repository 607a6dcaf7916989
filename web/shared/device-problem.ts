// Why the microphone or the camera stays off.
type Device = "microphone" | "camera";
type Problem = "insecure" | "refused" | "missing" | "busy" | "failed";
type DeviceTexts = Readonly<Record<Device, Readonly<Record<Problem, string>>>>;

export const ENGLISH_DEVICE_TEXTS: DeviceTexts = {
  microphone: inEnglish("microphone", "type instead"),
  camera: inEnglish("camera", "go on without it"),
};

/** `name`: of the browser's error. `texts`: in another language. Default: English. */
export function deviceProblem(
  device: Device,
  name: string | undefined,
  isSecure: boolean,
  texts: DeviceTexts = ENGLISH_DEVICE_TEXTS,
): string {
  return texts[device][isSecure ? problemOf(name) : "insecure"];
}

function problemOf(name: string | undefined): Problem {
  switch (name) {
    case "NotAllowedError":
    case "SecurityError":
      return "refused";
    case "NotFoundError":
    case "DevicesNotFoundError":
      return "missing";
    case "NotReadableError":
    case "TrackStartError":
      return "busy";
    default:
      return "failed";
  }
}

function inEnglish(device: Device, instead: string): Record<Problem, string> {
  return {
    insecure: `Browsers open the ${device} on secure pages only (https). You can ${instead}.`,
    refused: `The ${device} is not allowed. Allow it in the browser's address bar, or ${instead}.`,
    missing: `No ${device} was found. Connect one, or ${instead}.`,
    busy: `Another program is using the ${device}. Close it there, or ${instead}.`,
    failed: `The ${device} did not start. Try again, or ${instead}.`,
  };
}
