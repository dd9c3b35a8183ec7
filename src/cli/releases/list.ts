import { listReleases, type Release } from "../../contract/releases.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatAge, printable } from "../terminal/format.ts";

const STATES: Readonly<Record<Release["state"], string>> = {
  RUNNING: "running",
  FINISHED: "finished",
  WITHDRAWN: "withdrawn",
  ENDED: "ended",
};

const sideOf = ({ requests, failures, errors, p95 }: Release["new"]): string =>
  `${requests} / ${errors} / ${failures} / ${p95 === null ? "-" : `${Math.round(p95)} ms`}`;

export default defineCommand({
  description:
    "Shows the latest 20. NEW and OLD show each deployment's requests, responses with status 400 or above, responses with status 500 or above, and p95.",
  define: (command) => command.option(...PROJECT_OPTION),
  examples: [["releases list", "show the rolling releases of this directory's project"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { items: releases } = await client.call(listReleases, {
      params: { project: project.id },
    });
    if (releases.length === 0) {
      ctx.ui.note("No rolling releases: `svc deploy --prod --rolling 5,25,100` starts one");
    }
    const row = (release: Release) => [
      release.new.deploymentId,
      STATES[release.state],
      `${release.share}%`,
      sideOf(release.new),
      sideOf(release.old),
      formatAge(release.startedAt, ctx.now()),
      printable(release.reason ?? ""),
    ];
    ctx.ui.result(
      { releases },
      ctx.ui.table(
        ["DEPLOYMENT", "STATE", "SHARE", "NEW", "OLD", "STARTED", "REASON"],
        releases.map(row),
      ),
    );
  },
});
