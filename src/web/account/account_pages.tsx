/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The settings of a person's own account: password and second factor. */
import type { Account } from "../../contract/accounts.ts";
import { Card, Field, Form, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage, type FormState } from "../layout/form.ts";
import { NewPassword } from "../layout/credential_fields.tsx";
import type { PageContext } from "../layout/page_context.ts";
import { SettingsFrame } from "../layout/frames.tsx";
import { showSettings } from "../layout/show_board.ts";
import { ConfirmCard, EmailCard } from "./messenger_only_pages.tsx";

/** Tells password managers which account the password belongs to. */
function Whose({ email }: { readonly email: string | null }) {
  if (email === null) return null;
  return (
    <input
      type="text"
      name="username"
      value={email}
      autocomplete="username"
      readonly
      hidden
    />
  );
}

/** The forms on the security page. After a rejection, a form shows the problem. */
export type SecurityForm = "password" | "email" | "two-factor" | "recovery" | "off";

interface CardProps {
  readonly csrf: string;
  readonly state: FormState;
  readonly email: string | null;
}

function PasswordCard({ csrf, state, email }: CardProps) {
  return (
    <Card title="Password" id="change-password" lead="Changing it signs you out everywhere else.">
      <div class="body">
        <Trouble state={state} />
        <Form action="/account/password" csrf={csrf}>
          <Whose email={email} />
          <Field
            label="Current password"
            name="current"
            type="password"
            state={state}
            autocomplete="current-password"
          />
          <NewPassword name="next" state={state} brief />
          <div>
            <button type="submit">Change password</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

function FactorOff({ csrf, state, email, hasPassword }: CardProps & {
  readonly hasPassword: boolean;
}) {
  return (
    <Card
      title="Two-factor authentication"
      id="two-factor"
      lead={hasPassword
        ? "Ask for a code from an authenticator app as well as your password."
        : "Ask for a code from an authenticator app as well as a confirmation in the messenger."}
    >
      <div class="body">
        <Trouble state={state} />
        <Form action="/account/two-factor" csrf={csrf}>
          {hasPassword
            ? (
              <>
                <Whose email={email} />
                <Field
                  label="Confirm your password"
                  name="password"
                  type="password"
                  state={state}
                  autocomplete="current-password"
                />
              </>
            )
            : null}
          <div>
            <button type="submit">Set up</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

function FactorOn({ csrf, hasPassword, recovery, off }: {
  readonly csrf: string;
  readonly hasPassword: boolean;
  readonly recovery: FormState;
  readonly off: FormState;
}) {
  const wasRefused = (state: FormState) => state !== EMPTY;
  return (
    <Card
      title="Two-factor authentication"
      id="two-factor"
      lead={
        <>
          <span class="tag good">On</span> You need a code from your authenticator app to sign in.
        </>
      }
    >
      <div class="body">
        <details open={wasRefused(recovery)}>
          <summary>New recovery codes</summary>
          <div class="stack">
            <Trouble state={recovery} />
            <Form action="/account/two-factor/recovery-codes" csrf={csrf}>
              <Field
                label="Code"
                name="code"
                state={{ ...recovery, values: {} }}
                autocomplete="one-time-code"
                maxlength={32}
                class="code"
                hint="Your current codes stop working."
              />
              <div>
                <button class="quiet" type="submit">Generate new codes</button>
              </div>
            </Form>
          </div>
        </details>
        <details open={wasRefused(off)}>
          <summary>Turn off</summary>
          <div class="stack">
            <Trouble state={off} />
            <form method="post" action="/account/two-factor/disable">
              <input type="hidden" name="csrf" value={csrf} />
              {hasPassword
                ? (
                  <div class="field">
                    <label for="off-password">Password</label>
                    <input
                      id="off-password"
                      name="password"
                      type="password"
                      required
                      autocomplete="current-password"
                    />
                  </div>
                )
                : null}
              <div class="field">
                <label for="off-code">Code or recovery code</label>
                <input
                  id="off-code"
                  name="code"
                  class="code"
                  required
                  maxlength={32}
                  autocomplete="one-time-code"
                />
              </div>
              <div>
                <button class="danger" type="submit">Turn off</button>
              </div>
            </form>
          </div>
        </details>
      </div>
    </Card>
  );
}

export function securityPage(
  context: PageContext,
  shown: FormPage & {
    readonly account: Account;
    /** Whether the sign-in is recent enough to set a first password, which needs no current one. */
    readonly isFresh: boolean;
    /** The rejected form, if any. */
    readonly of?: SecurityForm;
  },
): Response {
  const { account, isFresh, of, state = EMPTY, status, headers } = shown;
  const { email, hasPassword } = account;
  const mayChange = hasPassword || isFresh;
  const { csrf } = context;
  const stateOf = (form: SecurityForm) => of === form ? state : EMPTY;
  return showSettings(
    <SettingsFrame
      title="Security"
      lead={account.email === null ? account.name : `${account.name}, ${account.email}`}
      context={context}
    >
      {mayChange ? null : <ConfirmCard csrf={csrf} />}
      {hasPassword
        ? <PasswordCard csrf={csrf} state={stateOf("password")} email={email} />
        : isFresh
        ? <EmailCard csrf={csrf} state={stateOf("email")} />
        : null}
      {account.twoFactorEnabled
        ? (
          <FactorOn
            csrf={csrf}
            hasPassword={hasPassword}
            recovery={stateOf("recovery")}
            off={stateOf("off")}
          />
        )
        : mayChange
        ? (
          <FactorOff
            csrf={csrf}
            state={stateOf("two-factor")}
            email={email}
            hasPassword={hasPassword}
          />
        )
        : null}
    </SettingsFrame>,
    {
      title: "Security",
      status,
      headers,
    },
  );
}
