/** Projects: the unit of deployment, and their build settings. @module */
import * as z from "zod";
import { parseGitUrl } from "../lib/git_url.ts";
import {
  idOrName,
  page,
  pageQuery,
  PROJECT_NAME_MAX,
  projectName,
  timestamp,
  uuid,
} from "./common.ts";
import { endpoint } from "./endpoint.ts";

/** Frameworks that `--framework` accepts. */
export const FRAMEWORKS = ["astro", "nuxt", "sveltekit", "nitro"] as const;

const command = z.string().min(1).max(1000);
const folder = z.string().min(1).max(256).refine(
  (path) => !path.startsWith("/") && !path.split(/[\\/]/).includes(".."),
  "Must be a path inside the project",
);
const storedGitUrl = z.string().min(1).max(2000);
/** The URL of a repository, without credentials. */
const gitUrl = storedGitUrl.check((context) => {
  const result = parseGitUrl(context.value);
  if (result.ok) return;
  // The message omits the value, which may contain a password.
  context.issues.push({ code: "custom", message: result.problem, input: "" });
});
/** Maximum length of a branch name, in characters. */
export const BRANCH_MAX = 255;

/**
 * A branch name that git allows. Rejects `HEAD`, names that look like options, and misleading
 * characters.
 */
export const branchName = z.string().min(1).max(BRANCH_MAX).regex(
  // deno-lint-ignore no-control-regex -- matches the characters that git forbids
  /^(?![-/.]|@$|HEAD$)(?!.*(?:\.\.|\/\/|@\{|\/\.|[/.]$|\.lock(?:\/|$)))[^\x00-\x20\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069~^:?*[\\]+$/,
  "Must be a valid git branch name",
).meta({ example: "main" });
const nodeVersion = z.string().max(20).regex(/^\d+(\.\d+){0,2}$/, "Must be a version such as 24");

/** How the platform signs in to a private repository. */
export const GIT_CREDENTIAL_TYPES = ["https", "ssh"] as const;

const settings = z.object({
  displayName: z.string().min(1).max(100).nullable().meta({
    description: "Display name; null for none",
    example: "Web shop",
  }),
  gitUrl: gitUrl.nullable().meta({
    description: "URL of the repository, without credentials; null for none",
    example: "https://git.example.com/ada/shop.git",
  }),
  branch: branchName.meta({ description: "Production branch", example: "main" }),
  framework: z.enum(FRAMEWORKS).nullable().describe("Framework of the project; null to detect it"),
  installCommand: command.nullable().meta({
    description: "Command that installs packages; null for the default",
    example: "npm ci",
  }),
  buildCommand: command.nullable().meta({
    description: "Command that builds the project; null for the default",
    example: "npm run build",
  }),
  outputDirectory: folder.nullable().meta({
    description: "Folder with the build output; null to detect it",
    example: "dist",
  }),
  rootDirectory: folder.nullable().meta({
    description: "Folder of the project in the repository; null for its root",
    example: "apps/web",
  }),
  nodeVersion: nodeVersion.nullable().meta({
    description: "Node.js version; null for the default",
    example: "24",
  }),
  autoRedeploy: z.boolean().describe(
    "Whether to redeploy automatically when a URL used in a variable changes",
  ),
});

export const project = settings.extend({
  id: uuid.describe("ID of the project"),
  name: projectName.meta({
    description: "Name of the project, unique in the workspace",
    example: "shop",
  }),
  workspace: z.string().meta({ description: "Slug of the workspace", example: "acme" }),
  // Validated less strictly than input, because an older version may have accepted values that this
  // one rejects.
  gitUrl: storedGitUrl.nullable().meta({
    description: "URL of the repository, without credentials; null for none",
    example: "https://git.example.com/ada/shop.git",
  }),
  // Omitted by older platforms.
  autoRedeploy: settings.shape.autoRedeploy.default(false),
  url: z.url().describe("URL of the production deployment, live or not"),
  gitCredentials: z.enum(GIT_CREDENTIAL_TYPES).nullable().default(null).describe(
    "Kind of credentials stored for the repository; null for none",
  ),
  productionDeploymentId: uuid.nullable().describe(
    "Deployment that production serves; null before the first one",
  ),
  // Omitted by older platforms.
  rollbackDeploymentId: uuid.nullable().default(null).describe(
    "Deployment that the next rollback restores; null if there is none",
  ),
  createdAt: timestamp.describe("When the project was created"),
  updatedAt: timestamp.describe("When the project was last changed"),
}).meta({ id: "Project" });
export type Project = z.infer<typeof project>;

/** One line of text that git and ssh accept. */
// deno-lint-ignore no-control-regex -- excludes control characters on purpose
const credentialText = z.string().min(1).max(4096).regex(/^[^\x00-\x1f\x7f]+$/, "Must be one line");

/** Programs that host repositories and accept reports. Forgejo is treated like Gitea. */
export const FORGES = ["github", "gitlab", "gitea", "bitbucket"] as const;
export type Forge = (typeof FORGES)[number];

export const FORGE_NAMES: Readonly<Record<Forge, string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea",
  bitbucket: "Bitbucket",
};

const apiUrl = z.string().max(500).refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" &&
    url.password === "" && url.search === "" && url.hash === "";
}, "Must be a URL such as https://git.example.com/api/v1");

/** Credentials of a private repository. They can be set and removed, but are never shown. */
export const gitCredentialsBody = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("https").meta({
      description: "`https`: user name and token",
      example: "https",
    }),
    username: credentialText.default("git").meta({
      description: "User name for the repository",
      example: "git",
    }),
    token: credentialText.meta({
      description: "Token or password",
      example: "kX2v9Qm4Zr7Tb1Lw5Nc8",
    }),
    forge: z.enum(FORGES).optional().describe(
      "Forge of the git URL, for build reports. Detected from the host if omitted",
    ),
    apiUrl: apiUrl.optional().meta({
      description:
        "URL of the forge's API, which also receives the token. Derived from the git URL if omitted",
      example: "https://git.example.com/api/v3",
    }),
  }).strict(),
  z.object({
    type: z.literal("ssh").meta({ description: "`ssh`: private key", example: "ssh" }),
    privateKey: z.string().max(20_000).regex(
      /^-----BEGIN [A-Z ]*PRIVATE KEY-----\r?\n[\s\S]+\n-----END [A-Z ]*PRIVATE KEY-----\s*$/,
      "Must be a private key in OpenSSH or PEM format",
    ).meta({
      description: "Private key in OpenSSH or PEM format; never shown again",
      example:
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk=\n-----END OPENSSH PRIVATE KEY-----",
    }),
    knownHosts: z.string().min(1).max(100_000).nullable().default(null).describe(
      "Lines of a known_hosts file. Without them, a host's key is trusted on first use",
    ),
  }).strict(),
]);

const createProjectBody = settings.partial().extend({
  name: projectName.meta({
    description: "Name of the project, unique in the workspace",
    example: "shop",
  }),
  branch: branchName.default("main").meta({ description: "Production branch", example: "main" }),
  credentials: gitCredentialsBody.optional().describe(
    "Credentials for the repository. They are stored encrypted",
  ),
  verifyRepository: z.boolean().default(false).describe(
    "Whether to refuse a repository that the platform cannot read",
  ),
}).strict();
const updateProjectBody = settings.partial().strict();

/** A reference to a project by its ID or its name. */
export const projectReference = idOrName(PROJECT_NAME_MAX);
const projectParams = z.object({
  project: projectReference.meta({ description: "Name or ID of the project", example: "shop" }),
});

export const listProjects = endpoint({
  method: "GET",
  path: "/v1/projects",
  summary: "List projects, newest first",
  tag: "Projects",
  query: pageQuery,
  response: page(project),
});

export const createProject = endpoint({
  method: "POST",
  path: "/v1/projects",
  summary: "Create a project",
  tag: "Projects",
  body: createProjectBody,
  maxBodyBytes: 512 * 1024,
  response: project,
  status: 201,
});

export const getProject = endpoint({
  method: "GET",
  path: "/v1/projects/{project}",
  summary: "Show a project",
  tag: "Projects",
  params: projectParams,
  response: project,
});

export const updateProject = endpoint({
  method: "PATCH",
  path: "/v1/projects/{project}",
  summary: "Update a project's settings",
  tag: "Projects",
  params: projectParams,
  body: updateProjectBody,
  response: project,
});

export const deleteProject = endpoint({
  method: "DELETE",
  path: "/v1/projects/{project}",
  summary: "Delete a project and all its deployments",
  tag: "Projects",
  access: "owner",
  params: projectParams,
  status: 204,
});

export const setGitCredentials = endpoint({
  method: "PUT",
  path: "/v1/projects/{project}/git-credentials",
  summary: "Set credentials for the project's repository. They are stored encrypted",
  tag: "Projects",
  params: projectParams,
  body: gitCredentialsBody,
  maxBodyBytes: 512 * 1024,
  response: project,
});

export const removeGitCredentials = endpoint({
  method: "DELETE",
  path: "/v1/projects/{project}/git-credentials",
  summary: "Delete the credentials for the project's repository",
  tag: "Projects",
  params: projectParams,
  response: project,
});

export { projectParams };
