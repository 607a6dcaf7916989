// The sessions of avatars: those that run, those that ended, and each with what was said in it.
import type { ReactElement } from "react";
import { Route, Switch } from "wouter";
import { SessionList } from "./session-list.tsx";
import { SessionPage } from "./session-page.tsx";
import "./style.css";

export default function SessionsView(): ReactElement {
  return (
    <Switch>
      <Route path="/">
        <SessionList />
      </Route>
      <Route path="/:id">{({ id }) => <SessionPage id={id} key={id} />}</Route>
    </Switch>
  );
}
