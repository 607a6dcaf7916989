// Parameters of the page's address besides the token.

/** What the address requests. Undefined where it says nothing. */
export interface EmbedParameters {
  /** Name of a model family or force tier. */
  model: string | undefined;
  /** The embedding site's own id of the visitor. */
  endUserId: string | undefined;
}

/** The names under which sites send the visitor's id, the first one found counts. */
const END_USER_NAMES = ["end_user_id", "endUserId", "visitor_id", "fingerprint"];
/** The service takes no longer ones; they are left out, as if the address did not have them. */
const MODEL_MAX_CHARACTERS = 60;
const END_USER_MAX_CHARACTERS = 200;

/** Reads an address. Throws TypeError if the string is not an absolute URL. */
export function readParameters(address: string): EmbedParameters {
  const { searchParams } = new URL(address);
  const read = (name: string, maxCharacters: number): string | undefined => {
    const value = searchParams.get(name)?.trim();
    return value && value.length <= maxCharacters ? value : undefined;
  };
  const endUserIds = END_USER_NAMES.map((name) => read(name, END_USER_MAX_CHARACTERS));
  return { model: read("model", MODEL_MAX_CHARACTERS), endUserId: endUserIds.find((id) => id !== undefined) };
}
