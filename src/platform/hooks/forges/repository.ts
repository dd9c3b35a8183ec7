/** Compares the repository in a forge's event with a project's repository. Pure. @module */
import { basename } from "node:path";
import * as z from "zod";
import { type GitAddress, parseGitUrl } from "../../../lib/git_url.ts";

/** A repository, as an event describes it. */
export interface ForgeRepository {
  /** The repository's path on the forge, such as `ada/shop`. */
  readonly name: string;
  /** The hosts in the repository's URLs in the event. */
  readonly hosts: ReadonlySet<string>;
}

const text = z.string().max(2048).optional().catch(undefined);
const link = z.object({ href: text }).optional().catch(undefined);
const links = z.array(z.object({ href: text })).max(20).optional().catch(undefined);
const repository = z.object({
  full_name: text,
  path_with_namespace: text,
  slug: text,
  project: z.object({ key: text }).optional().catch(undefined),
  clone_url: text,
  ssh_url: text,
  html_url: text,
  git_http_url: text,
  git_ssh_url: text,
  web_url: text,
  links: z.object({ html: link, clone: links }).optional().catch(undefined),
}).optional().catch(undefined);
const inside = <Name extends string>(name: Name) =>
  z.object({ [name]: repository } as Record<Name, typeof repository>).optional().catch(undefined);

/** GitLab calls the repository `project`. Pull request events also have it in their target. */
const payload = z.object({
  repository,
  project: repository,
  pull_request: z.object({ base: inside("repo") }).optional().catch(undefined),
  object_attributes: inside("target"),
  pullrequest: z.object({ destination: inside("repository") }).optional().catch(undefined),
  pullRequest: z.object({ toRef: inside("repository") }).optional().catch(undefined),
});

function nameOf(found: NonNullable<z.infer<typeof repository>>): string | undefined {
  const key = found.project?.key;
  const ofDataCenter = key === undefined || found.slug === undefined
    ? undefined
    : `${key}/${found.slug}`;
  return found.full_name ?? found.path_with_namespace ?? ofDataCenter;
}

/** Hostnames that belong to the same forge. */
const ALIASES: Readonly<Record<string, string>> = {
  "ssh.github.com": "github.com",
  "www.github.com": "github.com",
  "altssh.gitlab.com": "gitlab.com",
  "altssh.bitbucket.org": "bitbucket.org",
};

/** Forges with a single hostname, apart from aliases. Other forges can have several. */
const PUBLIC_FORGES = new Set(["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"]);

function hostOf(address: GitAddress | undefined): string | undefined {
  if (address === undefined || address.transport === "local") return undefined;
  const host = address.host.toLowerCase();
  return ALIASES[host] ?? host;
}

function addressOf(url: string | undefined): GitAddress | undefined {
  const parsed = url === undefined
    ? undefined
    : parseGitUrl(url.replace(/^(https?:\/\/)[^/@]*@/, "$1"));
  return parsed?.ok === true ? parsed.address : undefined;
}

/** Returns the repository that an event is about; `undefined` if the event does not name one. */
export function repositoryOf(event: unknown): ForgeRepository | undefined {
  const read = payload.safeParse(event).data;
  const candidates = [
    read?.project,
    read?.repository,
    read?.pull_request?.base?.repo,
    read?.object_attributes?.target,
    read?.pullrequest?.destination?.repository,
    read?.pullRequest?.toRef?.repository,
  ];
  for (const found of candidates) {
    const name = found === undefined ? undefined : nameOf(found);
    if (found === undefined || name === undefined) continue;
    const { clone_url, ssh_url, html_url, git_http_url, git_ssh_url, web_url } = found;
    const urls = [clone_url, ssh_url, html_url, git_http_url, git_ssh_url, web_url];
    urls.push(found.links?.html?.href, ...found.links?.clone?.map(({ href }) => href) ?? []);
    const hosts = urls.flatMap((url) => hostOf(addressOf(url)) ?? []);
    return { name, hosts: new Set(hosts) };
  }
  return undefined;
}

/** Returns a repository's path in lower case, without the suffixes that URLs have. */
const plainPath = (path: string): string =>
  decodeURIComponent(path).toLowerCase().replace(/\/+$/, "").replace(/\/\.git$|\.git$/, "");

function pathOf(address: GitAddress): string {
  if (address.transport === "local") return address.path;
  const { url } = address;
  const parsed = URL.parse(url);
  return parsed === null || !url.includes("://")
    ? `/${url.slice(url.indexOf(":") + 1)}`
    : parsed.pathname;
}

/** Local copies may be in any folder, so only the last part of the path is compared. */
export function isSameRepository(gitUrl: string | null, { name, hosts }: ForgeRepository): boolean {
  const address = addressOf(gitUrl ?? undefined);
  if (address === undefined) return false;
  let [path, wanted] = ["", ""];
  try {
    [path, wanted] = [plainPath(pathOf(address)), plainPath(name)];
  } catch {
    return false;
  }
  if (address.transport === "local") return basename(path) === basename(wanted);
  if (!path.replace(/^\/*/, "/").endsWith(`/${wanted}`)) return false;
  const host = hostOf(address)!;
  const isPublic = [host, ...hosts].some((each) => PUBLIC_FORGES.has(each));
  return hosts.size === 0 || !isPublic || hosts.has(host);
}
