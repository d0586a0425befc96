import type { FastifyInstance } from 'fastify'
import { contactsApi } from '../../contract/contacts.ts'
import type { Env } from '../env.ts'
import { serve, serveJson } from '../http/serve.ts'
import { acceptContact, addContact, declineContact, listContacts } from './contacts.ts'

export function contactRoutes(app: FastifyInstance, env: Env) {
  serveJson(app, env, contactsApi.list, (user) => listContacts(env, user), { hasEtag: true })
  serve(app, env, contactsApi.add, (user, who) => addContact(env, user, who))
  serve(app, env, contactsApi.accept, (user, { contactId }) => acceptContact(env, user, contactId))
  serve(app, env, contactsApi.decline, (user, { contactId }) => declineContact(env, user, contactId))
}
