// The menu: a column beside the view; on a phone a bar at the bottom, with a sheet for what does not fit.
import { type ComponentType, type MouseEvent, type ReactElement, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { Icon } from "../controls/icon.tsx";
import { useTexts } from "../texts/texts-context.ts";
import { ActingFor } from "./acting-for.tsx";
import type { MenuSheetProps } from "./menu-sheet.tsx";
import type { ViewEntry } from "./views.ts";

/** Where the bar is shown. */
const ON_A_PHONE = "(width < 800px)";

export function MainMenu({ views }: { views: readonly ViewEntry[] }): ReactElement {
  const { shell } = useTexts();
  const [Sheet, setSheet] = useState<ComponentType<MenuSheetProps>>();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    // It opens at once then, and without a connection.
    if (matchMedia(ON_A_PHONE).matches) void loadSheet(setSheet);
  }, []);
  const open = async () => {
    if (Sheet || (await loadSheet(setSheet))) setOpen(true);
  };
  const inBar = views.filter(({ isInBar }) => isInBar);
  return (
    <>
      <nav aria-label={shell.title} className="menu-column">
        {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place of the page */}
        <a className="skip" href="#view" onClick={skip}>
          {shell.skip}
        </a>
        <MenuLinks views={views} />
        <ActingFor />
      </nav>
      <nav aria-label={shell.title} className="menu-bar">
        <MenuLinks views={inBar} />
        {inBar.length < views.length && (
          <>
            <button
              aria-expanded={isOpen}
              aria-haspopup="dialog"
              className="menu-more"
              onClick={() => void open()}
              type="button"
            >
              <Icon name="more" />
              <span>{shell.more}</span>
            </button>
            {Sheet && (
              <Sheet isOpen={isOpen} onOpenChange={setOpen} title={shell.more}>
                {(close) => (
                  <>
                    <MenuLinks onChosen={close} views={views} />
                    <ActingFor />
                  </>
                )}
              </Sheet>
            )}
          </>
        )}
      </nav>
    </>
  );
}

/** The fragment of the address is the view's own. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById("view")?.focus();
}

/** False without a connection; the next press tries again. */
async function loadSheet(onLoaded: (Sheet: () => ComponentType<MenuSheetProps>) => void): Promise<boolean> {
  const loaded = await import("./menu-sheet.tsx").catch(() => undefined);
  if (loaded) onLoaded(() => loaded.MenuSheet);
  return loaded !== undefined;
}

function MenuLinks({ views, onChosen }: { views: readonly ViewEntry[]; onChosen?: () => void }): ReactElement {
  const texts = useTexts();
  const [path] = useLocation();
  return (
    <ul className="menu-links">
      {views.map(({ name, title }) => {
        const isHere = path === `/${name}` || path.startsWith(`/${name}/`);
        return (
          <li key={name}>
            <Link aria-current={isHere ? "page" : undefined} href={`/${name}`} onClick={onChosen}>
              <Icon name={name} />
              <span>{title(texts)}</span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
