/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Sign-in with a messenger: the pages that wait for the chat and create an account. */
import { EMPTY, type FormState } from "../layout/form.ts";
import { EntryFrame } from "../layout/frames.tsx";
import { Field, Form, Qr, Trouble } from "../layout/pieces.tsx";
import { showPage } from "../layout/document.tsx";
import { signInPath } from "../visit/page_binder.tsx";

/** Path of the page that waits for the chat. */
export const MESSENGER_ENTRY_PATH = "/sign-in/messenger";
/** Seconds until the page reloads itself. */
const LOOK_AGAIN = 3;

export const messengerEntryPath = (next: string): string =>
  next === "/" ? MESSENGER_ENTRY_PATH : `${MESSENGER_ENTRY_PATH}?next=${encodeURIComponent(next)}`;

/** Shows the button for signing in with a messenger, on the sign-in and sign-up pages. */
export function MessengerDoor({ next }: { readonly next: string }) {
  return (
    <Form action={MESSENGER_ENTRY_PATH} hidden={{ next }}>
      <button class="quiet" type="submit">Continue with Telegram</button>
    </Form>
  );
}

export function messengerWaitPage(shown: {
  readonly url: string;
  readonly number: number;
  readonly next: string;
}): Response {
  const { url, number, next } = shown;
  return showPage(
    <EntryFrame
      title={`Your number is ${number}`}
      lead="Open the bot, press Start, then tap this number. This page continues automatically."
    >
      <Qr text={url} label="QR code that opens the bot" />
      <p>
        <a class="button" href={url} rel="noreferrer">Open Telegram</a>
      </p>
      <p class="aside-link">
        <a href={messengerEntryPath(next)}>I've tapped it</a>
      </p>
      <p class="aside-link">
        <a href={signInPath(next)}>Sign in another way</a>
      </p>
    </EntryFrame>,
    {
      title: "Continue with Telegram",
      headers: { refresh: `${LOOK_AGAIN}; url=${messengerEntryPath(next)}` },
    },
  );
}

/** Renders the page for an attempt that was denied or took too long. */
export function messengerOverPage(
  shown: { readonly wasDenied: boolean; readonly next: string },
): Response {
  return showPage(
    <EntryFrame
      title={shown.wasDenied ? "Sign-in failed" : "This sign-in expired"}
      lead={shown.wasDenied
        ? "Someone tapped a different number, or said that it was not them."
        : "A bot link works only once, in the same browser, and for ten minutes."}
    >
      <MessengerDoor next={shown.next} />
      <p class="aside-link">
        <a href={signInPath(shown.next)}>Sign in another way</a>
      </p>
    </EntryFrame>,
    { title: "Not signed in", status: shown.wasDenied ? 403 : 400 },
  );
}

export function newcomerPage(shown: {
  readonly name: string;
  readonly next: string;
  readonly state?: FormState;
  readonly status?: number;
}): Response {
  const { name, next, state = EMPTY, status } = shown;
  return showPage(
    <EntryFrame
      title="Create an account"
      lead="This chat is not linked to an account yet. Create one to get notifications in the chat."
    >
      <Trouble state={state} />
      <Form action={`${MESSENGER_ENTRY_PATH}/account`} hidden={{ next }}>
        <Field
          label="Your name"
          name="name"
          state={state}
          initial={name}
          autocomplete="name"
          maxlength={100}
          focus
        />
        <button type="submit">Create account</button>
      </Form>
      <p class="aside-link">
        Already have an account? <a href={signInPath(next)}>Sign in</a>{" "}
        and link the chat in your settings.
      </p>
    </EntryFrame>,
    { title: "Create an account", status },
  );
}
