// Opens a hosted conversation as the embed page does, with a person of a script in it.
import { type EmbedService, type EmbedSession, type EmbedSessionOptions, startEmbedSession } from "./embed-session.ts";
import { ScriptedPerson, type ScriptedPersonOptions } from "./scripted-person.ts";

/** The part of a service that is needed. */
export interface ConversationService extends EmbedService {
  client: { baseUrl: string; endAvatarSession(sessionId: string): Promise<void> };
}

export interface HostedConversationOptions
  extends Omit<ScriptedPersonOptions, "livekitUrl" | "token">,
    EmbedSessionOptions {}

export interface HostedConversation extends Pick<EmbedSession, "sessionId" | "roomName" | "userId" | "messages"> {
  person: ScriptedPerson;
  /** Ends the session, and the person leaves. Idempotent. */
  close(): Promise<void>;
}

/** Starts the session and joins its room. Throws Error if the service refuses. */
export async function openHostedConversation(
  service: ConversationService,
  options: HostedConversationOptions = {},
): Promise<HostedConversation> {
  const { sessionId, roomName, userId, livekitUrl, token, messages } = await startEmbedSession(service, options);
  const person = new ScriptedPerson({ ...options, livekitUrl, token });
  let closing: Promise<void> | undefined;
  const close = async () => {
    await service.client.endAvatarSession(sessionId).catch(() => undefined); // It may have ended already.
    await person.close();
  };
  try {
    await person.join();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    person,
    sessionId,
    roomName,
    userId,
    messages,
    close() {
      closing ??= close();
      return closing;
    },
  };
}
