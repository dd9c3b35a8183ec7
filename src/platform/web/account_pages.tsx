/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * Settings of the own account: password, second factor, sessions, tools, and
 * what happened.
 *
 * @module
 */
import {
  type Account,
  PASSWORD_MAX,
  PASSWORD_MIN,
  type SecurityEvent,
  type Session,
  type Tool,
} from "../../contract/mod.ts";
import { showPage } from "./document.tsx";
import type { Shown } from "./entry_pages.tsx";
import { EMPTY, type FormState } from "./form.ts";
import { type Around, SettingsFrame } from "./frames.tsx";
import { Card, Field, Form, Moment, Trouble } from "./pieces.tsx";

/** Tells password managers whose password it is. */
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

/** Forms of the security page; a refused one is shown again with what is wrong. */
export type SecurityForm = "password" | "two-factor" | "recovery" | "off";

interface CardProps {
  readonly csrf: string;
  readonly state: FormState;
  readonly email: string | null;
}

function PasswordCard({ csrf, state, email }: CardProps) {
  return (
    <Card title="Password" id="change-password" lead="A change ends all your other sessions.">
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
          <Field
            label="New password"
            name="next"
            type="password"
            state={state}
            autocomplete="new-password"
            minlength={PASSWORD_MIN}
            maxlength={PASSWORD_MAX}
            hint={`At least ${PASSWORD_MIN} characters`}
          />
          <div>
            <button type="submit">Change the password</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

function FactorOff({ csrf, state, email }: CardProps) {
  return (
    <Card
      title="Second factor"
      id="two-factor"
      lead="A code of an authenticator app, besides the password. With it, a stolen password is not enough."
    >
      <div class="body">
        <Trouble state={state} />
        <Form action="/account/two-factor" csrf={csrf}>
          <Whose email={email} />
          <Field
            label="Password, to begin"
            name="password"
            type="password"
            state={state}
            autocomplete="current-password"
          />
          <div>
            <button type="submit">Set it up</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

function FactorOn({ csrf, recovery, off }: {
  readonly csrf: string;
  readonly recovery: FormState;
  readonly off: FormState;
}) {
  const wasRefused = (state: FormState) => state !== EMPTY;
  return (
    <Card
      title="Second factor"
      id="two-factor"
      lead={
        <>
          <span class="tag good">On</span> Sign-in asks for a code of your authenticator app.
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
                hint="The codes that you have now end."
              />
              <div>
                <button class="quiet" type="submit">Make new codes</button>
              </div>
            </Form>
          </div>
        </details>
        <details open={wasRefused(off)}>
          <summary>Turn it off</summary>
          <div class="stack">
            <Trouble state={off} />
            <form method="post" action="/account/two-factor/disable">
              <input type="hidden" name="csrf" value={csrf} />
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
              <div class="field">
                <label for="off-code">Code, or a recovery code</label>
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
                <button class="danger" type="submit">Turn it off</button>
              </div>
            </form>
          </div>
        </details>
      </div>
    </Card>
  );
}

export function securityPage(
  around: Around,
  shown: Shown & {
    readonly account: Account;
    /** The form that was refused, and its state. */
    readonly of?: SecurityForm;
  },
): Response {
  const { account, of, state = EMPTY, status, headers } = shown;
  const { csrf } = around;
  const stateOf = (form: SecurityForm) => of === form ? state : EMPTY;
  return showPage(
    <SettingsFrame
      title="Security"
      lead={account.email === null ? account.name : `${account.name}, ${account.email}`}
      around={around}
    >
      <PasswordCard csrf={csrf} state={stateOf("password")} email={account.email} />
      {account.twoFactorEnabled
        ? <FactorOn csrf={csrf} recovery={stateOf("recovery")} off={stateOf("off")} />
        : <FactorOff csrf={csrf} state={stateOf("two-factor")} email={account.email} />}
    </SettingsFrame>,
    {
      title: "Security",
      ...(status === undefined ? {} : { status }),
      ...(headers === undefined ? {} : { headers }),
    },
  );
}

/** A button that ends something; what it ends is said to screen readers too. */
export function EndButton({ action, csrf, word, what, hidden = {} }: {
  readonly action: string;
  readonly csrf: string;
  readonly word: string;
  readonly what: string;
  readonly hidden?: Readonly<Record<string, string>>;
}) {
  return (
    <Form action={action} csrf={csrf} hidden={hidden}>
      <button class="danger little" type="submit">
        {word}
        <span class="hush">{` ${what}`}</span>
      </button>
    </Form>
  );
}

function SessionItem({ session, csrf }: { readonly session: Session; readonly csrf: string }) {
  const { id, name, address, country, current, lastUsedAt, createdAt } = session;
  return (
    <li>
      <div class="what">
        <span>{name} {current ? <span class="tag good">This one</span> : null}</span>
        <span>
          <span class="mono">{address}</span>
          {country === null ? "" : `, ${country}`} · last used <Moment at={lastUsedAt} />
        </span>
        <span>
          Signed in <Moment at={createdAt} />
        </span>
      </div>
      {current ? null : (
        <EndButton
          action="/account/sessions/end"
          csrf={csrf}
          word="End"
          what={`the session of ${name}`}
          hidden={{ id }}
        />
      )}
    </li>
  );
}

function ToolItem({ tool, csrf }: { readonly tool: Tool; readonly csrf: string }) {
  const { id, name, prefix, workspace, address, lastUsedAt, createdAt } = tool;
  return (
    <li>
      <div class="what">
        <span>
          {name} <span class="tag">{workspace}</span>
        </span>
        <span>
          <span class="mono">{prefix}…</span> from <span class="mono">{address}</span>
        </span>
        <span>
          Connected <Moment at={createdAt} />
          {lastUsedAt === null ? ", never used" : (
            <>
              , last used <Moment at={lastUsedAt} />
            </>
          )}
        </span>
      </div>
      <EndButton
        action="/account/tools/revoke"
        csrf={csrf}
        word="Revoke"
        what={`the token of ${name} for ${workspace}`}
        hidden={{ id }}
      />
    </li>
  );
}

export function sessionsPage(around: Around, shown: {
  readonly sessions: readonly Session[];
  readonly tools: readonly Tool[];
}): Response {
  const { csrf } = around;
  return showPage(
    <SettingsFrame
      title="Sessions and tools"
      lead="Everything that is signed in as you. End what you do not know."
      around={around}
    >
      <Card title="Browsers" id="sessions">
        <ul class="items">
          {shown.sessions.map((session) => (
            <SessionItem key={session.id} session={session} csrf={csrf} />
          ))}
        </ul>
      </Card>
      <Card title="Tools" id="tools" lead="Signed in by svc login; each has its own token.">
        {shown.tools.length === 0
          ? (
            <div class="body">
              <p class="soft">None yet. On your machine, run:</p>
              <pre class="terminal">svc login</pre>
            </div>
          )
          : (
            <ul class="items">
              {shown.tools.map((tool) => <ToolItem key={tool.id} tool={tool} csrf={csrf} />)}
            </ul>
          )}
      </Card>
    </SettingsFrame>,
    { title: "Sessions and tools" },
  );
}

const EVENT_NAMES: Readonly<Record<SecurityEvent["event"], string>> = {
  "security.new_login": "Signed in",
  "security.suspicious_activity": "Suspicious activity",
  "security.api_key_created": "API key created",
  "security.api_key_revoked": "API key revoked",
  "security.password_changed": "Password changed",
  "security.two_factor_enabled": "Second factor turned on",
  "security.two_factor_enrollment_started": "Second factor begun",
};

export function activityPage(around: Around, events: readonly SecurityEvent[]): Response {
  return showPage(
    <SettingsFrame
      title="Activity"
      lead="What happened to your account, newest first."
      around={around}
    >
      <section class="card" aria-label="Events">
        <ol class="items">
          {events.map(({ event, detail, at, address, country }) => (
            <li>
              <div class="what">
                <span>
                  {EVENT_NAMES[event]}
                  {event === "security.suspicious_activity"
                    ? <span class="tag">Look at this</span>
                    : null}
                </span>
                <span>{detail}</span>
                <span>
                  <Moment at={at} /> from <span class="mono">{address}</span>
                  {country === null ? "" : `, ${country}`}
                </span>
              </div>
            </li>
          ))}
        </ol>
      </section>
    </SettingsFrame>,
    { title: "Activity" },
  );
}
