import { collectPages } from "../../client/collect_pages.ts";
import { listProjects } from "../../contract/projects.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { defineCommand } from "../command/command.ts";
import { limitOption } from "../command/option_values.ts";
import { formatAge } from "../terminal/format.ts";

/** Defines `svc projects list`, and `svc list` for short. */
export const defineList = (words: string) =>
  defineCommand({
    define: (command) => command.addOption(limitOption(PAGE_LIMIT_DEFAULT)),
    examples: [
      [words, "show the newest projects"],
      [`${words} --limit 100 --json`, "list 100 projects for scripts"],
    ],
    async run({ flags }, ctx) {
      const client = ctx.client({ phase: "projects" });
      const { items, nextCursor } = await collectPages(
        (query) => client.call(listProjects, { query }),
        { limit: flags.limit, pageSize: PAGE_LIMIT_MAX },
      );
      if (items.length === 0) {
        ctx.ui.note("No projects yet: `svc projects create --name <name>` creates one");
      } else if (nextCursor !== null) {
        ctx.ui.note(`There are more projects. Raise --limit above ${flags.limit}`);
      }
      const rows = items.map(({ name, framework, url, updatedAt, id, productionDeploymentId }) => [
        name,
        framework ?? "-",
        productionDeploymentId === null ? "-" : url,
        formatAge(updatedAt, ctx.now()),
        id,
      ]);
      ctx.ui.result(
        { projects: items, nextCursor },
        ctx.ui.table(["NAME", "FRAMEWORK", "URL", "CHANGED", "ID"], rows),
      );
    },
  });

export default defineList("projects list");
