// Gets a picture ready to be sent: pictures that the service would refuse for size or type are converted here.

/** Limits of the service: bytes of a file, and pixels. */
const MAX_BYTES = 10_000_000;
const MAX_PIXELS = 40_000_000;
/** The service keeps pictures at this size at most, so that scaling to it loses nothing. */
const SCALED_SIDE_PX = 2048;
const SCALED_QUALITY = 0.93;
/** Types that the service takes. */
const SENT_TYPES = ["image/jpeg", "image/png", "image/webp", "image/gif", "image/bmp"];

/** A picture that can be sent. */
export interface Picture {
  blob: Blob;
  /** Address for showing it in this tab. Revoke it when it is no longer shown. */
  url: string;
}

/** A file that is no usable picture. The message is for the visitor. */
class PictureError extends Error {}

/** Checks a file and scales it down if it is too large. Throws PictureError. */
export async function preparePicture(file: File): Promise<Picture> {
  // Turned upright as the camera held it, which the service does too.
  const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" }).catch(() => {
    throw new PictureError(whyNot(file));
  });
  try {
    const isSentAsIs =
      file.size <= MAX_BYTES && bitmap.width * bitmap.height <= MAX_PIXELS && SENT_TYPES.includes(file.type);
    const blob = isSentAsIs ? file : await scaleDown(bitmap);
    return { blob, url: URL.createObjectURL(blob) };
  } finally {
    bitmap.close();
  }
}

/** A picture as a data URI. */
export function toDataUri(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new PictureError("The file could not be read. Choose it again."));
    reader.readAsDataURL(blob);
  });
}

/** The size at which a picture is sent that is too large, sides in proportion. */
export function scaledSize(widthPx: number, heightPx: number): { widthPx: number; heightPx: number } {
  const scale = Math.min(1, SCALED_SIDE_PX / Math.max(widthPx, heightPx));
  return { widthPx: Math.max(1, Math.round(widthPx * scale)), heightPx: Math.max(1, Math.round(heightPx * scale)) };
}

/** Why a browser could not decode a file. */
export function whyNot({ name, type }: Pick<File, "name" | "type">): string {
  if (/\.hei[cf]$/i.test(name) || /^image\/hei[cf]/.test(type)) {
    return "This browser cannot open HEIC pictures. Save the picture as JPEG and choose that file.";
  }
  if (type === "image/svg+xml" || /\.svg$/i.test(name)) {
    return "Vector drawings (SVG) are not accepted. Save the drawing as PNG and choose that file.";
  }
  if (type !== "" && !type.startsWith("image/")) {
    return "This file is not a picture. Choose a JPEG, PNG, WebP or GIF file.";
  }
  return "This file is damaged, or the browser cannot open its format. Choose a JPEG, PNG, WebP or GIF file.";
}

async function scaleDown(bitmap: ImageBitmap): Promise<Blob> {
  const { widthPx, heightPx } = scaledSize(bitmap.width, bitmap.height);
  const canvas = document.createElement("canvas");
  canvas.width = widthPx;
  canvas.height = heightPx;
  const context = canvas.getContext("2d");
  if (!context) throw new PictureError("The browser could not scale the picture down. Choose a smaller one.");
  context.imageSmoothingQuality = "high";
  // What the service lays under transparent parts.
  context.fillStyle = "#808080";
  context.fillRect(0, 0, widthPx, heightPx);
  context.drawImage(bitmap, 0, 0, widthPx, heightPx);
  return toJpeg(canvas);
}

/** A canvas as a JPEG file. Throws PictureError if the browser cannot make one. */
export function toJpeg(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const onBlob = (blob: Blob | null) =>
      blob ? resolve(blob) : reject(new PictureError("The browser could not save the picture. Try another one."));
    canvas.toBlob(onBlob, "image/jpeg", SCALED_QUALITY);
  });
}
