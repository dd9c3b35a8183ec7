/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * The frame of the dashboard: the bar, the band with the page's title and its sections, and the
 * page below.
 *
 * @module
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

/** The pages of a project, by the last part of their paths. */
const PROJECT_SECTIONS = [
  ["", "Deployments"],
  ["builds", "Builds"],
  ["logs", "Logs"],
  ["traffic", "Traffic"],
  ["errors", "Errors"],
  ["domains", "Domains"],
  ["variables", "Variables"],
  ["environments", "Environments"],
  ["hooks", "Deploy hooks"],
  ["cron", "Cron"],
  ["databases", "Databases"],
  ["kv", "KV"],
  ["edge", "Edge"],
  ["usage", "Usage"],
  ["settings", "Settings"],
] as const;

export type ProjectSection = (typeof PROJECT_SECTIONS)[number][0];

interface Section {
  readonly href: string;
  readonly name: string;
  readonly isHere: boolean;
}

function Sections({ list }: { readonly list: readonly Section[] }) {
  return (
    <nav class="sections" aria-label="Sections">
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
  /** Buttons beside the title. */
  readonly acts?: Child;
  children?: Child;
}

function Board({ context, title, lead, acts, children, project, sections }: FrameParts & {
  readonly project?: string;
  readonly sections: readonly Section[];
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
            <Sections list={sections} />
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

/** The frame of a page of a workspace. */
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

/** The frame of a page of a project. */
export function ProjectFrame(
  { project, here, ...parts }: FrameParts & {
    readonly project: string;
    /** The section of the page; undefined for a page below one. */
    readonly here: ProjectSection;
  },
) {
  const { slug } = parts.context.workspace;
  const sections = PROJECT_SECTIONS.map(([page, name]) => ({
    href: projectPath(slug, project, page),
    name,
    isHere: page === here,
  }));
  return <Board {...parts} project={project} sections={sections} />;
}
