// Where the script of the widgets came from: the service, unless the page loads the package.

let address = "";

/** The service's address, as far as the script knows it; empty for a package. */
export function scriptAddress(): string {
  return address;
}

/** `script`: address of /widget.js. The service may lie below a path. */
export function setScriptAddress(script: string): void {
  address = new URL(".", script).href;
}
