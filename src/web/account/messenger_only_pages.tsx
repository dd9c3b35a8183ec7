/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module The form for accounts that sign in only with a messenger. It replaces the password form.
 */
import { Card, Form, Trouble } from "../layout/pieces.tsx";
import { EmailField, NewPassword } from "../layout/credential_fields.tsx";
import type { FormState } from "../layout/form.ts";
import type { PageContext } from "../layout/page_context.ts";
import { SettingsFrame } from "../layout/frames.tsx";
import { showSettings } from "../layout/show_board.ts";
import { MESSENGER_ENTRY_PATH } from "../entry/messenger_entry_pages.tsx";

/** Asks the person to sign in again because the last sign-in was more than ten minutes ago. */
export function ConfirmCard({ csrf }: { readonly csrf: string }) {
  return (
    <Card
      title="Confirm it's you"
      id="confirm"
      lead="You sign in only with the messenger. Confirm there before you add an email address or change two-factor authentication. The confirmation lasts ten minutes."
    >
      <div class="body">
        <Form action={MESSENGER_ENTRY_PATH} csrf={csrf} hidden={{ next: "/account" }}>
          <div>
            <button type="submit">Confirm with Telegram</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

export function EmailCard({ csrf, state }: { readonly csrf: string; readonly state: FormState }) {
  return (
    <Card
      title="Email and password"
      id="add-email"
      lead="A second way to sign in if you lose access to the messenger."
    >
      <div class="body">
        <Trouble state={state} />
        <Form action="/account/email" csrf={csrf}>
          <EmailField state={state} />
          <NewPassword state={state} brief />
          <div>
            <button type="submit">Add</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

/** Shows the same text whether or not an account uses the address. */
export function emailUnderWayPage(context: PageContext, email: string): Response {
  return showSettings(
    <SettingsFrame title="Check your email" context={context}>
      <Card title="Confirmation link sent" id="mail">
        <div class="body">
          <p>
            We sent a link to{" "}
            {email}. Open it in this browser within an hour. After that, you can sign in with this
            email address.
          </p>
          <div>
            <a class="button quiet" href="/account">Back to your account</a>
          </div>
        </div>
      </Card>
    </SettingsFrame>,
    { title: "Check your email" },
  );
}

/**
 * Renders the page that the link in the email opens. It has a button, because email scanners follow
 * links.
 */
export function confirmEmailPage(context: PageContext, token: string): Response {
  return showSettings(
    <SettingsFrame title="Confirm your email address" context={context}>
      <Card
        title="Email address"
        id="confirm-email"
        lead={`You can then use it to sign in as ${context.person.user.name}.`}
      >
        <div class="body">
          <Form
            action={`/account/email/confirm/${encodeURIComponent(token)}`}
            csrf={context.csrf}
          >
            <div>
              <button type="submit">Confirm email address</button>
            </div>
          </Form>
        </div>
      </Card>
    </SettingsFrame>,
    { title: "Confirm your email address" },
  );
}
