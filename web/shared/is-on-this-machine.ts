// Whether a page is opened on the machine of the service.

const LOOPBACK_NAME = /^(localhost\.?|127(\.\d{1,3}){3}|\[::1\])$/i;

/** True for the host name of a page's address if it names this machine. */
export function isOnThisMachine(hostname: string): boolean {
  return LOOPBACK_NAME.test(hostname);
}
