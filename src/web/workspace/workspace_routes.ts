/** @module The routes for workspaces, their members and their invitations. */
import { endpoints } from "../../contract/endpoints.ts";
import { cursorIn, pageRangeIn, readPart } from "../visit/long_list.ts";
import { openBoard } from "../visit/board_context.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { pageContextOf } from "../visit/page_context.ts";
import { safeReturnPath } from "../visit/return_path.ts";
import { checkFields, type Fields, type FormPage, refused } from "../layout/form.ts";
import type { Question } from "../layout/question.tsx";
import { namedIn } from "../visit/board_context.ts";
import { QUESTIONS } from "../asking/questions.ts";
import { goTo } from "../layout/document.tsx";
import type { Clock } from "../../lib/clock.ts";
import type { Authenticator } from "../../platform/accounts/mod.ts";
import { type Caller, selfCallerOf } from "../../platform/core/access/mod.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import type { WorkspaceService } from "../../platform/workspaces/mod.ts";
import { auditSelection } from "./audit_selection.ts";
import { invitationPage } from "./invitation_page.tsx";
import { auditPage } from "./audit_page.tsx";
import { usagePath } from "../layout/bar.tsx";
import { usagePage } from "./usage_page.tsx";
import { workspacePage } from "./workspace_page.tsx";
import { workspacesPage } from "./workspaces_page.tsx";

export interface WorkspacePageServices {
  readonly now: Clock;
  readonly workspaces: WorkspaceService;
  readonly authenticator: Pick<Authenticator, "memory">;
}

/**
 * Parses fields that are filled in by the page, not by the person.
 *
 * @throws {Failure} `invalid_request`
 */
function parse<T>(
  schema: Parameters<typeof checkFields<T>>[0],
  fields: Fields,
): T {
  const checked = checkFields(schema, fields);
  if (checked.ok) return checked.value;
  throw new Failure("invalid_request", "Submit the form from one of the platform's own pages");
}

/**
 * Returns `undefined` if the error means that the person lacks permission. Throws all other errors.
 */
function unlessForbidden(error: unknown): undefined {
  if (!(error instanceof Failure && error.code === "forbidden")) throw error;
}

const memberRole = endpoints.changeMember.body;
const memberId = endpoints.changeMember.params;

const invitationId = endpoints.deleteInvitation.params;

export function bindWorkspacePages(bind: PageBinder, services: WorkspacePageServices): void {
  const { workspaces, authenticator } = services;

  /**
   * Finds the person's membership. @throws {Failure} `not_found`; `forbidden` if the person must be
   * an owner but is not.
   */
  const memberOf = async (visit: PersonVisit, wanted: "viewer" | "owner"): Promise<Caller> => {
    const { user, credential } = visit.person;
    const slug = visit.params.slug ?? "";
    const workspace = await authenticator.memory.workspaceBySlug(user.id, slug);
    if (workspace === undefined) {
      throw new Failure("not_found", `Workspace "${slug}" does not exist`);
    }
    if (wanted === "owner" && workspace.role !== "owner") {
      throw new Failure("forbidden", `Only owners of "${slug}" can do this`);
    }
    return { user, credential, workspace };
  };

  const askAs =
    (wanted: "viewer" | "owner", ask: (what: string) => Question) => async (visit: PersonVisit) => {
      await memberOf(visit, wanted);
      return ask(namedIn({ visit }));
    };

  const show = async (
    visit: PersonVisit,
    shown: Parameters<typeof workspacePage>[2] = {},
  ): Promise<Response> => {
    const caller = await memberOf(visit, "viewer");
    const { workspace } = caller;
    const isOwner = workspace.role === "owner";
    const [context, members, invitations] = await Promise.all([
      pageContextOf({ ...visit, path: `/workspaces/${workspace.slug}` }, workspaces),
      workspaces.members(caller, pageRangeIn(visit.query, "members")),
      isOwner
        ? workspaces.openInvitations(caller, pageRangeIn(visit.query, "invitations"))
        : undefined,
    ]);
    const owned = invitations && {
      invitations: invitations.items,
      nextInvitations: invitations.nextCursor,
    };
    return workspacePage({ ...context, workspace, now: services.now() }, {
      workspace,
      members: members.items,
      nextMembers: members.nextCursor,
      cursors: {
        members: cursorIn(visit.query, "members"),
        invitations: cursorIn(visit.query, "invitations"),
      },
      owned,
    }, shown);
  };
  const back = (caller: Caller, done: string): Response =>
    goTo(`/workspaces/${caller.workspace.slug}?done=${done}`);

  const showWorkspaces = async (
    visit: PersonVisit,
    shown: FormPage & { readonly next: string },
  ): Promise<Response> => {
    const own = selfCallerOf(visit.person);
    const [context, list] = await Promise.all([
      pageContextOf(visit, workspaces),
      readPart(visit.query, "cursor", (selection) => workspaces.list(own, selection)),
    ]);
    return workspacesPage(context, { ...shown, list });
  };
  bind.personal(
    "GET",
    "/workspaces",
    (visit) => showWorkspaces(visit, { next: safeReturnPath(visit.query.get("next")) }),
  );
  bind.personal("POST", "/workspaces", async (visit) => {
    const { person, fields } = visit;
    const next = safeReturnPath(fields.next);
    const checked = checkFields(endpoints.createWorkspace.body, fields);
    if (!checked.ok) return showWorkspaces(visit, { next, state: checked.state, status: 400 });
    try {
      const { slug } = await workspaces.create(person, checked.value);
      return goTo(next === "/" ? `/workspaces/${slug}?done=workspace-made` : next);
    } catch (error) {
      return showWorkspaces(visit, { next, ...refused(error, fields) });
    }
  });

  bind.personal("GET", "/workspaces/:slug", (visit) => show(visit));

  bind.personal("GET", "/workspaces/:slug/audit", async (visit) => {
    const { context, api } = await openBoard(visit, visit.params.slug ?? "", services);
    const selection = auditSelection(visit.query);
    const page = await api.call(endpoints.listAudit, { query: selection });
    return auditPage(context, { ...page, selection });
  });

  bind.personal("GET", "/workspaces/:slug/usage", async (visit) => {
    const { context, api } = await openBoard(visit, visit.params.slug ?? "", services);
    const [usage, backups, edges] = await Promise.all([
      api.call(endpoints.listUsage, {}),
      api.call(endpoints.getBackups, {}).catch(unlessForbidden),
      api.call(endpoints.listEdges, {}).catch(unlessForbidden),
    ]);
    return usagePage(context, { items: usage.items, backups, edges: edges?.items });
  });

  bind.personal("POST", "/workspaces/:slug/usage/edges", async (visit) => {
    const { slug = "" } = visit.params;
    const { api } = await openBoard(visit, slug, services);
    const params = parse(endpoints.drainEdge.params, { edge: visit.fields.edge ?? "" });
    const isDrained = visit.fields.drained === "on";
    await api.call(endpoints.drainEdge, { params, body: { isDrained } });
    return goTo(`${usagePath(slug)}?done=${isDrained ? "edge-drained" : "edge-used"}#edges`);
  });

  bind.personal("POST", "/workspaces/:slug/members/role", async (visit) => {
    const caller = await memberOf(visit, "owner");
    const { role } = parse(memberRole, visit.fields);
    const { user } = parse(memberId, { user: visit.fields.userId ?? "" });
    await visit.api(caller.workspace.slug).call(endpoints.changeMember, {
      params: { user },
      body: { role },
    });
    return back(caller, "role-changed");
  });
  bind.asking("/workspaces/:slug/members/remove", {
    ask: askAs("owner", QUESTIONS.member),
    run: async (visit) => {
      const caller = await memberOf(visit, "owner");
      const { user } = parse(memberId, { user: visit.fields.userId ?? "" });
      await visit.api(caller.workspace.slug).call(endpoints.removeMember, { params: { user } });
      return back(caller, "member-removed");
    },
  });
  bind.asking("/workspaces/:slug/leave", {
    ask: askAs("viewer", QUESTIONS.leave),
    run: async (visit) => {
      const caller = await memberOf(visit, "viewer");
      await visit.api(caller.workspace.slug).call(endpoints.leaveWorkspace, {});
      return goTo("/workspaces?done=workspace-left");
    },
  });

  bind.personal("POST", "/workspaces/:slug/invitations", async (visit) => {
    const caller = await memberOf(visit, "owner");
    const { role } = parse(endpoints.createInvitation.body, visit.fields);
    const { url } = await visit.api(caller.workspace.slug).call(endpoints.createInvitation, {
      body: { role },
    });
    return show(visit, { url });
  });
  bind.asking("/workspaces/:slug/invitations/withdraw", {
    ask: askAs("owner", QUESTIONS.invitation),
    run: async (visit) => {
      const caller = await memberOf(visit, "owner");
      const { invitation } = parse(invitationId, { invitation: visit.fields.id ?? "" });
      await visit.api(caller.workspace.slug).call(endpoints.deleteInvitation, {
        params: { invitation },
      });
      return back(caller, "invitation-withdrawn");
    },
  });

  bind.personal("GET", "/invitation/:token", async ({ person, csrf, params, client }) => {
    const token = params.token ?? "";
    const invitation = await workspaces.findInvitation(token, client);
    if (invitation === undefined) {
      throw new Failure(
        "not_found",
        "This invitation has expired, was already used or was withdrawn",
      );
    }
    const email = person.user.email ?? person.user.name;
    return invitationPage({ invitation, token, csrf, email });
  });
  bind.personal("POST", "/invitation/:token", async ({ person, params, client }) => {
    const token = params.token ?? "";
    const { slug } = await workspaces.accept(person, token, client);
    return goTo(`/workspaces/${slug}?done=workspace-joined`);
  });
}
