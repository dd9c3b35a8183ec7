/** @module Examples of how to connect to a branch from a program. */
import { connectionUrl, type DatabaseAddress } from "../../contract/databases.ts";

/** The placeholder that is shown instead of the password. */
const HIDDEN = "••••••••";

interface ClientSnippet {
  readonly client: string;
  readonly text: string;
}

/**
 * Returns a snippet for each client. If `password` is missing, the snippets contain a placeholder.
 */
export function clientSnippets(
  address: DatabaseAddress,
  password: string = HIDDEN,
): ClientSnippet[] {
  const { host, port, user, database, encrypts } = address;
  const authority = host.includes(":") ? `[${host}]` : host;
  const url = connectionUrl(address, password);
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
