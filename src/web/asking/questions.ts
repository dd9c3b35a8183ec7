/** @module All actions that ask for confirmation, with their text. Pure. */
import { formatCount } from "../../lib/format.ts";
import type { Question } from "../layout/question.tsx";

/** Creates a question about one resource, which a button confirms. */
const plain = (word: string, ...lines: readonly string[]) => (what: string): Question => ({
  title: `${word} ${what}?`,
  lines,
  word,
});

/** Creates a question that the user confirms by typing the resource's name. */
const named = (
  word: string,
  { title, lines }: { title(name: string): string; readonly lines: readonly string[] },
) =>
(name: string): Question => ({ title: title(name), lines, word, typed: name });

export const QUESTIONS = {
  stop: plain("Stop", "Its URLs show an error until you deploy again."),
  finishRelease: plain("Finish", "Everyone sees the new deployment immediately."),
  withdrawRelease: plain("Withdraw", "Everyone sees the old deployment again."),
  variable: plain("Remove", "The next deployment won't have it. You can't restore its value."),
  domain: plain("Remove", "Its visitors no longer see this project. You can add it again."),
  hook: plain("Delete", "Its URL stops working immediately."),
  hookUrl: plain(
    "Regenerate",
    "The current URL stops working immediately. Update everything that uses it.",
  ),
  webhook: plain("Delete", "It gets no more events. Its deliveries are deleted too."),
  drain: plain("Remove", "Its endpoint gets no more logs. Queued records are not sent."),
  environment: plain("Delete", "Its variables are deleted too."),
  databaseRow: plain("Delete", "You can't restore it, except from a snapshot."),
  snapshot: plain("Delete", "You can no longer restore its data."),
  queueMessage: plain("Delete", "It will never be delivered. You can't restore it."),
  deadLetters: plain("Delete all", "They will never be delivered. You can't restore them."),
  blob: plain("Delete", "Your code and your site lose access to it. You can't restore it."),
  submission: plain("Delete", "Its files are deleted too. You can't restore them."),
  submissions: plain("Delete", "Their files are deleted too. You can't restore them."),
  rules: plain("Remove", "The rules of the live deployment apply again immediately."),
  kvValue: plain("Remove", "Your code loses access to it. You can't restore its value."),
  member: plain("Remove", "They lose access immediately, and so do their API keys and devices."),
  invitation: plain("Withdraw", "Its link stops working immediately."),
  leave: plain(
    "Leave",
    "You, your API keys and your connected devices lose access. An owner can invite you again.",
  ),
  apiKey: plain(
    "Revoke",
    "Anything that uses it loses access immediately. This cannot be undone.",
  ),
  publisher: plain("Remove", "Its keys stop working immediately."),
  tool: plain("Revoke", "It is signed out immediately. You can sign in again with it."),
  project: named("Delete permanently", {
    title: (name) => `Delete ${name} and its data?`,
    lines: [
      "This deletes its deployments, domains, variables and databases. It cannot be undone.",
    ],
  }),
  database: named("Delete database", {
    title: (name) => `Delete ${name} and its data?`,
    lines: [
      "Deployments that use it lose access immediately. Its branches are deleted too.",
      "You can restore it for seven days.",
    ],
  }),
  databaseBranch: named("Delete branch", {
    title: (name) => `Delete the branch ${name} and its data?`,
    lines: ["Deployments that use it lose access immediately. This cannot be undone."],
  }),
  databaseReset: named("Reset branch", {
    title: (name) => `Reset the branch ${name}?`,
    lines: ["Its parent's data replaces its own. This cannot be undone."],
  }),
  databaseRestore: named("Restore snapshot", {
    title: (name) => `Replace the data in the branch ${name}?`,
    lines: ["The snapshot's data replaces its own. This cannot be undone."],
  }),
} as const satisfies Readonly<Record<string, (what: string) => Question>>;

/** Rules, normalized by the checker. */
interface Rules {
  readonly rules: readonly { readonly id?: unknown }[];
}

const textById = ({ rules }: Rules): ReadonlyMap<string, string> =>
  new Map(rules.map((rule) => [String(rule.id), JSON.stringify(rule)]));

/** Asks for confirmation before new rules replace the production rules, and shows the changes. */
export function publishQuestion(
  project: string,
  { from, to }: { readonly from: Rules | null; readonly to: Rules },
): Question {
  const [before, after] = [
    from === null ? new Map<string, string>() : textById(from),
    textById(to),
  ];
  const ids = [...before.keys(), ...after.keys()];
  const [added, removed] = [
    ids.filter((id) => !before.has(id)),
    ids.filter((id) => !after.has(id)),
  ];
  const changed = [...after].filter(([id, text]) => before.has(id) && before.get(id) !== text);
  const facts = [
    ["Added", added.length],
    ["Changed", changed.length],
    ["Removed", removed.length],
  ] as const;
  return {
    title: `Publish these rules to production for ${project}?`,
    facts: facts.filter(([, count]) => count > 0)
      .map(([word, count]) => [word, formatCount(count, "rule")] as const),
    lines: [
      ...(facts.every(([, count]) => count === 0)
        ? ["No rules were added, changed or removed."]
        : []),
      "They apply to the next request. You can restore an earlier revision.",
    ],
    word: "Publish",
  };
}
