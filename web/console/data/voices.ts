// The voices that agents and films can speak with.
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Client, type Voice } from "../../../sdk/client/index.ts";
import { useConsole } from "./console-context.ts";

/** Spoken to let a designed voice be heard. The built-in ones have a line of their own. */
const SPOKEN = "Hello. This is how I sound. What can I do for you?";

/** The built-in ones, the designed ones of the account's agents, and those that the operator has fetched. */
export function useVoices(): UseQueryResult<Voice[]> {
  const { client } = useConsole();
  // Designed voices come with agents.
  return useQuery({
    queryKey: ["agents", "voices"],
    queryFn: async ({ signal }) => (await client.voices.list({ signal })).items,
  });
}

/** Fetches a voice's line as audio. Rejects with AvatarError. */
export function useVoicePreview(): (id: string, signal: AbortSignal) => Promise<Blob> {
  const { client, root } = useConsole();
  return async (id, signal) => {
    const response = await (isDesigned(id)
      ? client.speech.synthesize({ text: SPOKEN, voice_code: id }, { signal })
      : openClient(root).voices.preview(id, { signal }));
    return response.blob();
  };
}

/** For routes that need no credential: they are not below the console's own path. */
function openClient(root: URL): Client {
  return new Client({ baseUrl: root.href, apiSecret: null });
}

/** Whether a voice was made for one agent: it is named by its code. */
export function isDesigned(id: string): boolean {
  return id.startsWith("bv1_");
}
