/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module The dashboard's frame: the bar, the band with the title and sections, and the page.
 */
import type { Child } from "hono/jsx";
import {
  auditPath,
  Bar,
  keysPath,
  overviewPath,
  projectPath,
  publishersPath,
  searchPath,
  usagePath,
  webhooksPath,
} from "./bar.tsx";
import { Contours } from "./contours.tsx";
import type { BoardContext } from "./page_context.ts";
import { DoneNotice } from "./pieces.tsx";

/** The pages of a project, in groups, identified by the last part of their paths. */
const PROJECT_GROUPS = [
  ["Deploy", [["", "Deployments"], ["builds", "Builds"], ["hooks", "Deploy hooks"], [
    "cron",
    "Cron",
  ]]],
  ["Observe", [["logs", "Logs"], ["errors", "Errors"], ["traffic", "Traffic"], ["usage", "Usage"]]],
  ["Data", [["databases", "Databases"], ["kv", "KV"], ["blobs", "Blobs"], ["queues", "Queues"], [
    "forms",
    "Forms",
  ]]],
  ["Settings", [
    ["settings", "General"],
    ["domains", "Domains"],
    ["environments", "Environments and variables"],
    ["edge", "Edge"],
    ["rules", "Rules"],
    ["drains", "Drains"],
  ]],
] as const;

/** All pages of a project, identified by the last part of their paths. */
export const PROJECT_PAGES = PROJECT_GROUPS.flatMap(([, pages]) => [...pages]);

export type ProjectSection = (typeof PROJECT_GROUPS)[number][1][number][0];

interface Section {
  readonly href: string;
  readonly name: string;
  readonly isHere: boolean;
}

/** A group of sections, whose name links to the first section. */
interface Group {
  readonly name: string;
  readonly href: string;
  readonly isHere: boolean;
}

function Sections({ list, groups = [] }: {
  readonly list: readonly Section[];
  readonly groups?: readonly Group[] | undefined;
}) {
  return (
    <nav class="sections" aria-label="Sections">
      {groups.map(({ href, name, isHere }) => (
        <a key={name} class="group" href={href} aria-current={isHere ? "true" : undefined}>
          {name}
        </a>
      ))}
      {groups.length === 0 ? null : <span class="divider" aria-hidden="true"></span>}
      {list.map(({ href, name, isHere }) => (
        <a key={href} href={href} aria-current={isHere ? "page" : undefined}>{name}</a>
      ))}
    </nav>
  );
}

interface FrameParts {
  readonly context: BoardContext;
  readonly title: string;
  readonly lead?: Child;
  /** Buttons next to the title. */
  readonly acts?: Child;
  children?: Child;
}

function Board({ context, title, lead, acts, children, project, sections, groups }: FrameParts & {
  readonly project?: string;
  readonly sections: readonly Section[];
  readonly groups?: readonly Group[];
}) {
  const { workspace } = context;
  return (
    <>
      <Bar context={context} place={{ workspace, project }} />
      <main id="main">
        <div class="band">
          <Contours />
          <div class="inner">
            <div class="head">
              <div>
                <h1>{title}</h1>
                {lead ? <div class="lead">{lead}</div> : null}
              </div>
              {acts ? <div class="acts">{acts}</div> : null}
            </div>
            <Sections list={sections} groups={groups} />
          </div>
        </div>
        <div class="board">
          <DoneNotice context={context} />
          {children}
        </div>
      </main>
    </>
  );
}

export function WorkspaceFrame(
  { here, ...parts }: FrameParts & {
    readonly here:
      | "projects"
      | "members"
      | "keys"
      | "publishers"
      | "webhooks"
      | "usage"
      | "audit"
      | "search";
  },
) {
  const { slug, role } = parts.context.workspace;
  const sections = [
    { href: overviewPath(slug), name: "Projects", isHere: here === "projects" },
    { href: `/workspaces/${slug}`, name: "Members", isHere: here === "members" },
    ...(role === "owner"
      ? [
        { href: keysPath(slug), name: "Keys", isHere: here === "keys" },
        { href: publishersPath(slug), name: "Publishers", isHere: here === "publishers" },
        { href: webhooksPath(slug), name: "Webhooks", isHere: here === "webhooks" },
      ]
      : []),
    { href: usagePath(slug), name: "Usage", isHere: here === "usage" },
    ...(role === "owner"
      ? [{ href: auditPath(slug), name: "Audit log", isHere: here === "audit" }]
      : []),
    { href: searchPath(slug), name: "Search", isHere: here === "search" },
  ];
  return <Board {...parts} sections={sections} />;
}

export function ProjectFrame(
  { project, here, ...parts }: FrameParts & {
    readonly project: string;
    /** The page's section; `undefined` for a page below a section. */
    readonly here: ProjectSection;
  },
) {
  const { slug } = parts.context.workspace;
  const sectionsOf = (pages: readonly (readonly [ProjectSection, string])[]) =>
    pages.map(([page, name]) => ({
      href: projectPath(slug, project, page),
      name,
      isHere: page === here,
    }));
  const groups = PROJECT_GROUPS.map(([name, pages]) => {
    const sections = sectionsOf(pages);
    const isHere = sections.some((section) => section.isHere);
    return { name, href: sections[0]!.href, isHere, sections };
  });
  const sections = groups.find(({ isHere }) => isHere)?.sections ?? [];
  return <Board {...parts} project={project} sections={sections} groups={groups} />;
}
