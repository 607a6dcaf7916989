// Deletes an agent, once its code is typed.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { useLocation } from "wouter";
import type { Agent } from "../../../../sdk/client/index.ts";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";

export function DeleteAgent({ agent }: { agent: Agent }): ReactElement {
  const { agentPage, agents } = useTexts();
  const { client } = useConsole();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button className="danger" onPress={() => setOpen(true)}>
        {agentPage.delete}
      </Button>
      <ConfirmDialog
        action={agentPage.delete}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={async () => {
          await client.agents.delete(agent.code);
          navigate("/");
          await queries.invalidateQueries({ queryKey: ["agents", "list"] });
        }}
        title={agentPage.deleteTitle(agent.name || agents.unnamed)}
        typed={agent.code}
        words={agentPage.deleteNote}
      />
    </>
  );
}
