// The service's data folder, closed to other users of the machine.
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "./make-folder.ts";
import { StartError, toFolderError } from "./start-error.ts";

/** Subfolders that only the user of this process may enter. The one of PostgreSQL has its own mode and may have its own
 *  user. */
const PRIVATE_FOLDERS = ["logs", "objects"];
const OWNER_ONLY = 0o700;
/** PostgreSQL of root runs as another user, who needs to traverse the folder. */
const PASSAGE = 0o711;

/** Makes the data folder and what every start needs in it. An existing data folder keeps its mode, because it may be
 *  shared with other programs; the subfolders are closed in any case. Throws StartError if it cannot be made. */
export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir, process.getuid?.() === 0 ? PASSAGE : OWNER_ONLY);
    for (const name of PRIVATE_FOLDERS) {
      const folder = join(dataDir, name);
      await makeFolder(folder, OWNER_ONLY);
      await chmod(folder, OWNER_ONLY).catch((error: NodeJS.ErrnoException) => {
        // Made by another user who gave this one access on purpose.
        if (error.code !== "EPERM") throw error;
      });
    }
  } catch (error) {
    // Where nothing can be made, such as under /proc, the file system may say that the folder does not exist.
    throw (
      toFolderError(error, dataDir) ??
      new StartError(
        `The folder ${dataDir} cannot be created.`,
        "Set AVATAR_DATA_DIR to a folder on a disk that can be written.",
        error,
      )
    );
  }
}
