// A view that throws leaves the rest of the console usable.
import { Component, type ErrorInfo, type ReactNode } from "react";
import type { Texts } from "../texts/load-texts.ts";

export interface ErrorBoundaryProps {
  texts: Texts["shell"];
  children: ReactNode;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: unknown }> {
  override state = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(error, info.componentStack);
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    const { crashed, reload } = this.props.texts;
    return (
      <main className="page">
        <p className="panel wrong" role="alert">
          {crashed}
        </p>
        <button className="main" onClick={() => location.reload()} type="button">
          {reload}
        </button>
      </main>
    );
  }
}
