/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module A deployment's rolling release: figures for both deployments, and buttons to end the
 * release.
 */
import type { Release } from "../../contract/releases.ts";
import { Card, Form, Moment } from "../layout/pieces.tsx";

const LEADS: Readonly<Record<Release["state"], string>> = {
  RUNNING: "Under way",
  FINISHED: "Finished",
  WITHDRAWN: "Withdrawn",
  ENDED: "Ended",
};

const number = (value: number): string => value.toLocaleString("en");

function Side({ name, side }: { readonly name: string; readonly side: Release["new"] }) {
  return (
    <tr>
      <td>
        <a href={`/deployments/${side.deploymentId}`}>{name}</a>
      </td>
      <td class="num">{number(side.requests)}</td>
      <td class="num">{number(side.errors)}</td>
      <td class="num">{number(side.failures)}</td>
      <td class="num">{side.p95 === null ? "–" : `${Math.round(side.p95)} ms`}</td>
    </tr>
  );
}

export function ReleaseCard({ release, csrf, mayEnd }: {
  readonly release: Release | undefined;
  readonly csrf: string;
  readonly mayEnd: boolean;
}) {
  if (release === undefined) return null;
  const { state, reason, share, steps, nextAt } = release;
  const path = `/deployments/${release.new.deploymentId}`;
  return (
    <Card title="Rolling release" id="release" lead={LEADS[state]}>
      <div class="body">
        <p>
          {state === "RUNNING"
            ? `${share}% of visitors see the new deployment. Steps: ${steps.join(", ")}%.`
            : reason}
          {nextAt === null ? null : (
            <>
              {" Next step "}
              <Moment at={nextAt} />.
            </>
          )}
        </p>
        {state === "RUNNING" && mayEnd
          ? (
            <div class="actions">
              <Form action={`${path}/release-finish`} csrf={csrf} asks>
                <button type="submit">Finish now</button>
              </Form>
              <Form action={`${path}/release-withdraw`} csrf={csrf} asks>
                <button class="quiet" type="submit">Withdraw</button>
              </Form>
            </div>
          )
          : null}
      </div>
      <div class="scroll" tabindex={0} role="region" aria-label="Old and new deployment">
        <table>
          <thead>
            <tr>
              <th>Deployment</th>
              <th class="num">Requests</th>
              <th class="num">Status 400 or more</th>
              <th class="num">Status 500 or more</th>
              <th class="num">p95</th>
            </tr>
          </thead>
          <tbody>
            <Side name="New" side={release.new} />
            <Side name="Old" side={release.old} />
          </tbody>
        </table>
      </div>
    </Card>
  );
}
