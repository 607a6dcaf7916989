// The menu: a column beside the view; on a phone a bar at the bottom, with a sheet for what does not fit.
import type { ReactElement } from "react";
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
        <a className="skip" href="#view">
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
