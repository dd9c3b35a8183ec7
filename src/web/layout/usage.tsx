/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows limits, and how much of each limit is used. */
import type { Child } from "hono/jsx";
import { MAX_COUNTED, type Usage, type UsageSubject } from "../../contract/usage.ts";
import { Card } from "./pieces.tsx";
import { ShareLine } from "./plots.tsx";

const NAMES: Readonly<Record<UsageSubject, string>> = {
  projects: "Projects",
  members: "Members",
  apiKeys: "API keys",
  publishers: "Trusted publishers",
  webhooks: "Webhooks",
  deployments: "Deployments",
  environments: "Custom environments",
  variables: "Variables",
  domains: "Domains",
  deployHooks: "Deploy hooks",
  databases: "Databases",
  databaseBranches: "Branches",
  databaseSnapshots: "Manual snapshots",
  errors: "Error groups",
  drains: "Drains",
};

const ORDER = Object.keys(NAMES);
const bySubject = (one: Usage, other: Usage): number =>
  ORDER.indexOf(one.subject) - ORDER.indexOf(other.subject);

const number = (count: number): string => count.toLocaleString("en-US");

function usedText({ used, limit }: Usage): string {
  const count = used === MAX_COUNTED ? `${number(used)} or more` : number(used);
  return limit === null ? `${count} (unlimited)` : `${count} of ${number(limit)}`;
}

function Row({ item }: { readonly item: Usage }) {
  const { subject, of, used, limit } = item;
  return (
    <li>
      <span>{of === null ? NAMES[subject] : `${NAMES[subject]} of the database ${of}`}</span>
      <span class="num">{usedText(item)}</span>
      {limit === null ? null : <ShareLine value={Math.min(used, limit)} most={limit} />}
    </li>
  );
}

export function UsageCard({ items, command, children }: {
  readonly items: readonly Usage[];
  /** Shows the command that prints the same information in a terminal. */
  readonly command: string;
  children?: Child;
}) {
  return (
    <Card title="Usage and limits" id="usage">
      <ol class="shares plain">
        {items.toSorted(bySubject).map((item) => (
          <Row key={`${item.subject} ${item.of}`} item={item} />
        ))}
      </ol>
      <div class="body">
        <p class="soft small">
          {children} <code>{command}</code> shows the same in a terminal.
        </p>
      </div>
    </Card>
  );
}
