// The template of saved faces, which web/build-saved-face.ts builds.
declare module "virtual:saved-face" {
  /** Its address. */
  const address: string;
  export default address;
}
