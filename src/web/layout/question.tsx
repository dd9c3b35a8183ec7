/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module The question that is asked before an action that replaces production or deletes
 * something. Without JavaScript, the question is a page. The dashboard's script shows the same form
 * as a dialog.
 */
import type { Child } from "hono/jsx";
import { showPage } from "./document.tsx";
import type { SentForm } from "./form.ts";
import { Mark, Notice } from "./pieces.tsx";

export interface Question {
  readonly title: string;
  /** Sentences that describe the action. */
  readonly lines: readonly string[];
  /** What the action affects, such as the two deployments. */
  readonly facts?: readonly (readonly [name: string, text: Child])[];
  /** The text of the button that runs the action. */
  readonly word: string;
  /** The name that the person must type. */
  readonly typed?: string;
  /**
   * The state that the question describes. If the state has changed when the person confirms, the
   * question is asked again.
   */
  readonly seen?: string;
}

/** Fields in the question's own form. */
const OWN_FIELDS: ReadonlySet<string> = new Set(["csrf", "confirmed", "typed", "seen", "cameFrom"]);

interface Refusal {
  readonly status: number;
  /** A problem with the whole form. */
  readonly failure?: string;
  /** A problem with the input. */
  readonly wrong?: string;
}

/** Returns why a form does not confirm the action; `undefined` if the form does confirm it. */
export function refusalOf(
  { typed, seen }: Question,
  fields: SentForm["fields"],
): Refusal | undefined {
  if (fields.confirmed !== "yes") return { status: 200 };
  if (seen !== undefined && fields.seen !== seen) {
    return { status: 409, failure: "This changed after the question was shown. Check it again." };
  }
  if (typed !== undefined && fields.typed?.trim() !== typed) {
    return { status: 400, wrong: `Must be "${typed}"` };
  }
  return undefined;
}

/** Browsers compile patterns with the flag `v` (HTML, 4.10.5.3.6). */
const escapePattern = (text: string): string => text.replaceAll(/[\^$.*+?()[\]{}|/\\]/g, "\\$&");

function TypedField({ name, wrong }: {
  readonly name: string;
  readonly wrong: string | undefined;
}) {
  return (
    <div class="field">
      <label for="typed">
        Type <code>{name}</code> to confirm
      </label>
      <input
        id="typed"
        name="typed"
        type="text"
        required
        pattern={`\\s*${escapePattern(name)}\\s*`}
        title={`Type ${name}`}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        autofocus
        aria-invalid={wrong === undefined ? undefined : "true"}
        aria-describedby={wrong === undefined ? undefined : "typed-wrong"}
      />
      {wrong === undefined ? null : <p class="wrong" id="typed-wrong">{wrong}</p>}
    </div>
  );
}

export interface Asked extends Pick<SentForm, "fields" | "values"> {
  /** Path and query to which the form is submitted. */
  readonly action: string;
  readonly csrf: string;
  /** Path of the page to which the person returns. */
  readonly cameFrom: string;
  /** Whether the fields can exceed the size limit for forms without files. */
  readonly isLarge?: boolean;
}

/** Renders a question. The form on the page contains the action's fields. */
export function questionPage(question: Question, asked: Asked, refusal: Refusal): Response {
  const { title, lines, facts = [], word, typed, seen } = question;
  const { action, csrf, cameFrom, fields, values, isLarge = false } = asked;
  const kept = Object.keys(fields).filter((name) => !OWN_FIELDS.has(name))
    .flatMap((name) => values(name).map((value) => [name, value] as const));
  const own = Object.entries({ csrf, cameFrom, seen, confirmed: "yes" });
  return showPage(
    <div class="asking">
      <Mark />
      <main id="main">
        <form
          id="question"
          method="post"
          action={action}
          encType={isLarge ? "multipart/form-data" : undefined}
          class="question"
        >
          {[...kept, ...own].map(([name, value]) =>
            value === undefined
              ? null
              : <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
          )}
          <h1 id="question-title">{title}</h1>
          {refusal.failure === undefined ? null : <Notice kind="care">{refusal.failure}</Notice>}
          {facts.length === 0 ? null : (
            <dl class="facts">
              {facts.map(([name, text]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          )}
          {lines.map((line) => <p key={line}>{line}</p>)}
          {typed === undefined ? null : <TypedField name={typed} wrong={refusal.wrong} />}
          <div class="actions">
            <a class="button quiet" href={cameFrom} data-close autofocus={typed === undefined}>
              Cancel
            </a>
            <button class="end" type="submit">{word}</button>
          </div>
        </form>
      </main>
    </div>,
    { title, status: refusal.status },
  );
}
