/**
 * How programs connect to a branch.
 *
 * @module
 */
import type { DatabaseConnection } from "../../contract/databases.ts";

/** Shown where the password is. */
const HIDDEN = "••••••••";

export interface ClientSnippet {
  readonly client: string;
  readonly text: string;
}

/** The connection without its password. */
export const withoutPassword = (connection: DatabaseConnection): DatabaseConnection => ({
  ...connection,
  password: HIDDEN,
  url: connection.url.replace(`:${connection.password}@`, `:${HIDDEN}@`),
});

/** The text that each client takes, the shortest way first. */
export function clientSnippets(
  { url, host, port, user, password, database }: DatabaseConnection,
): ClientSnippet[] {
  const authority = host.includes(":") ? `[${host}]` : host;
  const encrypts = url.endsWith("?sslmode=require");
  return [
    { client: "Connection string", text: url },
    { client: "psql", text: `psql "${url}"` },
    {
      client: "node-postgres",
      text: [
        `import pg from "pg";`,
        ``,
        `const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });`,
        ``,
        `// .env`,
        `DATABASE_URL="${url}"`,
      ].join("\n"),
    },
    {
      client: "Prisma",
      text: [
        `datasource db {`,
        `  provider = "postgresql"`,
        `  url      = env("DATABASE_URL")`,
        `}`,
        ``,
        `// .env`,
        `DATABASE_URL="${url}"`,
      ].join("\n"),
    },
    {
      client: "Drizzle",
      text: [
        `import { drizzle } from "drizzle-orm/node-postgres";`,
        ``,
        `const db = drizzle(process.env.DATABASE_URL!);`,
        ``,
        `// .env`,
        `DATABASE_URL="${url}"`,
      ].join("\n"),
    },
    {
      client: "Django",
      text: [
        `DATABASES = {`,
        `    "default": {`,
        `        "ENGINE": "django.db.backends.postgresql",`,
        `        "NAME": "${database}",`,
        `        "USER": "${user}",`,
        `        "PASSWORD": "${password}",`,
        `        "HOST": "${host}",`,
        `        "PORT": "${port}",`,
        ...(encrypts ? [`        "OPTIONS": {"sslmode": "require"},`] : []),
        `    }`,
        `}`,
      ].join("\n"),
    },
    {
      client: "JDBC",
      text: `jdbc:postgresql://${authority}:${port}/${database}?${new URLSearchParams({
        user,
        password,
        ...(encrypts ? { sslmode: "require" } : {}),
      })}`.replaceAll(encodeURIComponent(HIDDEN), HIDDEN),
    },
  ];
}
