// The menu: a column beside the view; on a phone a bar at the bottom, with a sheet for what does not fit.
import type { MouseEvent, ReactElement } from "react";
import { Button, Dialog, DialogTrigger, Modal, ModalOverlay } from "react-aria-components";
import { Link, useLocation } from "wouter";
import { Icon } from "../controls/icon.tsx";
import { useTexts } from "../texts/texts-context.ts";
import { ActingFor } from "./acting-for.tsx";
import type { ViewEntry } from "./views.ts";

export function MainMenu({ views }: { views: readonly ViewEntry[] }): ReactElement {
  const { shell } = useTexts();
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
          <DialogTrigger>
            <Button className="menu-more">
              <Icon name="more" />
              <span>{shell.more}</span>
            </Button>
            <ModalOverlay className="veil" isDismissable>
              <Modal className="sheet">
                <Dialog aria-label={shell.more} className="menu-sheet">
                  {({ close }) => (
                    <>
                      <MenuLinks onChosen={close} views={views} />
                      <ActingFor />
                    </>
                  )}
                </Dialog>
              </Modal>
            </ModalOverlay>
          </DialogTrigger>
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
