/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The page that asks a person to authorize an app. */
import type { AuthorizationService } from "../../platform/accounts/mod.ts";
import { selfCallerOf } from "../../platform/core/access/mod.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import type { WorkspaceService } from "../../platform/workspaces/mod.ts";
import { goTo, PAGE_POLICY, showPage } from "../layout/document.tsx";
import type { PageBinder } from "../visit/page_binder.tsx";
import { readChoices } from "../visit/long_list.ts";
import {
  answerAddress,
  type AuthorizationRequest,
  readDestination,
  readRequest,
} from "./read_request.ts";
import type { Workspace } from "../../contract/identity.ts";
import { EntryFrame } from "../layout/frames.tsx";
import { Form, Notice } from "../layout/pieces.tsx";

/** Describes the redirect target in readable form. */
function placeOf(redirect: string): string {
  const { protocol, host } = new URL(redirect);
  if (protocol === "http:") return `an app on your computer (${host})`;
  return protocol === "https:" ? host : `the app that opens ${protocol} links`;
}

/**
 * Returns the content security policy for a page whose form redirects to the program (CSP 3,
 * `form-action`).
 */
function policyFor(redirect: string): string {
  const { protocol, origin } = new URL(redirect);
  const target = protocol === "http:" || protocol === "https:" ? origin : protocol;
  return PAGE_POLICY.replace("form-action 'self'", `form-action 'self' ${target}`);
}

function Choice({ name, value, checked, title, note }: {
  readonly name: string;
  readonly value: string;
  readonly checked: boolean;
  readonly title: string;
  readonly note: string;
}) {
  return (
    <label class="choice">
      <input type="radio" name={name} value={value} required checked={checked} />
      <span>
        <strong>{title}</strong>
        <span class="soft small">{note}</span>
      </span>
    </label>
  );
}

/** Shows the program and the requested access. */
function consentPage({ request, query, workspaces, csrf, email }: {
  readonly request: AuthorizationRequest;
  /** The unchanged request, which is validated again when the decision is submitted. */
  readonly query: string;
  readonly workspaces: readonly Workspace[];
  readonly csrf: string;
  readonly email: string;
}): Response {
  const { client, redirect, scope } = request;
  return showPage(
    <EntryFrame
      title="Authorize this app?"
      lead="Authorize it only if you just asked it to connect. Its name is not verified."
      roomy
    >
      <dl class="facts">
        <div>
          <dt>Name (not verified)</dt>
          <dd>{client.name}</dd>
        </div>
        <div>
          <dt>Redirects to</dt>
          <dd>{placeOf(redirect)}</dd>
        </div>
        <div>
          <dt>Signed in as</dt>
          <dd>{email}</dd>
        </div>
      </dl>
      {workspaces.length === 0
        ? (
          <Notice kind="care">
            <strong>You don't have a workspace yet.</strong>
            <span>
              An app needs one. <a href="/workspaces">Create a workspace</a>, then connect again.
            </span>
          </Notice>
        )
        : null}
      <Form action="/oauth/decision" csrf={csrf} hidden={{ request: query }}>
        {workspaces.length === 0 ? null : (
          <>
            <fieldset class="choices">
              <legend>Workspace it can use</legend>
              {workspaces.map(({ id, name, slug, role }, place) => (
                <Choice
                  key={id}
                  name="workspaceId"
                  value={id}
                  checked={place === 0}
                  title={name}
                  note={`${slug}, as ${role}`}
                />
              ))}
            </fieldset>
            <fieldset class="choices">
              <legend>Permissions</legend>
              <Choice
                name="scope"
                value="read"
                checked={scope === "read"}
                title="Read only"
                note="See projects, deployments, logs and traffic"
              />
              {scope === "read" ? null : (
                <Choice
                  name="scope"
                  value="write"
                  checked
                  title="Read and write"
                  note="Do everything you can do there, for example roll back production"
                />
              )}
            </fieldset>
            <p class="soft small">
              Access ends when you revoke it under{" "}
              <a href="/account/sessions">Sessions and devices</a>, or after 30 days without use.
            </p>
          </>
        )}
        <div class="actions">
          {workspaces.length === 0
            ? null
            : <button type="submit" name="decision" value="approve">Allow access</button>}
          <button class="quiet" type="submit" name="decision" value="deny" formnovalidate>
            Deny
          </button>
        </div>
      </Form>
    </EntryFrame>,
    {
      title: "Authorize this app?",
      headers: { "content-security-policy": policyFor(redirect) },
    },
  );
}

export interface ConsentPageServices {
  readonly authorization: AuthorizationService;
  readonly workspaces: WorkspaceService;
  readonly publicOrigin: string;
}

export function bindConsentPages(
  bind: PageBinder,
  { authorization, workspaces, publicOrigin }: ConsentPageServices,
): void {
  /**
   * Parses the request in a query. Errors are shown on a page, because a registered program could
   * otherwise use invalid requests to redirect people anywhere (RFC 9700, 4.11.2).
   */
  const read = async (query: URLSearchParams) => {
    const client = await authorization.findClient(query.get("client_id") ?? "");
    const destination = readDestination(query, client);
    if (typeof destination === "string") throw new Failure("invalid_request", destination);
    const request = readRequest(query, destination, publicOrigin);
    if (!("error" in request)) return request;
    const { error, description } = request;
    throw new Failure(
      "invalid_request",
      `The app sent an invalid request: ${description} (${error})`,
    );
  };

  bind.personal("GET", "/oauth/authorize", async ({ person, csrf, query }) => {
    const request = await read(query);
    const items = await readChoices((range) => workspaces.list(selfCallerOf(person), range));
    const email = person.user.email ?? person.user.name;
    return consentPage({ request, query: query.toString(), workspaces: items, csrf, email });
  });

  bind.personal("POST", "/oauth/decision", async ({ person, client, fields }) => {
    const request = await read(new URLSearchParams(fields.request ?? ""));
    const { decision, workspaceId = "", scope } = fields;
    if (decision === "deny") {
      const answer = { error: "access_denied", error_description: "The user denied access" };
      return goTo(answerAddress(request, { ...answer, iss: publicOrigin }));
    }
    if (decision !== "approve") {
      throw new Failure("invalid_request", "Choose to allow or deny access");
    }
    const code = await authorization.approve(person, {
      ...request,
      workspaceId,
      // The person cannot grant more than the program requested.
      scope: request.scope === "write" && scope === "write" ? "write" : "read",
    }, client);
    return goTo(answerAddress(request, { code, iss: publicOrigin }));
  });
}
