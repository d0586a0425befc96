import type { FastifyInstance } from 'fastify'
import { familyApi } from '../../../contract/account/family.ts'
import type { Env } from '../../env.ts'
import { serve, serveAnyone } from '../../ground/http/serve.ts'
import { leaveFamily, listMembers, ownMembership, removeMember, setOnline } from './family.ts'
import { acceptInvitation, cancelInvitation, declineInvitation, invite, listInvitations, showInvitation } from './invitations.ts'
import { mailInvitation } from './mail.ts'

export function familyRoutes(app: FastifyInstance, env: Env) {
  serve(app, env, familyApi.invitations, (user) => listInvitations(env, user))
  serve(app, env, familyApi.members, (user) => listMembers(env, user))
  serve(app, env, familyApi.invite, (user, whom) => invite(env, user, whom))
  serve(app, env, familyApi.cancel, (user, { invitationId }) => cancelInvitation(env, user, invitationId))
  serve(app, env, familyApi.mail, (user, { invitationId }) => mailInvitation(env, user, invitationId))
  serve(app, env, familyApi.removeMember, (user, { memberId }) => removeMember(env, user, memberId))
  serveAnyone(app, env, familyApi.show, (visitor, { token }) => showInvitation(env, visitor, token))
  serve(app, env, familyApi.accept, (user, form) => acceptInvitation(env, user, form))
  serve(app, env, familyApi.decline, (user, { token }) => declineInvitation(env, user, token))
  serve(app, env, familyApi.own, (user) => ownMembership(env, user))
  serve(app, env, familyApi.setOnline, (user, { showsOnline }) => setOnline(env, user, showsOnline))
  serve(app, env, familyApi.leave, (user) => leaveFamily(env, user))
}
