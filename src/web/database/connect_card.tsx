/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows how programs connect to a branch, for each client. */
import type { DatabaseAddress } from "../../contract/databases.ts";
import { Card, Form, Notice } from "../layout/pieces.tsx";
import { clientSnippets } from "./client_snippets.ts";
import type { DatabaseVisit } from "./open_database.ts";

/**
 * How clients can connect to a branch, with the password if it was requested, or why they cannot
 * connect.
 */
export type ConnectView =
  | { readonly address: DatabaseAddress; readonly password: string | undefined }
  | { readonly refusal: string };

function Snippets({ address, password }: Exclude<ConnectView, { refusal: string }>) {
  return (
    <div class="stack-little">
      {clientSnippets(address, password).map(({ client, text }, index) => (
        <details key={client} class="more" open={index === 0} name="client">
          <summary>{client}</summary>
          <div class="copyable">
            <pre class="terminal" id={`client-${index}`} tabindex={0}>{text}</pre>
            <button type="button" class="copy" data-copy={`client-${index}`}>
              Copy<span class="hush">{` for ${client}`}</span>
            </button>
          </div>
        </details>
      ))}
    </div>
  );
}

export function ConnectCard({ visit, view }: {
  readonly visit: DatabaseVisit;
  readonly view: ConnectView;
}) {
  const { place, branches, path, parts } = visit;
  if ("refusal" in view) {
    return (
      <Card title="Connect" id="connect">
        <div class="body">
          <Notice kind="care">{view.refusal}</Notice>
        </div>
      </Card>
    );
  }
  return (
    <Card
      title="Connect"
      id="connect"
      lead={branches.length > 1 ? `Branch ${place.branch}` : undefined}
    >
      <div class="body">
        <Snippets {...view} />
        <Form
          action={path("connection")}
          csrf={parts.context.csrf}
          class="line-form"
        >
          <div class="field">
            <label for="connect-branch">Branch</label>
            <select id="connect-branch" name="branch" autocomplete="off">
              {branches.map(({ name }) => (
                <option key={name} value={name} selected={name === place.branch}>{name}</option>
              ))}
            </select>
          </div>
          <button type="submit" class="quiet">Show with the password</button>
        </Form>
      </div>
    </Card>
  );
}
