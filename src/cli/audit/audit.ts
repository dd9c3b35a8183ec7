import { collectPages } from "../../client/collect_pages.ts";
import { AUDIT_DAYS, AUDIT_ENTRIES, type AuditEntry, listAudit } from "../../contract/audit.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { defineCommand } from "../command/command.ts";
import { wholeNumber } from "../command/option_values.ts";
import { printable } from "../terminal/format.ts";

const HEADINGS = ["AT", "WHO", "BY", "ADDRESS", "ACTION", "WHAT", "PATH"] as const;

/** Returns the name of a key, login or hook. Unlike a key, a hook has no user. */
function credentialOf({ type, name }: AuditEntry["credential"]): string {
  if (type === "session") return "browser";
  if (type === "platform") return "platform";
  return type === "hook" ? `hook ${printable(name)}` : printable(name);
}

/** Describes the subject of an entry, such as `ci (permissions: read → read, deploy)`. */
function subjectOf({ target, changes }: AuditEntry): string {
  const subject = printable(target?.name ?? target?.id ?? "");
  if (changes.length === 0) return subject;
  const list = changes.map(({ field, from, to }) =>
    `${field}: ${from === null ? "" : `${from} → `}${to ?? "none"}`
  );
  return `${subject} (${printable(list.join("; "))})`.trim();
}

const rowOf = (entry: AuditEntry) => [
  entry.at,
  entry.user === null ? "" : printable(entry.user.name),
  credentialOf(entry.credential),
  printable(entry.address),
  printable(entry.action),
  subjectOf(entry),
  printable(entry.path),
];

export default defineCommand({
  description:
    `Newest first. Entries are kept for ${AUDIT_DAYS} days. Only workspace owners can list them. The log contains old and new values, such as roles, but leaves out secrets, such as the value of a variable.`,
  define: (command) =>
    command
      .option("--user <id>", "only changes by this account")
      .option("--action <name>", "only this API operation, such as createApiKey")
      .option("--project <name>", "only changes to this project")
      .option(
        "--limit <n>",
        "maximum number of entries",
        wholeNumber({ min: 1, max: AUDIT_ENTRIES }),
        PAGE_LIMIT_DEFAULT,
      ),
  examples: [
    ["audit", "show the latest changes"],
    ["audit --action createApiKey", "show who created keys"],
    [`audit --limit ${AUDIT_ENTRIES} --json`, "export the whole log"],
  ],
  async run({ flags: { limit, ...filter } }, ctx) {
    const client = ctx.client({ phase: "workspace" });
    const { items: entries, nextCursor } = await collectPages(
      (query) => client.call(listAudit, { query: { ...filter, ...query } }),
      { limit, pageSize: PAGE_LIMIT_MAX },
    );
    if (entries.length === 0) ctx.ui.note("No changes, or none that match");
    if (nextCursor !== null) ctx.ui.note(`There are more entries. Raise --limit above ${limit}`);
    ctx.ui.result({ entries, nextCursor }, ctx.ui.table(HEADINGS, entries.map(rowOf)));
  },
});
