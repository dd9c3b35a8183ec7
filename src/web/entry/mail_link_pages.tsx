/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module The pages that links in emails open: to confirm an account, and to choose a new password.
 */
import { EmailField, NewPassword } from "../layout/credential_fields.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import { EntryFrame } from "../layout/frames.tsx";
import { Form, Trouble } from "../layout/pieces.tsx";
import { formPageFacts, showPage } from "../layout/document.tsx";

/** Shows the same text whether or not an account uses the address. */
export function lookAtMailPage(email: string): Response {
  return showPage(
    <EntryFrame
      title="Check your email"
      lead={`We sent a link to ${email}. Open it to continue.`}
    >
      <p class="aside-link">
        No email? Wait a minute, then check your spam folder.
      </p>
    </EntryFrame>,
    { title: "Check your email" },
  );
}

/**
 * Renders the page that the link in the email opens. It has a button, because email scanners follow
 * links.
 */
export function confirmSignUpPage(token: string): Response {
  return showPage(
    <EntryFrame title="Confirm your account" lead="Click to finish signing in.">
      <Form action={`/sign-up/confirm/${encodeURIComponent(token)}`}>
        <button type="submit">Confirm and sign in</button>
      </Form>
    </EntryFrame>,
    { title: "Confirm your account" },
  );
}

export function forgotPasswordPage(shown: FormPage = {}): Response {
  const { state = EMPTY } = shown;
  return showPage(
    <EntryFrame title="Choose a new password" lead="We'll email you a link.">
      <Trouble state={state} />
      <Form action="/forgot-password">
        <EmailField state={state} focus />
        <button type="submit">Send link</button>
      </Form>
      <p class="aside-link">
        <a href="/sign-in">Back to sign-in</a>
      </p>
    </EntryFrame>,
    formPageFacts("Choose a new password", shown),
  );
}

export function resetPasswordPage(shown: FormPage & { readonly token: string }): Response {
  const { state = EMPTY, token } = shown;
  return showPage(
    <EntryFrame
      title="Choose a new password"
      lead="This signs you out everywhere. Connected devices and API keys keep working."
    >
      <Trouble state={state} />
      <Form action={`/reset-password/${encodeURIComponent(token)}`}>
        <NewPassword state={state} />
        <button type="submit">Set password</button>
      </Form>
    </EntryFrame>,
    formPageFacts("Choose a new password", shown),
  );
}

export function passwordSetPage(): Response {
  return showPage(
    <EntryFrame title="Password set" lead="You can now sign in.">
      <p>
        <a class="button" href="/sign-in">Sign in</a>
      </p>
    </EntryFrame>,
    { title: "Password set" },
  );
}
