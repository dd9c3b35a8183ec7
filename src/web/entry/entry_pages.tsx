/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The pages before sign-in, and the page behind a new owner's one-time link. */
import { deadLinkPage } from "../layout/dead_link_page.tsx";
import { EmailField, NewPassword } from "../layout/credential_fields.tsx";
import { EMPTY, type FormPage, type FormState } from "../layout/form.ts";
import { EntryFrame } from "../layout/frames.tsx";
import { Field, Form, Trouble } from "../layout/pieces.tsx";
import { formPageFacts, showPage } from "../layout/document.tsx";
import { signInPath } from "../visit/page_binder.tsx";
import { MessengerDoor } from "./messenger_entry_pages.tsx";

/** The state of a form that is shown before sign-in. */
interface EntryForm extends FormPage {
  /** Whether people can sign in with a messenger. */
  readonly hasMessenger?: boolean;
  /** The path on this site that the person goes to after sign-in. */
  readonly next: string;
}

/** Shows the fields for a new account. */
function NewAccount({ state }: { readonly state: FormState }) {
  return (
    <>
      <Field
        label="Your name"
        name="name"
        state={state}
        autocomplete="name"
        maxlength={100}
        focus
      />
      <EmailField state={state} maxlength={254} />
      <NewPassword state={state} />
    </>
  );
}

export function signInPage(shown: EntryForm & { readonly canReset?: boolean }): Response {
  const { state = EMPTY, next } = shown;
  const forTool = next.startsWith("/device");
  return showPage(
    <EntryFrame
      title="Sign in"
      lead={forTool ? "Afterwards, you can authorize the waiting device." : undefined}
    >
      <Trouble state={state} />
      <Form action="/sign-in" hidden={{ next }}>
        <EmailField state={state} focus />
        <Field
          label="Password"
          name="password"
          type="password"
          state={state}
          autocomplete="current-password"
        />
        <button type="submit">Sign in</button>
      </Form>
      {shown.hasMessenger === true ? <MessengerDoor next={next} /> : null}
      {shown.canReset === true
        ? (
          <p class="aside-link">
            <a href="/forgot-password">Forgot your password?</a>
          </p>
        )
        : null}
      <p class="aside-link">
        New here? <a href={signInPath(next, "sign-up")}>Create an account</a>
      </p>
    </EntryFrame>,
    formPageFacts("Sign in", shown),
  );
}

export function signUpPage(shown: EntryForm): Response {
  const { state = EMPTY, next } = shown;
  return showPage(
    <EntryFrame title="Create an account" lead="Takes a minute.">
      <Trouble state={state} />
      <Form action="/sign-up" hidden={{ next }}>
        <NewAccount state={state} />
        <button type="submit">Create account</button>
      </Form>
      {shown.hasMessenger === true ? <MessengerDoor next={next} /> : null}
      <p class="aside-link">
        Already have an account? <a href={signInPath(next)}>Sign in</a>
      </p>
    </EntryFrame>,
    formPageFacts("Create an account", shown),
  );
}

export function secondFactorPage(shown: EntryForm & { readonly challenge: string }): Response {
  const { state = EMPTY, next, challenge } = shown;
  return showPage(
    <EntryFrame
      title="Enter your code"
      lead="Enter the six digits from your authenticator app, or one of your recovery codes."
    >
      <Trouble state={state} />
      <Form action="/sign-in/two-factor" hidden={{ next, challenge }}>
        <Field
          label="Code"
          name="code"
          state={{ ...state, values: {} }}
          autocomplete="one-time-code"
          maxlength={32}
          class="code"
          focus
        />
        <button type="submit">Continue</button>
      </Form>
      <p class="aside-link">
        <a href={signInPath(next)}>Start over</a>
      </p>
    </EntryFrame>,
    formPageFacts("Second factor", shown),
  );
}

export function welcomePage(shown: FormPage & { readonly token: string }): Response {
  const { state = EMPTY, token } = shown;
  return showPage(
    <EntryFrame
      title="Welcome to your platform"
      lead="You are the owner. Choose how to sign in from now on. This link works once."
    >
      <Trouble state={state} />
      <Form action={`/welcome/${token}`}>
        <NewAccount state={state} />
        <button type="submit">Claim this platform</button>
      </Form>
    </EntryFrame>,
    formPageFacts("Welcome", shown),
  );
}

export const usedWelcomePage = (): Response =>
  deadLinkPage({
    lead:
      "It has expired or was already used. Until you set a password, svc serve prints a new link at each start.",
    path: "/sign-in",
    word: "Sign in",
  });
