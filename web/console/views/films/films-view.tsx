// Films: made, watched, downloaded and deleted.
import type { ReactElement } from "react";
import { CodeExample } from "../../controls/code-example.tsx";
import { Page } from "../../controls/page.tsx";
import { useTexts } from "../../texts/texts-context.ts";
import { FilmForm } from "./film-form.tsx";
import { FilmList } from "./film-list.tsx";
import "./style.css";

const GENERATE_REQUEST = {
  method: "POST",
  path: "/v1/video/generate",
  body: { agent_code: "AGENT_CODE", model: "essence-2", input: { type: "text", text: "Welcome to the museum." } },
} as const;

export default function FilmsView(): ReactElement {
  const { films } = useTexts();
  return (
    <Page lead={films.lead} title={films.title}>
      <FilmForm />
      <FilmList />
      <CodeExample request={GENERATE_REQUEST} />
    </Page>
  );
}
