/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The pages where a person approves or denies a CLI sign-in. */
import type { DeviceLoginService, DeviceRequest } from "../../platform/accounts/mod.ts";
import { type Person, selfCallerOf } from "../../platform/core/access/mod.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import type { WorkspaceService } from "../../platform/workspaces/mod.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { readChoices } from "../visit/long_list.ts";
import { goTo, showPage } from "../layout/document.tsx";
import { EMPTY, type FormPage, refused } from "../layout/form.ts";
import type { Workspace } from "../../contract/identity.ts";
import { EntryFrame } from "../layout/frames.tsx";
import { Field, Form, Moment, Notice, Outcome, Trouble } from "../layout/pieces.tsx";

const COUNTRY = new Intl.DisplayNames("en", { type: "region" });

function countryName(code: string): string {
  try {
    return COUNTRY.of(code) ?? code;
  } catch {
    return code;
  }
}

interface Signed extends FormPage {
  readonly csrf: string;
  readonly email: string;
}

function AsWho({ email, csrf }: { readonly email: string; readonly csrf: string }) {
  return (
    <div class="aside-link row">
      <span>Signed in as {email}</span>
      <Form action="/sign-out" csrf={csrf} class="inline">
        <button class="plain" type="submit">Not you? Sign out</button>
      </Form>
    </div>
  );
}

/** Renders the form for the code that the CLI shows. */
function codePage(shown: Signed): Response {
  const { state = EMPTY, csrf, email, status, headers } = shown;
  return showPage(
    <EntryFrame title="Connect a device" lead="Enter the code shown in your terminal.">
      <Trouble state={state} />
      <Form action="/device" csrf={csrf}>
        <Field
          label="Code"
          name="code"
          state={state}
          autocomplete="off"
          maxlength={32}
          class="code"
          hint="Eight letters, for example BCDF-GHJK."
          focus
        />
        <button type="submit">Continue</button>
      </Form>
      <AsWho email={email} csrf={csrf} />
    </EntryFrame>,
    {
      title: "Connect a device",
      status,
      headers,
    },
  );
}

function UserCode({ code }: { readonly code: string }) {
  return (
    <div class="usercode" role="img" aria-label={`Code ${[...code].join(" ")}`}>
      {[...code].map((letter, place) => (
        <span key={place} class={letter === "-" ? "gap" : undefined}>{letter}</span>
      ))}
    </div>
  );
}

function Asker({ device }: { readonly device: DeviceRequest }) {
  const { tool, address, country, scope, createdAt, expiresAt } = device;
  return (
    <dl class="facts">
      <div>
        <dt>Name (not verified)</dt>
        <dd>{tool}</dd>
      </div>
      <div>
        <dt>Requested from</dt>
        <dd>
          <span class="mono">{address}</span>
          {country === null ? null : `, ${countryName(country)}`}
        </dd>
      </div>
      <div>
        <dt>Access</dt>
        <dd>{scope === "read" ? "Read only" : "Everything you can do"}</dd>
      </div>
      <div>
        <dt>Requested</dt>
        <dd>
          <Moment at={createdAt} />
        </dd>
      </div>
      <div>
        <dt>Code expires</dt>
        <dd>
          <Moment at={expiresAt} />
        </dd>
      </div>
    </dl>
  );
}

function WorkspaceChoice({ workspaces, wanted }: {
  readonly workspaces: readonly Workspace[];
  readonly wanted: string | null;
}) {
  const chosen = workspaces.find(({ slug }) => slug === wanted) ?? workspaces[0];
  return (
    <fieldset class="choices">
      <legend>Workspace it can use</legend>
      {workspaces.map((workspace) => (
        <label class="choice">
          <input
            type="radio"
            name="workspaceId"
            value={workspace.id}
            required
            checked={workspace === chosen}
          />
          <span>
            <strong>{workspace.name}</strong>
            <span class="soft small">
              <span class="mono">{workspace.slug}</span>, as {workspace.role}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Shows the client that sent the request, and lets the person approve or deny it. */
function confirmPage(
  shown: Signed & {
    readonly device: DeviceRequest;
    readonly workspaces: readonly Workspace[];
    /** Slug of the workspace that the CLI requested access to. */
    readonly wanted: string | null;
  },
): Response {
  const { device, workspaces, wanted, csrf, email, state = EMPTY, status, headers } = shown;
  const hidden = { code: device.userCode };
  const here = `/device?code=${device.userCode}`;
  return showPage(
    <EntryFrame
      title="Authorize this device?"
      lead="Authorize it only if you started this sign-in and your terminal shows the same code."
      roomy
    >
      <Trouble state={state} />
      <UserCode code={device.userCode} />
      <Asker device={device} />
      {workspaces.length === 0
        ? (
          <Notice kind="care">
            <strong>You don't have a workspace yet.</strong>
            <span>
              The CLI needs one.{" "}
              <a href={`/workspaces?next=${encodeURIComponent(here)}`}>
                Create a workspace
              </a>, then come back here.
            </span>
          </Notice>
        )
        : null}
      <Form action="/device/decision" csrf={csrf} hidden={hidden}>
        {workspaces.length === 0
          ? null
          : <WorkspaceChoice workspaces={workspaces} wanted={wanted} />}
        {workspaces.length === 0 ? null : (
          <p class="soft small">
            {device.scope === "read"
              ? "It can then see everything you can see in this workspace"
              : "It can then do everything you can do in this workspace"}, until you revoke it under
            {" "}
            <a href="/account/sessions">Sessions and devices</a>.
          </p>
        )}
        <div class="actions">
          {workspaces.length === 0
            ? null
            : <button type="submit" name="decision" value="approve">Approve</button>}
          <button class="quiet" type="submit" name="decision" value="deny" formnovalidate>
            Deny
          </button>
        </div>
      </Form>
      <AsWho email={email} csrf={csrf} />
    </EntryFrame>,
    {
      title: "Authorize this device?",
      status,
      headers,
    },
  );
}

/** Shows the decision. */
function decidedPage(decision: {
  readonly approved: boolean;
  readonly tool: string;
  readonly workspace?: string | undefined;
}): Response {
  const { approved, tool, workspace } = decision;
  const title = approved ? "Connected" : "Denied";
  return showPage(
    <EntryFrame
      title={title}
      crest={<Outcome good={approved} />}
      lead={approved
        ? `“${tool}” is signed in to ${workspace ?? "the workspace"}. Return to your terminal.`
        : `“${tool}” did not get access. If you did not start this sign-in, someone may have sent you the link, and you were right to deny it.`}
    >
      <p>
        <a href="/account/sessions">View sessions and devices</a>
      </p>
    </EntryFrame>,
    { title },
  );
}

const signed = ({ person, csrf }: PersonVisit) => ({
  csrf,
  email: person.user.email ?? person.user.name,
});

export interface DevicePageServices {
  readonly deviceLogin: DeviceLoginService;
  readonly workspaces: WorkspaceService;
}

export function bindDevicePages(
  bind: PageBinder,
  { deviceLogin, workspaces }: DevicePageServices,
): void {
  const workspacesOf = (person: Person) =>
    readChoices((range) => workspaces.list(selfCallerOf(person), range));

  bind.personal("GET", "/device", async (visit) => {
    const { person, client, query } = visit;
    const code = query.get("code");
    if (code === null || code.trim() === "") return codePage(signed(visit));
    try {
      const [device, ofPerson] = await Promise.all([
        deviceLogin.find(person, code, client),
        workspacesOf(person),
      ]);
      return confirmPage({
        ...signed(visit),
        device,
        workspaces: ofPerson,
        wanted: query.get("workspace"),
      });
    } catch (error) {
      return codePage({ ...signed(visit), ...refused(error, { code }) });
    }
  });

  bind.personal("POST", "/device", ({ fields }) => {
    const code = (fields.code ?? "").trim();
    return goTo(code === "" ? "/device" : `/device?code=${encodeURIComponent(code)}`);
  });

  bind.personal("POST", "/device/decision", async (visit) => {
    const { person, client, fields } = visit;
    const { code: userCode = "", workspaceId = "", decision } = fields;
    try {
      if (decision !== "approve" && decision !== "deny") {
        throw new Failure("invalid_request", "Choose to approve or deny");
      }
      const { tool } = await deviceLogin.find(person, userCode, client);
      if (decision === "deny") {
        await deviceLogin.deny(person, userCode, client);
        return decidedPage({ approved: false, tool });
      }
      await deviceLogin.approve(person, { userCode, workspaceId }, client);
      const workspace = (await workspacesOf(person)).find(({ id }) => id === workspaceId);
      return decidedPage({ approved: true, tool, workspace: workspace?.name });
    } catch (error) {
      return codePage({ ...signed(visit), ...refused(error, { code: userCode }) });
    }
  });
}
