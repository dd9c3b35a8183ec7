/** Managed PostgreSQL databases, and their creation and deletion. @module */
import * as z from "zod";
import { idOrName, page, pageQuery, slug, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { branchName, projectParams } from "./projects.ts";
import { variableName } from "./variables.ts";

/** Compute units that `--cu-size` accepts. */
export const CU_SIZES = ["0.25", "0.5", "1.0", "2.0", "4.0", "8.0"] as const;
export type CuSize = (typeof CU_SIZES)[number];

/**
 * `stopped` means that the owner stopped the database. It stays stopped until `db start`. A
 * sleeping branch is `active`.
 */
export const DATABASE_STATES = ["creating", "active", "stopped", "failed", "deleted"] as const;
export type DatabaseState = (typeof DATABASE_STATES)[number];

export const DATABASE_ENGINES = ["embedded", "server"] as const;

/** The branch that every database starts with. */
export const MAIN_BRANCH = "main";

/** Maximum length of a database name, in characters. Names of roles start with it. */
const DATABASE_NAME_MAX = 40;
export const databaseName = slug(DATABASE_NAME_MAX);

/** Default name of the variable with the connection string. */
export const DATABASE_VARIABLE = "DATABASE_URL";

const cuSize = z.enum(CU_SIZES);
const environmentNames = z.array(z.string().min(1).max(100)).max(50).nullable();

/**
 * A variable that replaces the default one for a database's connection string, and the environments
 * that have it.
 */
const databaseOverride = z.object({
  by: z.enum(["database", "variable"]).describe(
    "What overrides the variable: an older database with the same variable, or one of the project's variables",
  ),
  name: z.string().describe("Name of the database or variable that overrides it"),
  environments: environmentNames.describe("Environments in which it is overridden; null for all"),
  note: z.string().describe("The same information as a sentence, as in `notes`"),
}).meta({ id: "DatabaseOverride" });
export type DatabaseOverride = z.infer<typeof databaseOverride>;

export const databaseHistory = z.object({
  since: timestamp.nullable().describe(
    "Earliest time that its branches can be restored to; null if there is none yet",
  ),
  keepDays: z.number().describe("Number of days of history to keep"),
  sizeBytes: z.int().describe("Size on disk in bytes, for all of the engine's databases combined"),
  maxBytes: z.int().describe("Maximum size on disk in bytes"),
  problem: z.string().nullable().describe("Why the history is not being kept; null if it is"),
}).meta({ id: "DatabaseHistory" });
export type DatabaseHistory = z.infer<typeof databaseHistory>;

export const database = z.object({
  id: uuid.describe("ID of the database"),
  name: databaseName.meta({ description: "Name of the database", example: "orders" }),
  projectId: uuid.describe("ID of the project"),
  engine: z.enum(DATABASE_ENGINES).describe(
    "`embedded` (runs inside svc) or `server` (a PostgreSQL server)",
  ),
  version: z.string().nullable().describe("PostgreSQL version; null while unknown"),
  state: z.enum(DATABASE_STATES).describe("State of the branch `main`"),
  reason: z.string().nullable().meta({
    description: "Why the database is not active; null if it is",
    example: "The PostgreSQL server does not respond",
  }),
  cuSize: cuSize.describe("Compute units, which set memory and connections"),
  memoryMb: z.int().describe(
    "Memory limit of each branch. On a server, all databases share its memory",
  ),
  maxConnections: z.int().describe("Maximum number of connections per branch"),
  autoInject: z.boolean().describe("Whether deployments get its connection string as a variable"),
  // Validated less strictly than input, because an older version accepted longer names.
  envVar: z.string().meta({
    description: "Variable with the connection string",
    example: "DATABASE_URL",
  }),
  environments: environmentNames.describe("Environments that get the variable; null for all"),
  previewBranches: z.boolean().describe(
    "Whether the previews of each git branch get their own database branch",
  ),
  branches: z.int().describe("Number of branches"),
  sizeBytes: z.int().nullable().describe(
    "Size of all branches on disk in bytes; null while unknown",
  ),
  overriddenBy: z.array(databaseOverride).default([]).describe(
    "What overrides the connection string in deployments",
  ),
  history: databaseHistory.nullable().default(null).describe(
    "What can be restored to a point in time; null if the engine keeps no history",
  ),
  notes: z.array(z.string()).describe(
    "Human-readable remarks",
  ),
  createdAt: timestamp.describe("When the database was created"),
  deletedAt: timestamp.nullable().describe("When it was deleted; null if it was not"),
  removedAt: timestamp.nullable().describe(
    "When the deleted database will be removed permanently; null if it was not deleted",
  ),
}).meta({ id: "Database" });
export type Database = z.infer<typeof database>;

const settings = {
  cuSize: cuSize.describe("Compute units, which set memory and connections"),
  autoInject: z.boolean().describe("Whether deployments get the connection string as a variable"),
  envVar: variableName.meta({
    description: "Variable with the connection string",
    example: "DATABASE_URL",
  }),
};

const createDatabaseBody = z.object({
  name: databaseName.meta({
    description: "Name of the database, unique in the project",
    example: "orders",
  }),
  cuSize: settings.cuSize.default("0.25"),
  engine: z.enum(DATABASE_ENGINES).optional().describe("Engine; the platform's default if omitted"),
  autoInject: settings.autoInject.default(true),
  envVar: settings.envVar.default(DATABASE_VARIABLE),
}).strict();

const updateDatabaseBody = z.object({
  ...settings,
  environments: environmentNames.meta({
    description: "Environments that get the variable; null for all",
    example: ["production"],
  }),
  previewBranches: z.boolean().describe("Whether each preview gets its own branch of the database"),
}).partial().strict();

const databaseConnection = z.object({
  url: z.string().describe("Connection string with the password, for `psql`, drivers and ORMs"),
  host: z.string().meta({ description: "Host for PostgreSQL clients", example: "127.0.0.1" }),
  port: z.int().meta({ description: "Port for PostgreSQL clients", example: 8788 }),
  user: z.string().meta({ description: "Role that owns the branch", example: "orders_9f86d081" }),
  password: z.string().meta({
    description: "Password of the role",
    example: "correct horse battery staple",
  }),
  database: z.string().meta({
    description: "Name of the database, for clients",
    example: "orders",
  }),
  branch: branchName.meta({ description: "Branch of the database", example: "main" }),
}).meta({ id: "DatabaseConnection" });
export type DatabaseConnection = z.infer<typeof databaseConnection>;

/** How clients reach a branch, without the password. */
const databaseAddress = databaseConnection.omit({ url: true, password: true }).extend({
  encrypts: z.boolean().describe("Whether clients have to use TLS"),
}).meta({ id: "DatabaseAddress" });
export type DatabaseAddress = z.infer<typeof databaseAddress>;

/** Returns the connection string of a branch, including its password. */
export function connectionUrl(
  { host, port, user, database, encrypts }: DatabaseAddress,
  password: string,
): string {
  const authority = host.includes(":") ? `[${host}]` : host;
  const mode = encrypts ? "?sslmode=require" : "";
  return `postgres://${user}:${password}@${authority}:${port}/${database}${mode}`;
}

/** The database in a path, as an ID or a name. */
export const databaseParams = projectParams.extend({
  database: idOrName(DATABASE_NAME_MAX).meta({
    description: "ID or name of the database",
    example: "orders",
  }),
});
export const branchQuery = z.object({
  branch: branchName.default(MAIN_BRANCH).meta({
    description: "Branch of the database",
    example: "main",
  }),
});
export const DATABASE_PATH = "/v1/projects/{project}/databases/{database}";
export const DATABASE_TAG = "Databases";

export const listDatabases = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/databases",
  summary: "List a project's databases, oldest first",
  tag: DATABASE_TAG,
  params: projectParams,
  query: pageQuery.extend({
    deleted: z.enum(["true", "false"]).default("false").describe(
      "Deleted databases that can be restored",
    ),
  }),
  response: page(database),
});

export const createDatabase = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/databases",
  summary: "Create a database. Its state is `creating` until the branch `main` is ready",
  tag: DATABASE_TAG,
  params: projectParams,
  body: createDatabaseBody,
  response: database,
  status: 201,
});

export const getDatabase = endpoint({
  method: "GET",
  path: DATABASE_PATH,
  summary: "Show a database",
  tag: DATABASE_TAG,
  params: databaseParams,
  response: database,
});

export const updateDatabase = endpoint({
  method: "PATCH",
  path: DATABASE_PATH,
  summary: "Update a database: its size, or how deployments get its connection string",
  tag: DATABASE_TAG,
  params: databaseParams,
  body: updateDatabaseBody,
  response: database,
});

export const deleteDatabase = endpoint({
  method: "DELETE",
  path: DATABASE_PATH,
  summary: "Delete a database. It can be restored for seven days",
  tag: DATABASE_TAG,
  params: databaseParams,
  response: database,
});

export const undeleteDatabase = endpoint({
  method: "POST",
  path: `${DATABASE_PATH}/undelete`,
  summary: "Restore a deleted database",
  tag: DATABASE_TAG,
  params: databaseParams,
  response: database,
});

export const startDatabase = endpoint({
  method: "POST",
  path: `${DATABASE_PATH}/start`,
  summary: "Start a database",
  tag: DATABASE_TAG,
  params: databaseParams,
  response: database,
});

export const stopDatabase = endpoint({
  method: "POST",
  path: `${DATABASE_PATH}/stop`,
  summary: "Stop a database: end all connections and refuse new ones",
  tag: DATABASE_TAG,
  params: databaseParams,
  response: database,
});

export const getDatabaseConnection = endpoint({
  method: "GET",
  path: `${DATABASE_PATH}/connection`,
  summary: "Show the connection details of a branch, with its password",
  tag: DATABASE_TAG,
  access: "developer",
  params: databaseParams,
  query: branchQuery,
  response: databaseConnection,
});

export const getDatabaseAddress = endpoint({
  method: "GET",
  path: `${DATABASE_PATH}/address`,
  summary: "Show how clients reach a branch, without its password",
  tag: DATABASE_TAG,
  params: databaseParams,
  query: branchQuery,
  response: databaseAddress,
});

export const databaseUsage = z.object({
  stepSeconds: z.int().positive().describe(
    "Length of a step: one minute in a database's first two hours, ten minutes after that",
  ).meta({ example: 600 }),
  steps: z.array(z.object({
    time: timestamp.describe("Start of the step"),
    sizeBytes: z.int().nullable().describe("Size of all branches; null if unknown"),
    connections: z.int().nonnegative().describe(
      "Peak number of concurrent clients on all branches, sampled every minute",
    ),
  })).describe("Steps over the last day, oldest first; steps without a sample are omitted"),
}).meta({ id: "DatabaseUsage" });
export type DatabaseUsage = z.infer<typeof databaseUsage>;

export const getDatabaseUsage = endpoint({
  method: "GET",
  path: `${DATABASE_PATH}/usage`,
  summary: "Show a database's size and connections over the last day",
  tag: DATABASE_TAG,
  params: databaseParams,
  response: databaseUsage,
});

export const moveDatabase = endpoint({
  method: "POST",
  path: `${DATABASE_PATH}/move`,
  summary: "Move a database to another engine",
  tag: DATABASE_TAG,
  params: databaseParams,
  body: z.object({ engine: z.enum(DATABASE_ENGINES).describe("Engine to move the database to") })
    .strict(),
  response: database,
});
