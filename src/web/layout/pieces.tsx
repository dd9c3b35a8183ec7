/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Building blocks of pages. */
import type { Child } from "hono/jsx";
import { encode } from "uqr";
import type { FormState } from "./form.ts";
import type { PageContext } from "./page_context.ts";

export function Mark({ href = "/" }: { readonly href?: string }) {
  return (
    <a class="mark" href={href}>
      <svg viewBox="0 0 28 28" aria-hidden="true">
        <rect width="28" height="28" rx="7" fill="#128a64" />
        <path d="M8 9h12M8 14h8M8 19h4" stroke="#fff" stroke-width="2.6" stroke-linecap="round" />
      </svg>
      <span>svc</span>
    </a>
  );
}

/** Shows a message. Screen readers announce a `bad` message immediately. */
export function Notice(
  { kind = "good", children }: { readonly kind?: "good" | "bad" | "care"; children?: Child },
) {
  return <div class={`notice ${kind}`} role={kind === "bad" ? "alert" : "status"}>{children}</div>;
}

/** Shows the last action, with a button to undo it if that is possible. */
export function DoneNotice({ context }: {
  readonly context: Pick<PageContext, "done" | "undo" | "csrf">;
}) {
  const { done, undo, csrf } = context;
  if (done === undefined) return null;
  return (
    <Notice>
      <div class="row">
        <span>{done}</span>
        {undo === undefined ? null : (
          <Form action={undo} csrf={csrf} class="inline" asks>
            <button class="plain" type="submit">Undo</button>
          </Form>
        )}
      </div>
    </Notice>
  );
}

/** Shows a problem that concerns the whole form, above its fields. */
export function Trouble({ state }: { readonly state: FormState }) {
  if (state.failure !== undefined) return <Notice kind="bad">{state.failure}</Notice>;
  const problems = Object.entries(state.problems);
  if (problems.length === 0) return null;
  return (
    <Notice kind="bad">
      Check the marked fields.
      <ul>
        {problems.map(([name, message]) => (
          <li key={name}>
            <a href={`#${name}`}>{message}</a>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

export interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly state: FormState;
  readonly type?: string;
  readonly autocomplete: string;
  readonly hint?: string;
  /** The initial value. */
  readonly initial?: string;
  readonly focus?: boolean;
  readonly class?: string;
  readonly minlength?: number;
  readonly maxlength?: number;
  readonly inputmode?: string;
  /** Step between valid times, in seconds. */
  readonly step?: number;
  /** Whether the field can be empty. */
  readonly optional?: boolean;
}

/**
 * Shows a labeled field with its hint and error. The first invalid field gets the focus. Passwords
 * are never shown again.
 */
export function Field({ label, name, state, type = "text", hint, initial, ...rest }: FieldProps) {
  const wrong = state.problems[name];
  const [hintId, wrongId] = [`${name}-hint`, `${name}-wrong`];
  const about = [...(wrong ? [wrongId] : []), ...(hint ? [hintId] : [])].join(" ");
  const plain = type === "email" || rest.autocomplete === "one-time-code";
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        required={rest.optional !== true}
        value={type === "password" ? undefined : state.values[name] ?? initial}
        autocomplete={rest.autocomplete}
        autofocus={rest.focus === true || wrong !== undefined}
        class={rest.class}
        minlength={rest.minlength}
        maxlength={rest.maxlength}
        step={rest.step}
        inputmode={rest.inputmode as "numeric" | undefined}
        spellcheck={plain || type === "password" ? false : undefined}
        autocapitalize={plain ? "none" : undefined}
        aria-invalid={wrong ? "true" : undefined}
        aria-describedby={about === "" ? undefined : about}
      />
      {wrong ? <p class="wrong" id={wrongId}>{wrong}</p> : null}
      {hint ? <p class="hint" id={hintId}>{hint}</p> : null}
    </div>
  );
}

/** Renders a form with a token that proves that it was submitted from one of our own pages. */
export function Form({ action, csrf, class: kind, hidden = {}, asks = false, children }: {
  readonly action: string;
  readonly csrf?: string;
  readonly class?: string;
  /** Whether to ask a question before the action. The script shows the question as a dialog. */
  readonly asks?: boolean;
  readonly hidden?: Readonly<Record<string, string | undefined>>;
  children?: Child;
}) {
  const fields = Object.entries({ csrf, ...hidden });
  return (
    <form method="post" action={action} class={kind} data-asks={asks ? "" : undefined}>
      {fields.map(([name, value]) =>
        value === undefined ? null : <input key={name} type="hidden" name={name} value={value} />
      )}
      {children}
    </form>
  );
}

const MOMENT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
});

const DAY = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

/** Formats a day in UTC, such as `1 Dec 2026`. */
export const dayText = (at: string): string => DAY.format(new Date(at));

/**
 * Shows a time in UTC. The script converts it to the reader's time zone and keeps the UTC time as a
 * tooltip.
 */
export function Moment({ at }: { readonly at: string }) {
  return <time datetime={at} data-local="">{`${MOMENT.format(new Date(at))} UTC`}</time>;
}

/** Shows when a credential was created and when it was last used. */
export function MadeAndUsed({ word, createdAt, lastUsedAt }: {
  /** The word for how the credential was created, such as "Connected". */
  readonly word: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}) {
  return (
    <span>
      {word} <Moment at={createdAt} />
      {lastUsedAt === null ? " · never used" : (
        <>
          {" · "}last used <Moment at={lastUsedAt} />
        </>
      )}
    </span>
  );
}

/** Draws a QR code, including its quiet zone, as one path. */
export function Qr({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { border: 3 });
  const runs = data.flatMap((row, y) =>
    row.flatMap((dark, x) => dark ? [`M${x} ${y}h1v1h-1z`] : [])
  );
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={runs.join("")} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

/** Shows a check mark or a cross in a circle. */
export function Outcome({ good }: { readonly good: boolean }) {
  return (
    <div class={good ? "big" : "big bad"} aria-hidden="true">
      <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.5">
        <path
          d={good ? "M5 12.5l4.5 4.5L19 7.5" : "M6 6l12 12M18 6L6 18"}
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      </svg>
    </div>
  );
}

/** Renders a card with a heading. */
export function Card({ title, id, lead, children }: {
  readonly title: string;
  readonly id: string;
  readonly lead?: Child;
  children?: Child;
}) {
  return (
    <section class="card" id={id} aria-labelledby={`${id}-title`}>
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        {lead ? <p>{lead}</p> : null}
      </header>
      {children}
    </section>
  );
}

/**
 * Renders a button that removes or stops something. Screen readers also announce what it removes or
 * stops.
 */
export function EndButton({ action, csrf, word, what, hidden = {}, asks = true }: {
  readonly action: string;
  readonly csrf: string;
  readonly word: string;
  /** The name of what the button removes or stops, which the question also contains. */
  readonly what: string;
  readonly hidden?: Readonly<Record<string, string>>;
  readonly asks?: boolean;
}) {
  return (
    <Form action={action} csrf={csrf} hidden={asks ? { ...hidden, what } : hidden} asks={asks}>
      <button class="danger little" type="submit">
        {word}
        <span class="hush">{` ${what}`}</span>
      </button>
    </Form>
  );
}
