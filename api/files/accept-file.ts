// Decides whether an uploaded file is one of the contract's kinds, and which. The content decides; the caller's claims
// must agree with it.
import { ServiceError } from "../../shared/errors.ts";
import {
  type AssetCategory,
  CATEGORY_LIMITS_BYTES,
  extensionOf,
  FILE_KINDS,
  type FileKindName,
  type FileType,
  kindOfExtension,
} from "../kernel/storage/file-kind.ts";
import { detectKind } from "./detect-kind.ts";
import { findHiddenContent } from "./hidden-content.ts";

export interface FileClaims {
  /** Name given by the caller; null for a file from a URL: its ending means nothing. */
  fileName: string | null;
  fileType: FileType;
}

/** Image extensions with content that a browser would run as a script. */
const EXECUTABLE_EXTENSIONS = ["svg"];
const CATEGORY_WORDS: Readonly<Record<AssetCategory, string>> = {
  images: "an image",
  video: "a video",
  audio: "an audio file",
  docs: "a document",
};
const TYPE_CATEGORIES: Readonly<Record<Exclude<FileType, "auto">, AssetCategory>> = {
  image: "images",
  audio: "audio",
  video: "video",
  pdf: "docs",
  document: "docs",
};

/** The kind of a file on disk. Throws UNSUPPORTED_TYPE (unknown content, an extension that is unknown or of another
 *  category, a contradiction to `file_type`, content that a browser would run, a polyglot file) and FILE_TOO_LARGE. */
export async function acceptFile(path: string, sizeBytes: number, claims: FileClaims): Promise<FileKindName> {
  const named = namedKind(claims.fileName);
  const detected = await detectKind(path);
  if (detected === null || detected === "markup")
    throw unsupported(`The content is not of a supported type${listOf()}`);
  const kind = detected === "text" ? (named === "csv" ? "csv" : "txt") : detected;
  const { category } = FILE_KINDS[kind];
  assertClaims(kind, claims.fileType, named);
  const limitBytes = CATEGORY_LIMITS_BYTES[category];
  if (sizeBytes > limitBytes) {
    const size = (sizeBytes / 1e6).toFixed(1);
    throw new ServiceError(
      "FILE_TOO_LARGE",
      `The file size is ${size} MB. The limit for ${CATEGORY_WORDS[category]} is ${limitBytes / 1e6} MB.`,
    );
  }
  const hidden = await findHiddenContent(path, kind);
  if (hidden !== null)
    throw unsupported(`The file is ${kind} and also ${hidden}. Files with two natures are not accepted.`);
  return kind;
}

/** The kind of the name's extension; null without a name or an extension. Throws for an unknown extension. */
function namedKind(fileName: string | null): FileKindName | null {
  const extension = extensionOf(fileName ?? "");
  if (extension === "") return null;
  if (EXECUTABLE_EXTENSIONS.includes(extension)) {
    throw unsupported(`.${extension} files can contain scripts and are not accepted. Convert the image to PNG.`);
  }
  const kind = kindOfExtension(extension);
  if (kind === null) throw unsupported(`.${extension} is not a supported extension${listOf()}`);
  return kind;
}

function assertClaims(kind: FileKindName, fileType: FileType, named: FileKindName | null): void {
  const { category } = FILE_KINDS[kind];
  const word = CATEGORY_WORDS[category];
  const isContradicted =
    fileType !== "auto" && (TYPE_CATEGORIES[fileType] !== category || (fileType === "pdf" && kind !== "pdf"));
  if (isContradicted) throw unsupported(`file_type is ${fileType}, but the content is ${word} (${kind})`);
  if (named !== null && FILE_KINDS[named].category !== category) {
    throw unsupported(`The file name ends in .${named}, but the content is ${word} (${kind})`);
  }
  // A document of another kind under this name would be opened by the wrong program. Media players detect the type by
  // the content.
  if (named !== null && category === "docs" && named !== kind) {
    throw unsupported(`The file name ends in .${named}, but the content is ${kind}`);
  }
}

function listOf(): string {
  return `. Supported: ${Object.values(FILE_KINDS)
    .flatMap(({ extensions }) => extensions)
    .join(", ")}`;
}

function unsupported(message: string): ServiceError {
  return new ServiceError("UNSUPPORTED_TYPE", message);
}
