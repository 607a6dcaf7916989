// `avatar logout`: forgets the sign-in of this computer and revokes its secret.
import type { Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import type { LogoutOptions } from "./sign-out.ts";

export function registerLogout(program: Command, environment: Environment): void {
  program
    .command("logout")
    .description("Sign out: forget the secret that login has stored, and revoke it if login has fetched it")
    .option("--url <address>", "the service (default: AVATAR_API_URL, or the one signed in at)")
    .option("--json", "print one object: logged_out, url, email, revoked")
    .action(async (options: LogoutOptions) => {
      const { signOut } = await import("./sign-out.ts");
      await signOut(environment, options);
    });
}
