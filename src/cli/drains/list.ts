import { type Drain, listDrains, listPlatformDrains } from "../../contract/drains.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import type { Context } from "../session/context.ts";
import { formatAge, printable } from "../terminal/format.ts";

const HEADINGS = ["URL", "SENT", "DROPPED", "WAITING", "LAST SUCCESS", "LAST ERROR", "ID"];

type Shown = Omit<Drain, "id" | "createdAt"> & { readonly id?: string };

function toRow({ id, url, health }: Shown, now: number): string[] {
  const { sent, dropped, waiting, lastSuccessAt, lastErrorAt, lastError } = health;
  return [
    printable(url),
    ...[sent, dropped, waiting].map(String),
    lastSuccessAt === null ? "-" : formatAge(lastSuccessAt, now),
    lastErrorAt === null ? "-" : `${formatAge(lastErrorAt, now)}: ${printable(lastError ?? "")}`,
    id ?? "-",
  ];
}

async function read(ctx: Context, isPlatform: boolean, given: string | undefined) {
  if (isPlatform) return await ctx.client({ phase: "deploy" }).call(listPlatformDrains, {});
  const { client, project } = await openProject(ctx, { given, phase: "deploy" });
  return await client.call(listDrains, { params: { project: project.id } });
}

export default defineCommand({
  description: "Counts start at zero each time the platform starts.",
  define: (command) =>
    command
      .option(
        "--platform",
        "show the endpoints set with svc serve --otlp instead (platform owner only)",
      )
      .option(...PROJECT_OPTION),
  examples: [["drains list", "show the project's drains"]],
  async run({ flags: { platform = false, projectId } }, ctx) {
    const { items, missingNodes } = await read(ctx, platform, projectId);
    const drains: readonly Shown[] = items;
    for (const { node, reason } of missingNodes ?? []) {
      ctx.ui.note(`Counts of node ${printable(node)} are missing: ${printable(reason)}`);
    }
    if (drains.length === 0) {
      ctx.ui.note(
        platform
          ? "No endpoints. The operator sets them with svc serve --otlp <url>"
          : "No drains yet: `svc drains add <url>` adds one",
      );
    }
    const rows = drains.map((each) => toRow(each, ctx.now()));
    ctx.ui.result(
      { drains, missingNodes },
      ctx.ui.table(HEADINGS, rows),
    );
  },
});
