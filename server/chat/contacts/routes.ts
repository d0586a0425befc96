import type { FastifyInstance } from 'fastify'
import { chatLocksApi } from '../../../contract/chat/chatlocks.ts'
import { codesApi } from '../../../contract/chat/contactcodes.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import type { Env } from '../../env.ts'
import { serve, serveJson } from '../../ground/http/serve.ts'
import { blockContact, listBlocked, unblockContact } from './block.ts'
import { clearChat } from './clear.ts'
import { answerUse, currentCode, generateCode, listUses, redeemCode } from './codes.ts'
import { acceptContact, addContact, declineContact, listContacts, removeContact, restoreContact } from './contacts.ts'
import { giveUpHistory } from './giveup.ts'

export function contactRoutes(app: FastifyInstance, env: Env) {
  serveJson(
    app,
    env,
    contactsApi.list,
    (user, asked, caller) =>
      listContacts(env, user, asked, (before) =>
        caller.setNext(`${contactsApi.list.path}?before=${before}&limit=${asked.limit}`),
      ),
    { hasEtag: true },
  )
  serve(app, env, contactsApi.add, (user, who) => addContact(env, user, who))
  serve(app, env, contactsApi.accept, (user, { contactId }) => acceptContact(env, user, contactId))
  serve(app, env, contactsApi.decline, (user, { contactId }) => declineContact(env, user, contactId))
  serve(app, env, contactsApi.remove, (user, { contactId }) => removeContact(env, user, contactId))
  serve(app, env, contactsApi.block, (user, { contactId }) => blockContact(env, user, contactId))
  serve(app, env, contactsApi.blocked, (user) => listBlocked(env, user))
  serve(app, env, contactsApi.unblock, (user, { contactId }) => unblockContact(env, user, contactId))
  serve(app, env, contactsApi.clearChat, (user, { contactId, upTo }) => clearChat(env, user, contactId, upTo))
  serve(app, env, chatLocksApi.giveUp, (user, given, caller) => giveUpHistory(env, user, given, caller))
  serve(app, env, codesApi.current, (user) => currentCode(env, user))
  serve(app, env, codesApi.generate, (user) => generateCode(env, user))
  serve(app, env, codesApi.redeem, (user, redemption) => redeemCode(env, user, redemption))
  serve(app, env, codesApi.uses, (user) => listUses(env, user))
  serve(app, env, codesApi.answerUse, (user, { useId }) => answerUse(env, user, useId))
  serve(app, env, contactsApi.restore, (user, { contactId }) => restoreContact(env, user, contactId))
}
