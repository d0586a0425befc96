import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { SignedIn } from '../../../contract/account/account.ts'
import type { registrationShape } from '../../../contract/account/forms.ts'
import type { Env } from '../../env.ts'
import { isTaken } from '../../ground/db/unique.ts'
import type { Visitor } from '../../ground/http/serve.ts'
import { readKeys } from '../../identity/devices/documents.ts'
import { storeFirstKeys } from '../../identity/devices/enrol.ts'
import { requireAuthSecret, saltFor, verifierOf } from '../../identity/password/password.ts'
import { Refusal } from '../../refuse.ts'
import { signIn } from './account.ts'
import { isFree } from './names.ts'
import * as store from './store.ts'

/** Makes an account and signs it in. Keys in the form are stored in the same transaction. Throws Refusal. */
export async function register(env: Env, visitor: Visitor, form: z.infer<typeof registrationShape>): Promise<SignedIn> {
  await env.limits.take('register', visitor.addressKey())
  await env.limits.take('registerTotal', 'all')
  const { username, displayName, password, kdf, keys } = form
  if (kdf === 1) requireAuthSecret(password)
  else if (keys) throw new Refusal('invalid_input', { text: 'Keys come with a derived password (kdf 1)' })
  const read = keys && readKeys(keys)
  // Checked before the costly derivation. The unique index decides races.
  if (!(await isFree(env, username))) throw new Refusal('username_taken')

  const passwordSalt = saltFor(env, username)
  const passwordHash = await verifierOf(username, passwordSalt, password, kdf)
  const now = env.clock()
  const { row, unlock } = await env.db
    .transaction(async (tx) => {
      const row = await store.insertUser(tx, {
        id: randomUUID(),
        username,
        displayName,
        passwordHash,
        passwordSalt,
        usageResetDate: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)),
        createdAt: now,
      })
      if (!read) return { row, unlock: null }
      const unlock = await storeFirstKeys(tx, now, row.id, read)
      return { row: (await store.findById(tx, row.id)) ?? row, unlock }
    })
    .catch((error: unknown) => {
      throw isTaken(error, 'users_username_lower') ? new Refusal('username_taken') : error
    })
  return await signIn(env, visitor, row, { deviceId: unlock?.deviceId, otherwise: 'invalid_credentials', isNew: true })
}
