// The frame around all views: the menu, and the view that the address names.
import { type ReactElement, Suspense, useEffect, useRef } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import type { ChangesMode } from "../data/changes.ts";
import { useConsole } from "../data/console-context.ts";
import { useTexts } from "../texts/texts-context.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import { LiveState } from "./live-state.tsx";
import { MainMenu } from "./main-menu.tsx";
import { useKeptFocus } from "./use-kept-focus.ts";
import { viewsOf } from "./views.ts";

/** `mode`: how changes arrive. */
export function Shell({ mode }: { mode: ChangesMode | undefined }): ReactElement {
  const { person } = useConsole();
  const { shell } = useTexts();
  const [path] = useLocation();
  const views = viewsOf(person);
  const first = views[0];
  const main = useRef<HTMLElement>(null);
  useKeptFocus(main);
  const shown = useRef(path);
  useEffect(() => {
    // Another view begins at its top, for eyes and for screen readers.
    if (shown.current === path) return;
    shown.current = path;
    main.current?.focus();
    scrollTo(0, 0);
  }, [path]);
  return (
    <div className="shell">
      <MainMenu views={views} />
      <LiveState mode={mode} />
      <main aria-label={shell.title} className="view-host" id="view" ref={main} tabIndex={-1}>
        <Switch>
          {views.map(({ name, View }) => (
            <Route key={name} nest path={`/${name}`}>
              <ErrorBoundary key={path} texts={shell}>
                <Suspense fallback={<p className="waiting">{shell.loading}</p>}>
                  <View />
                </Suspense>
              </ErrorBoundary>
            </Route>
          ))}
          <Route path="/">
            <Redirect replace to={`/${first.name}`} />
          </Route>
          <Route>
            <p className="panel">{shell.notFound}</p>
          </Route>
        </Switch>
      </main>
    </div>
  );
}
