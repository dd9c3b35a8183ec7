/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * One deployment: its state, why it failed, and the log of its build.
 *
 * @module
 */
import type { BuildLogLine } from "../../contract/mod.ts";
import type { DeploymentRecord } from "../../platform/deployments/mod.ts";
import { Card, Moment, Notice, type PageContext, SettingsFrame, showPage } from "../layout/mod.ts";

/** Renders a deployment that is shown at `url`, with the last lines of its build. */
export function deploymentPage(context: PageContext, shown: {
  readonly deployment: DeploymentRecord;
  readonly url: string;
  readonly lines: readonly BuildLogLine[];
}): Response {
  const { deployment, url, lines } = shown;
  const { projectName, status, error, environment, branch, commitSha } = deployment;
  const facts = {
    State: status,
    Environment: environment,
    Branch: branch,
    Commit: commitSha,
    Message: deployment.message,
    Author: deployment.author,
  };
  const title = `${projectName}: deployment`;
  return showPage(
    <SettingsFrame title={title} lead={<a href={url}>{url}</a>} context={context}>
      {error === null ? null : <Notice kind="bad">{error}</Notice>}
      <Card title="How it stands" id="facts">
        <div class="body">
          <dl class="facts">
            {Object.entries(facts).map(([name, value]) =>
              value === null ? null : (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              )
            )}
            <div>
              <dt>Created</dt>
              <dd>
                <Moment at={new Date(deployment.createdAt).toISOString()} />
              </dd>
            </div>
          </dl>
        </div>
      </Card>
      {lines.length === 0
        ? null
        : (
          <Card title="Build log" id="log" lead="The last lines; svc logs --build shows all.">
            <div class="body">
              <pre class="terminal" tabindex={0}>{lines.map(({ text }) => text).join("\n")}</pre>
            </div>
          </Card>
        )}
    </SettingsFrame>,
    { title },
  );
}
