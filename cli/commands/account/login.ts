// `avatar login`: signs this computer in.
import type { Command } from "commander";
import type { Environment } from "../../terminal/environment.ts";
import type { LoginOptions } from "./sign-in.ts";

export function registerLogin(program: Command, environment: Environment): void {
  program
    .command("login")
    .description("Sign in: confirm a code in the console, and this computer gets an API secret of its own")
    .option("--device", "do not open a browser: confirm the code on any other computer")
    .option("--with-token", "read an API secret from standard input instead")
    .option("--url <address>", "the service (default: AVATAR_API_URL, the one signed in at, or this machine's)")
    .option("--json", "print one object: logged_in, source, url, email, alias, replaced, file")
    .action(async (options: LoginOptions) => {
      const { signIn } = await import("./sign-in.ts");
      await signIn(environment, options);
    });
}
