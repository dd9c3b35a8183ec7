/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows the differences between two deployments of a project. */
import type { Deployment } from "../../contract/deployments.ts";
import type {
  DeploymentComparison,
  Difference,
  Differences,
} from "../../contract/deployment_comparison.ts";
import {
  Ago,
  Branch,
  Commit,
  DeploymentStateMark,
  Empty,
  Name,
  State,
  type Tone,
} from "../layout/board_pieces.tsx";
import type { BoardContext } from "../layout/page_context.ts";
import { Card, Notice } from "../layout/pieces.tsx";
import { ProjectFrame } from "../layout/board_frame.tsx";
import { projectPath } from "../layout/bar.tsx";
import { showBoard } from "../layout/show_board.ts";

/** Maximum number of differences of each kind that are shown on the page. The API lists more. */
const SHOWN = 30;
/** Maximum number of characters in a name, and in an old or new value. */
const MAX_TEXT = 200;

interface ComparisonView {
  readonly deployment: Deployment;
  /** The differences, or the reason why they are unknown. */
  readonly comparison: DeploymentComparison | string;
  /** The project's deployments that can be selected for the comparison, newest first. */
  readonly others: readonly Deployment[];
  readonly base: string;
}

const CHANGES: Readonly<Record<Difference["change"], readonly [Tone, string]>> = {
  added: ["good", "Added"],
  removed: ["bad", "Removed"],
  changed: ["care", "Changed"],
};

const shorten = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;

function becameOf({ before, after }: Difference): string | null {
  const parts = [before, after].filter((text) => text !== null).map(shorten);
  return parts.length === 0 || parts[0] === parts[1] ? null : parts.join(" → ");
}

function Row({ item }: { readonly item: Difference }) {
  const [tone, word] = CHANGES[item.change];
  const became = becameOf(item);
  return (
    <li>
      <State tone={tone}>{word}</State>
      <div class="main">
        <span class="mono">
          <Name text={shorten(item.name)} />
        </span>
        {became === null ? null : (
          <span class="soft mono">
            <Name text={became} />
          </span>
        )}
      </div>
    </li>
  );
}

function summaryOf({ added, removed, changed }: Differences): string {
  const parts = [[added, "added"], [removed, "removed"], [changed, "changed"]] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return said.length === 0 ? "No differences" : said.join(", ");
}

function Part({ title, id, of }: {
  readonly title: string;
  readonly id: string;
  readonly of: Differences;
}) {
  const items = of.items.slice(0, SHOWN);
  const left = of.added + of.removed + of.changed - items.length;
  if (items.length === 0) return null;
  return (
    <Card title={title} id={id} lead={summaryOf(of)}>
      <ol class="rows">
        {items.map((item) => <Row key={item.name} item={item} />)}
      </ol>
      {left === 0 ? null : (
        <div class="body">
          <p class="soft small">{`and ${left} more`}</p>
        </div>
      )}
    </Card>
  );
}

const PARTS = [
  ["files", "Files"],
  ["routes", "Routes"],
  ["rules", "Edge rules"],
  ["functions", "Functions"],
  ["variables", "Variables"],
] as const;

function Found({ comparison }: { readonly comparison: DeploymentComparison }) {
  const isSame = !comparison.rulesReordered &&
    PARTS.every(([name]) => comparison[name].items.length === 0);
  if (isSame) {
    return (
      <section class="card" aria-label="Differences">
        <Empty title="No differences">
          Files, routes, rules, functions and variables are identical.
        </Empty>
      </section>
    );
  }
  return (
    <>
      {comparison.rulesReordered
        ? <Notice kind="care">The edge rules are in a different order.</Notice>
        : null}
      {PARTS.map(([name, title]) => (
        <Part key={name} title={title} id={name} of={comparison[name]} />
      ))}
    </>
  );
}

const titleOf = ({ message, id }: Deployment): string => message ?? `Deployment ${id.slice(0, 8)}`;

/** Returns a deployment's name for the list of options. */
function optionText({ message, branch, commitSha, id, isProduction }: Deployment): string {
  const name = message ?? commitSha?.slice(0, 7) ?? id.slice(0, 8);
  return `${isProduction ? "In production: " : ""}${shorten(name)} (${branch})`;
}

function Side({ name, deployment, now }: {
  readonly name: string;
  readonly deployment: Deployment;
  readonly now: number;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <a href={`/deployments/${deployment.id}`}>{titleOf(deployment)}</a>
        <p class="dots small soft">
          <DeploymentStateMark deployment={deployment} />
          <Branch name={deployment.branch} />
          {deployment.commitSha === null ? null : <Commit sha={deployment.commitSha} />}
          <span>
            <Ago at={deployment.createdAt} now={now} />
          </span>
        </p>
      </dd>
    </div>
  );
}

function Choice({ view, now }: { readonly view: ComparisonView; readonly now: number }) {
  const { deployment, comparison, others, base } = view;
  return (
    <Card title="Deployments to compare" id="choice">
      <div class="body">
        <dl class="facts two">
          {typeof comparison === "string"
            ? null
            : <Side name="From" deployment={comparison.base} now={now} />}
          <Side name="To" deployment={deployment} now={now} />
        </dl>
        <form method="get" action={`/deployments/${deployment.id}/compare`} class="line-form">
          <div class="field">
            <label for="base">Compare with</label>
            <select id="base" name="base" autocomplete="off">
              {others.map((other) => (
                <option key={other.id} value={other.id} selected={other.id === base}>
                  {optionText(other)}
                </option>
              ))}
            </select>
          </div>
          <button class="quiet" type="submit">Compare</button>
        </form>
      </div>
    </Card>
  );
}

export function comparisonPage(context: BoardContext, view: ComparisonView): Response {
  const { deployment, comparison } = view;
  const { slug } = context.workspace;
  return showBoard(
    <ProjectFrame
      context={context}
      project={deployment.project}
      here=""
      title={`Changes in ${shorten(titleOf(deployment))}`}
      lead={
        <>
          <a href={projectPath(slug, deployment.project)}>All deployments</a>
          <a href={`/deployments/${deployment.id}`}>The deployment</a>
        </>
      }
    >
      <Choice view={view} now={context.now} />
      {typeof comparison === "string"
        ? <Notice kind="care">{comparison}</Notice>
        : <Found comparison={comparison} />}
    </ProjectFrame>,
    { title: `${deployment.project}: comparison` },
  );
}
