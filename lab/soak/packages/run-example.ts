// Installs an example in an empty folder, runs it and checks what it does.
import { withExample } from "../../../test/helpers/packages/with-packed-project.ts";
import type { ExampleCheck, ExampleService } from "./example-check.ts";

/** Rejects with what is not as it should be. */
export async function runExample(
  { example, check }: ExampleCheck,
  service: ExampleService,
  report: (line: string) => void,
): Promise<void> {
  const { livekit, apiSecret, client } = service;
  const environment = {
    AVATAR_API_URL: client.baseUrl,
    AVATAR_API_SECRET: apiSecret,
    LIVEKIT_URL: livekit.url,
    LIVEKIT_API_KEY: livekit.apiKey,
    LIVEKIT_API_SECRET: livekit.apiSecret,
  };
  await withExample(example, (project) => check({ project, service, environment, report }));
}
