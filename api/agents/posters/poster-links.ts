// Links to posters: the still of an avatar at rest, as the first frame of its video shows it. A link shows the poster
// alone, and not the `.imx` that holds it.
import type { FileLinks } from "../../kernel/storage/file-links.ts";
import { createLinkSigner } from "../../kernel/tokens/link-signer.ts";
import { type Agent, artifactFor } from "../record/agent.ts";

export interface PosterLinkOptions {
  /** Base of the links, without a trailing slash. */
  publicUrl: string;
  /** The signing key of the installation. */
  signingKey: Uint8Array;
  fileLinks: FileLinks;
}

export interface PosterLinks {
  /** A link that does not expire to the poster of an agent, or to its portrait while no model has a file; null while it
   *  has neither. */
  linkTo(agent: Agent): string | null;
  /** The key of the `.imx` with the poster of a link; null if the signature belongs to another one. */
  keyOf(fileName: string, signature: string): string | null;
}

const FILE_NAME = /^(.+)\.jpg$/;
const VERSION_CHARACTERS = 12;

/** Links of the form `/posters/<name of the .imx>.jpg?version=…&signature=…`. The version changes with the `.imx`, so
 *  the answer to a link never changes. */
export function createPosterLinks({ publicUrl, signingKey, fileLinks }: PosterLinkOptions): PosterLinks {
  const signer = createLinkSigner(signingKey, "poster-links");
  return {
    linkTo(agent) {
      const artifact = artifactFor(agent, agent.model);
      const name = artifact && /^models\/(.+)\.imx$/.exec(artifact.key)?.[1];
      if (!name) return agent.portraitKey && fileLinks.linkTo(agent.portraitKey, { expiresInSeconds: null });
      const query = new URLSearchParams({
        version: (artifact.sha256 ?? "").slice(0, VERSION_CHARACTERS),
        signature: signer.sign("poster", name),
      });
      return `${publicUrl}/posters/${name}.jpg?${query}`;
    },

    keyOf(fileName, signature) {
      const name = FILE_NAME.exec(fileName)?.[1] ?? "";
      return signer.isSigned(signature, "poster", name) ? `models/${name}.imx` : null;
    },
  };
}
