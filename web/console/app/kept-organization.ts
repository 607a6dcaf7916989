// The organization for which the person acts in this tab, also after it was loaded again.
import { openTabStorage } from "../../shared/tab-storage.ts";

const KEY = "console-organization";
const open = () => openTabStorage(() => sessionStorage);

/** Null for none. Never throws. */
export function keptOrganization(): string | null {
  return open().getItem(KEY);
}

/** `id` null for none. Never throws, also where the browser denies storage: the choice then lasts until a reload. */
export function keepOrganization(id: string | null): void {
  const storage = open();
  if (id === null) storage.removeItem(KEY);
  else storage.setItem(KEY, id);
}
