/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The pages that enroll an authenticator and show the recovery codes. */
import { Card, Field, Form, Notice, Qr, Trouble } from "../layout/pieces.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import type { PageContext } from "../layout/page_context.ts";
import { SettingsFrame } from "../layout/frames.tsx";
import { showSettings } from "../layout/show_board.ts";

/** Splits the secret into groups of four characters for readability. */
const grouped = (secret: string): string => secret.replace(/(.{4})(?=.)/g, "$1 ");

/** Shows the secret for a new authenticator and asks for its first code. */
export function enrolPage(
  context: PageContext,
  shown: FormPage & { readonly uri: string },
): Response {
  const { uri, state = EMPTY, status, headers } = shown;
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  return showSettings(
    <SettingsFrame title="Set up two-factor authentication" context={context}>
      <Card title="Your authenticator app" id="enrol">
        <div class="body">
          <Trouble state={state} />
          <div class="enrol">
            <Qr text={uri} label="QR code with the secret, also shown as text next to it" />
            <div class="stack">
              <p>Scan the QR code with your authenticator app, or enter this secret:</p>
              <code class="secret">{grouped(secret)}</code>
              <Form action="/account/two-factor/confirm" csrf={context.csrf} hidden={{ uri }}>
                <Field
                  label="Six-digit code from the app"
                  name="code"
                  state={{ ...state, values: {} }}
                  autocomplete="one-time-code"
                  inputmode="numeric"
                  maxlength={10}
                  class="code"
                  focus
                />
                <div class="actions">
                  <button type="submit">Turn on</button>
                  <a class="button quiet" href="/account">Not now</a>
                </div>
              </Form>
            </div>
          </div>
        </div>
      </Card>
    </SettingsFrame>,
    {
      title: "Set up two-factor authentication",
      status,
      headers,
    },
  );
}

/** Shows recovery codes. They cannot be shown again. */
export function recoveryPage(context: PageContext, codes: readonly string[]): Response {
  return showSettings(
    <SettingsFrame title="Save these codes" context={context}>
      <Card
        title="Recovery codes"
        id="codes"
        lead="If you lose your authenticator app, each code lets you sign in once."
      >
        <div class="body">
          <Notice kind="care">
            <strong>You won't see them again.</strong>
            <span>Print them or store them in a password manager.</span>
          </Notice>
          <ul class="codes">
            {codes.map((code) => <li key={code}>{code}</li>)}
          </ul>
          <div>
            <a class="button" href="/account">I have saved these codes</a>
          </div>
        </div>
      </Card>
    </SettingsFrame>,
    { title: "Recovery codes" },
  );
}
