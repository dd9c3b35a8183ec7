/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The dashboard's components: states, times, commits, empty lists, pagers. */
import type { Child } from "hono/jsx";
import type { Deployment, DeploymentState } from "../../contract/deployments.ts";
import type { ProjectHealth } from "../../contract/health.ts";
import { dayText } from "./pieces.tsx";

export type Tone = "good" | "bad" | "care" | "idle";

/** Shows a state as a dot and a word. */
export function State({ tone, moving = false, past = false, children }: {
  readonly tone: Tone;
  /** Whether the state is about to change. */
  readonly moving?: boolean;
  /** Whether the state is in the past. */
  readonly past?: boolean;
  children?: Child;
}) {
  const kinds = ["state", tone, ...(moving ? ["moving"] : []), ...(past ? ["past"] : [])];
  return <span class={kinds.join(" ")}>{children}</span>;
}

interface ShownState {
  readonly tone: Tone;
  readonly word: string;
  readonly moving?: boolean;
  readonly past?: boolean;
}

const DEPLOYMENT_WORDS: Readonly<Record<DeploymentState, ShownState>> = {
  PENDING: { tone: "care", word: "Waiting", moving: true },
  BUILDING: { tone: "care", word: "Building", moving: true },
  DEPLOYING: { tone: "care", word: "Deploying", moving: true },
  LIVE: { tone: "good", word: "Ready" },
  FAILED: { tone: "bad", word: "Failed" },
  STOPPED: { tone: "idle", word: "Stopped", past: true },
  ROLLED_BACK: { tone: "idle", word: "Rolled back", past: true },
};

export const deploymentWord = (status: DeploymentState): string => DEPLOYMENT_WORDS[status].word;

/** Whether a deployment is still in progress. */
export const isUnderWay = (status: DeploymentState): boolean =>
  DEPLOYMENT_WORDS[status].moving === true;

/**
 * Returns attributes for the element `id`. While something in the element is in progress, the
 * attributes refresh the element from the page at `path`.
 */
export const renewed = (isMoving: boolean, { id, path }: {
  readonly id: string;
  readonly path: string;
}) =>
  isMoving
    ? {
      "hx-get": path,
      "hx-trigger": "every 3s",
      "hx-select": `#${id}`,
      "hx-target": `#${id}`,
      "hx-swap": "outerHTML",
    }
    : {};

/** Shows a deployment's state. A production deployment that was replaced is ready, not current. */
export function DeploymentStateMark({ deployment }: {
  readonly deployment: Pick<Deployment, "status" | "isProduction" | "isPreview">;
}) {
  const { status, isProduction, isPreview } = deployment;
  if (isProduction) return <State tone="good">Current</State>;
  const { word, ...shown } = DEPLOYMENT_WORDS[status];
  const isReplaced = status === "LIVE" && !isPreview;
  return <State {...shown} tone={isReplaced ? "idle" : shown.tone}>{word}</State>;
}

const HEALTH_WORDS: Readonly<Record<Exclude<ProjectHealth["state"], "none">, ShownState>> = {
  static: { tone: "good", word: "Static site" },
  idle: { tone: "idle", word: "Server asleep until the next request" },
  healthy: { tone: "good", word: "Server healthy" },
  unhealthy: { tone: "bad", word: "Server unhealthy" },
};

/**
 * Shows the health of a project's production deployment. Renders nothing if no deployment is live.
 */
export function HealthMark({ state }: Pick<ProjectHealth, "state">) {
  if (state === "none") return null;
  const { word, ...shown } = HEALTH_WORDS[state];
  return <State {...shown}>{word}</State>;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns the time that has passed since a moment, in words. */
export function agoText(at: number, now: number): string {
  const past = Math.max(0, now - at);
  if (past < MINUTE) return "just now";
  if (past < HOUR) return `${Math.floor(past / MINUTE)} min ago`;
  if (past < DAY) return `${Math.floor(past / HOUR)} h ago`;
  const days = Math.floor(past / DAY);
  if (days < 60) return days === 1 ? "yesterday" : `${days} days ago`;
  return dayText(new Date(at).toISOString());
}

/** Shows how long ago a moment was, and the exact time on hover. */
export function Ago({ at, now }: { readonly at: string; readonly now: number }) {
  const exact = `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
  return <time datetime={at} title={exact}>{agoText(Date.parse(at), now)}</time>;
}

/** Formats a duration, such as `1 min 4 s`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 1) return "under 1 s";
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns a URL without its scheme. */
const shortAddress = (url: string): string => url.replace(/^https?:\/\//, "");

/**
 * Shows a name. A name that is too long for a line breaks after punctuation rather than within
 * words.
 */
export function Name({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(/(?<=[./:_@,?&=-])/).map((part, index) => (
        <>
          {index === 0 ? null : <wbr />}
          {part}
        </>
      ))}
    </>
  );
}

export function Branch({ name }: { readonly name: string }) {
  return (
    <span class="mono">
      <Name text={name} />
    </span>
  );
}

/** Shows a link that opens a site in a new window. */
export function SiteLink({ url, class: kind }: { readonly url: string; readonly class?: string }) {
  return (
    <a class={kind} href={url} target="_blank" rel="noreferrer">
      <Name text={shortAddress(url)} />
    </a>
  );
}

/** Shows a link to a site. The script adds a button that copies the site's URL. */
export function CopiedLink({ url }: { readonly url: string }) {
  return (
    <span class="row" data-copied={url}>
      <SiteLink url={url} />
    </span>
  );
}

/** Shows the first digits of a commit hash. */
export function Commit({ sha }: { readonly sha: string | null }) {
  return sha === null ? null : <span class="sha">{sha.slice(0, 7)}</span>;
}

/** Replaces an empty list with the reason why it is empty and the command to run next. */
export function Empty({ title, command, children }: {
  readonly title: string;
  readonly command?: string;
  children?: Child;
}) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children ? <p>{children}</p> : null}
      {command === undefined ? null : <pre class="terminal" tabindex={0}>{command}</pre>}
    </div>
  );
}

/** Shows a labeled field with a few values to choose from. */
export function SelectField({ label, name, id = name, values, words = {}, chosen }: {
  readonly label: string;
  readonly name: string;
  /** Distinguishes fields with the same name on a page. */
  readonly id?: string;
  readonly values: readonly string[];
  /** Labels for values that are not readable words. */
  readonly words?: Readonly<Record<string, string>>;
  readonly chosen: string;
}) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name} autocomplete="off">
        {values.map((value) => (
          <option key={value} value={value} selected={value === chosen}>
            {words[value] ?? value}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Shows links to the first page and the next page of a list. */
export function Pager({ path, cursor, nextCursor, name = "cursor", query = {} }: {
  readonly path: string;
  readonly cursor: string | null;
  readonly nextCursor: string | null;
  /**
   * Name of the query parameter for the cursor, which must be different for each list on a page.
   */
  readonly name?: string;
  /** Other query parameters. */
  readonly query?: Readonly<Record<string, string>>;
}) {
  if (cursor === null && nextCursor === null) return null;
  const first = new URLSearchParams(query);
  const next = new URLSearchParams({ ...query, [name]: nextCursor ?? "" });
  return (
    <nav class="pager" aria-label="Pages">
      {cursor === null
        ? null
        : (
          <a class="button quiet little" href={first.size === 0 ? path : `${path}?${first}`}>
            First page
          </a>
        )}
      {nextCursor === null
        ? null
        : <a class="button quiet little" href={`${path}?${next}`}>Next page</a>}
    </nav>
  );
}
