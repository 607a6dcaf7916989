// Runs an executable under limits that the system enforces, also when its parent has ended.

/** Limits of a command. */
export interface CommandLimits {
  /** Address space. */
  maxAddressBytes: number;
  maxCpuMs: number;
  /** Each file that it writes; pipes do not count. */
  maxFileBytes: number;
}

/** Unit of `ulimit -f`. Source: POSIX. */
const FILE_BLOCK_BYTES = 512;

/** The command line, with a shell in between that sets the limits where there is one. */
export function limitedCommand(
  command: string,
  commandArguments: string[],
  { maxAddressBytes, maxCpuMs, maxFileBytes }: CommandLimits,
): { command: string; commandArguments: string[] } {
  if (process.platform === "win32") return { command, commandArguments };
  const limits = [
    `ulimit -v ${Math.ceil(maxAddressBytes / 1024)}`,
    `ulimit -t ${Math.ceil(maxCpuMs / 1000)}`,
    `ulimit -f ${Math.ceil(maxFileBytes / FILE_BLOCK_BYTES)}`,
  ];
  return {
    command: "/bin/sh",
    commandArguments: ["-c", `${limits.join("; ")}; exec "$0" "$@"`, command, ...commandArguments],
  };
}
