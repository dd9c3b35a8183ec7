/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The production rules as text, to check, try, publish and restore. */
import type { ActiveRules, RulesRevision } from "../../contract/rules.ts";
import type { Diagnostic } from "../../lib/diagnostic.ts";
import { Empty, Pager, State } from "../layout/board_pieces.tsx";
import type { FormPage } from "../layout/form.ts";
import { Card, EndButton, Form, Moment, Notice } from "../layout/pieces.tsx";
import { canChange, cursorOf, type ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";
import { RULES_SCRIPT_PATH } from "./rules_script.ts";
import { Diff } from "./text_diff.tsx";
import type { ChangedGroup, TrialReport } from "./try_rules.ts";

export interface RulesView {
  readonly active: Pick<ActiveRules, "origin" | "revisionId" | "deploymentId" | "publishedAt">;
  /** The version of the active rules, which is required to publish new rules. */
  readonly etag: string;
  /** The editor's text; `undefined` if the rules are too long for the editor. */
  readonly text: string | undefined;
  /** The checker's findings; `undefined` before the first check. */
  readonly diagnostics?: readonly Diagnostic[];
  /** Why the text could not be checked, tried or published. */
  readonly failure?: string;
  readonly trial?: TrialReport;
  /** The rules that someone else has published since the page was opened. */
  readonly theirs?: string;
  /** Two versions to compare: the active version and the selected revision. */
  readonly compared?: { readonly revisionId: string; readonly from: string; readonly to: string };
  readonly revisions: readonly RulesRevision[];
  readonly nextCursor: string | null;
}

/** Maximum height of the editor, in lines, and maximum number of lines that have a number. */
const MAX_LINES = 400;
const MIN_LINES = 14;

const lineText = ({ position }: Diagnostic): string =>
  position === undefined ? "Whole file" : `Line ${position.line}, column ${position.column}`;

function Gutter({ lines, diagnostics }: {
  readonly lines: number;
  readonly diagnostics: readonly Diagnostic[];
}) {
  const marks = new Map<number, string>();
  for (const { position, severity } of diagnostics) {
    const line = position?.line ?? 0;
    if (marks.get(line) !== "error") marks.set(line, severity);
  }
  return (
    <pre class="gutter" aria-hidden="true" id="gutter">
      {Array.from({ length: Math.min(lines, MAX_LINES) }, (_, index) => (
        <span key={index} class={marks.get(index + 1)}>{`${index + 1}\n`}</span>
      ))}
    </pre>
  );
}

function Finding({ diagnostic, source }: {
  readonly diagnostic: Diagnostic;
  readonly source: string;
}) {
  const { severity, message, hint, position, ruleId } = diagnostic;
  const line = position === undefined ? undefined : source.split("\n")[position.line - 1];
  return (
    <li data-line={position?.line} data-severity={severity}>
      <State tone={severity === "error" ? "bad" : "care"}>
        {severity === "error" ? "Error" : "Warning"}
      </State>
      <div class="main">
        <span>{message}</span>
        <span class="dots soft">
          {position === undefined
            ? <span>{lineText(diagnostic)}</span>
            : <a href="#toml" data-line={position.line}>{lineText(diagnostic)}</a>}
          {ruleId === undefined ? null : <span class="mono">{ruleId}</span>}
        </span>
        {line === undefined || line.trim() === ""
          ? null
          : <code class="small">{line.trim().slice(0, 200)}</code>}
        {hint === undefined ? null : <span class="soft">{hint}</span>}
      </div>
    </li>
  );
}

/**
 * Shows the result of the last check. The element is always rendered, because it is updated by
 * checks during typing.
 */
function Findings({ view }: { readonly view: RulesView }) {
  const { diagnostics, text = "" } = view;
  return (
    <div id="findings" aria-live="polite">
      {diagnostics === undefined
        ? null
        : diagnostics.length === 0
        ? <p class="hint">No problems found.</p>
        : (
          <ol class="rows inset">
            {diagnostics.map((each, index) => (
              <Finding key={index} diagnostic={each} source={text} />
            ))}
          </ol>
        )}
    </div>
  );
}

function Origin({ active }: Pick<RulesView, "active">) {
  const { origin, deploymentId, publishedAt } = active;
  if (origin === "ui") {
    return (
      <>
        Overrides the deployment's own rules
        {publishedAt === null ? null : (
          <>
            , published on <Moment at={publishedAt} />
          </>
        )}
        .
      </>
    );
  }
  if (origin === null || deploymentId === null) return <>Production has no rules yet.</>;
  return (
    <>
      From the{" "}
      <a href={`/deployments/${deploymentId}`}>live deployment</a>. Rules that you publish here
      override them until you remove them.
    </>
  );
}

function Editor({ parts, view }: { readonly parts: ProjectVisit; readonly view: RulesView }) {
  const { text = "", etag, diagnostics = [] } = view;
  const path = parts.path("rules");
  const rows = Math.min(Math.max(text.split("\n").length + 1, MIN_LINES), MAX_LINES);
  return (
    <form
      method="post"
      action={`${path}/check`}
      encType="multipart/form-data"
      class="wide"
      hx-post={`${path}/check`}
      hx-encoding="multipart/form-data"
      hx-trigger="input changed delay:600ms from:#toml"
      hx-target="#findings"
      hx-select="#findings"
      hx-swap="outerHTML"
    >
      <input type="hidden" name="csrf" value={parts.context.csrf} />
      <input type="hidden" name="etag" value={etag} />
      <div class="field">
        <label for="toml">Rules as TOML</label>
        <div class="editor">
          <Gutter lines={rows} diagnostics={diagnostics} />
          <textarea
            id="toml"
            name="toml"
            rows={rows}
            wrap="off"
            autocomplete="off"
            spellcheck={false}
            aria-describedby="findings"
          >
            {/* Browsers drop a newline at the beginning. */}
            {`\n${text}`}
          </textarea>
        </div>
      </div>
      <Findings view={view} />
      <div class="row">
        <button class="quiet" type="submit">Check</button>
        <button class="quiet" type="submit" formaction={`${path}/try#trial`}>
          Try on the last 1,000 requests
        </button>
        {canChange(parts)
          ? (
            <button type="submit" formaction={`${path}/publish`} data-asks="">
              Publish to production
            </button>
          )
          : null}
      </div>
    </form>
  );
}

function Change({ group }: { readonly group: ChangedGroup }) {
  const { count, before, after, examples } = group;
  return (
    <li>
      <span class="num">{count === 1 ? "1 request" : `${count} requests`}</span>
      <div class="main">
        <span class="mono small">{examples.join(", ")}</span>
        {before.map((line) => <del key={line} class="soft">{line}</del>)}
        {after.map((line) => <ins key={line}>{line}</ins>)}
      </div>
    </li>
  );
}

function Trial({ trial }: { readonly trial: TrialReport }) {
  const { requests, changed, groups, limits } = trial;
  return (
    <Card
      title="Trial with recorded requests"
      id="trial"
      lead={changed === 0
        ? `None of the last ${requests} requests to production would get a different response.`
        : `${changed} of the last ${requests} requests to production would get a different ` +
          `response.`}
    >
      {groups.length === 0 ? null : (
        <ol class="rows">
          {groups.map((group, index) => <Change key={index} group={group} />)}
        </ol>
      )}
      {limits.length === 0 ? null : (
        <div class="body">
          <ul class="stack small soft">{limits.map((text) => <li key={text}>{text}.</li>)}</ul>
        </div>
      )}
    </Card>
  );
}

function Conflict({ path, theirs, text }: {
  readonly path: string;
  readonly theirs: string;
  readonly text: string;
}) {
  return (
    <Card
      title="Someone else published first"
      id="conflict"
      lead="Nothing was published. Your text is in the editor above. Below are the changes from their rules to yours."
    >
      <div class="body">
        <Diff from={theirs} to={text} label="Changes from their rules to yours" />
        <p>
          Publish again to replace their rules, or <a href={path}>discard yours</a>.
        </p>
        <details class="more">
          <summary>Their rules</summary>
          <pre class="terminal" tabindex={0}>{theirs}</pre>
        </details>
      </div>
    </Card>
  );
}

function RevisionRow({ parts, revision, etag }: {
  readonly parts: ProjectVisit;
  readonly revision: RulesRevision;
  readonly etag: string;
}) {
  const { revisionId, ruleCount, publishedAt, publishedBy, active } = revision;
  const { path, context: { csrf } } = parts;
  return (
    <li>
      <State tone={active ? "good" : "idle"} past={!active}>
        {active ? "In production" : "Earlier"}
      </State>
      <div class="main">
        <span>{ruleCount === 1 ? "1 rule" : `${ruleCount} rules`}</span>
        <span class="dots soft">
          <span>{publishedBy}</span>
          <Moment at={publishedAt} />
          <span class="mono small">{revisionId}</span>
        </span>
      </div>
      {active ? null : (
        <div class="acts">
          <a
            class="button quiet little"
            href={`${path("rules")}?revision=${encodeURIComponent(revisionId)}#compared`}
          >
            Changes<span class="hush">{` to revision ${revisionId}`}</span>
          </a>
          {canChange(parts)
            ? (
              <Form
                action={path("rules/restore")}
                csrf={csrf}
                asks
                hidden={{ etag, revision: revisionId }}
              >
                <button class="quiet little" type="submit">
                  Restore<span class="hush">{` revision ${revisionId}`}</span>
                </button>
              </Form>
            )
            : null}
        </div>
      )}
    </li>
  );
}

function Revisions({ parts, view }: { readonly parts: ProjectVisit; readonly view: RulesView }) {
  const { revisions, nextCursor, active, etag } = view;
  const { path, context: { csrf } } = parts;
  return (
    <>
      <Card title="Revisions" id="revisions" lead="Published rule sets, newest first.">
        {revisions.length === 0
          ? (
            <Empty
              title="Nothing published yet"
              command={`svc rules publish --project-id ${parts.project.name}`}
            >
              Publish above, or run:
            </Empty>
          )
          : (
            <ol class="rows">
              {revisions.map((each) => (
                <RevisionRow key={each.revisionId} parts={parts} revision={each} etag={etag} />
              ))}
            </ol>
          )}
        {active.origin === "ui" && canChange(parts)
          ? (
            <div class="body">
              <EndButton
                action={path("rules/remove")}
                csrf={csrf}
                word="Remove"
                what="the published rules"
                hidden={{ etag }}
              />
            </div>
          )
          : null}
      </Card>
      <Pager path={path("rules")} cursor={cursorOf(parts)} nextCursor={nextCursor} />
    </>
  );
}

export function rulesPage(parts: ProjectVisit, view: RulesView & FormPage): Response {
  const { failure, trial, theirs, compared, text } = view;
  const path = parts.path("rules");
  return projectPage(
    parts,
    { ...view, here: "rules", about: "rules", scripts: [RULES_SCRIPT_PATH] },
    <>
      {failure === undefined ? null : <Notice kind="bad">{failure}</Notice>}
      <Card title="Production rules" id="editor" lead={<Origin active={view.active} />}>
        <div class="body">
          {text === undefined
            ? (
              <Notice kind="care">
                These rules are too long for this page. Use svc rules publish instead.
              </Notice>
            )
            : <Editor parts={parts} view={view} />}
          <p class="hint">
            <a href="/docs/rules">How to write rules</a>.{" "}
            <a href={`${parts.path("edge")}#explain`}>Explain a request</a>{" "}
            shows which rules match it.
          </p>
        </div>
      </Card>
      {theirs === undefined ? null : <Conflict path={path} theirs={theirs} text={text ?? ""} />}
      {trial === undefined ? null : <Trial trial={trial} />}
      {compared === undefined ? null : (
        <Card
          title="Changes"
          id="compared"
          lead={`From the production rules to revision ${compared.revisionId}.`}
        >
          <div class="body">
            <Diff from={compared.from} to={compared.to} label="Changes in this revision" />
          </div>
        </Card>
      )}
      <Revisions parts={parts} view={view} />
    </>,
  );
}
