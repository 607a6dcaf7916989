// The sheet above a phone's menu bar. Loaded apart: wide windows need none of it.
import type { ReactElement, ReactNode } from "react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";

export interface MenuSheetProps {
  isOpen: boolean;
  onOpenChange(isOpen: boolean): void;
  title: string;
  children(close: () => void): ReactNode;
}

export function MenuSheet({ isOpen, onOpenChange, title, children }: MenuSheetProps): ReactElement {
  return (
    <ModalOverlay className="veil" isDismissable isOpen={isOpen} onOpenChange={onOpenChange}>
      <Modal className="sheet">
        <Dialog aria-label={title} className="menu-sheet">
          {({ close }) => children(close)}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
