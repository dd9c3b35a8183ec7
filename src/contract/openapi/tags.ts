/**
 * The parts of the API, in the order in which the reference shows them.
 *
 * @module
 */
export const TAGS: Readonly<Record<string, string>> = {
  Projects: "Projects and their build settings",
  Deployments: "Versions of a project, created from a list of files and activated in one step",
  Previews: "Access to previews: members, share links, password and bypass key",
  Releases: "Rolling releases: shares of visitors, comparison, and their end",
  Blobs: "File contents by SHA-256",
  Builds: "Builds of git commits",
  "Deploy hooks": "Secret URLs that start deployments",
  "Scheduled tasks": "Requests that the platform sends to your servers on a schedule",
  Environments: "Production, preview and custom environments",
  Variables: "Environment variables; secrets are write-only",
  Databases: "Managed PostgreSQL: databases, branches, snapshots and queries",
  KV: "Key-value stores of a project's environments",
  Domains: "Custom domains and their DNS records",
  Rules: "Edge rules, published without a deployment",
  Cache: "The response cache of the edge",
  Logs: "Logs of requests, functions, servers and builds",
  Traffic: "Traffic counted at the edge: visitors, pages and response times",
  Errors: "Exceptions and failed requests of functions and servers, grouped by kind",
  Notifications: "Inbox and notification preferences",
  Events: "Events and their audience",
  Deliveries: "Messages that could not be delivered, and test messages",
  Webhooks: "Signed events sent to other systems",
  "Web push": "Browser notifications",
  Messenger: "Messenger chats linked to an account",
  "Device authorization": "Sign-in without a browser (RFC 8628)",
  Accounts: "Sign-up, sign-in, sessions, password and two-factor authentication",
  Identity: "The current caller",
  Workspaces: "Workspaces, their members and invitations",
  "API keys": "API keys for automation",
  "Trusted publishers": "CI workflows that get short-lived keys for their job token",
  Security: "Security events of accounts and keys",
  System: "Version and status of the platform",
};
