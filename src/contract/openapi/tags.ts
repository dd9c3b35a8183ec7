/**
 * The parts of the API, in the order in which the reference shows them.
 *
 * @module
 */
export const TAGS: Readonly<Record<string, string>> = {
  Projects: "What is deployed, and how it is built",
  Deployments: "Versions of a project: created with a list of files, made visible in one step",
  Previews: "Who may visit previews: members, share links, a password, a bypass key",
  Blobs: "Contents of files, by their SHA-256",
  Builds: "What the platform makes of a commit",
  "Deploy hooks": "Secret URLs that start deployments",
  "Scheduled tasks": "Requests that the platform sends to servers at certain times",
  Environments: "Production, preview and a project's own",
  Variables: "Environment variables; secrets are write-only",
  Databases: "Managed PostgreSQL: databases, their branches and snapshots, and SQL on them",
  KV: "The key-value stores of a project's environments, as people look into them",
  Domains: "Custom domains and the DNS records that they need",
  Rules: "Rule sets that are published without a deploy",
  Cache: "The edge's cache of answers",
  Logs: "What requests, functions, servers and builds wrote",
  Traffic: "What the edge counted of requests: visitors, pages, and times of answers",
  Errors: "Exceptions and failed requests of functions and servers, each kind once",
  Notifications: "The inbox of a person, and what is sent to them",
  Events: "What happened, and whom it concerns",
  Deliveries: "Messages that could not be delivered, and tests",
  Webhooks: "Events sent to other systems, signed",
  "Web push": "Notifications of browsers",
  Messenger: "Chats that belong to an account",
  "Device authorization": "How a tool without a browser signs in (RFC 8628)",
  Accounts: "Sign-up, sign-in, sessions, password and second factor",
  Identity: "Who is calling",
  Workspaces: "Workspaces, their members and invitations",
  "API keys": "How automation acts in a workspace",
  "Trusted publishers": "Workflows of CI that get keys of a few minutes for the token of their job",
  Security: "What happened to accounts and keys",
  System: "The platform about itself",
};
