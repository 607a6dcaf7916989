// How avatars of the service are named on a command line.

/** Codes as callers choose them, and slugs of samples. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** As the service makes codes. */
const GENERATED_CODE = /^[A-Z]\d{2}[A-Z]{3}\d{4}$/;
const SAMPLE_PREFIX = "sample-";

/** Whether a word can be the name of an avatar of the service. */
export function isAvatarName(name: string): boolean {
  return NAME.test(name);
}

/** Whether a word can be nothing but the code of an agent. */
export function isGeneratedCode(name: string): boolean {
  return GENERATED_CODE.test(name);
}

/** The slug of a sample: `maya` for `sample-maya`, any other word as it is. */
export function sampleSlug(name: string): string {
  return name.startsWith(SAMPLE_PREFIX) ? name.slice(SAMPLE_PREFIX.length) : name;
}

/** The code under which a sample is fetched. */
export function sampleCode(slug: string): string {
  return `${SAMPLE_PREFIX}${slug}`;
}
