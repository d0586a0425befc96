import type { z } from 'zod'
import type { User } from '../../../contract/account/account.ts'
import { type ContactCode, codesApi } from '../../../contract/chat/contactcodes.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { onionAddress } from '../../../contract/people/onion.ts'
import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import { keepRooms } from '../../rooms/list/loadRooms.ts'
import { shareMarks } from '../../rooms/trust/safety.ts'
import { failureWords } from '../../ui/failure.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { contentOf, readContent, type Scan } from './codeContent.ts'
import { codeStore, type ShownUse, usesStore } from './store.ts'

type Added = Pick<z.output<typeof codesApi.redeem.output>, 'displayName' | 'contact'>

/** The account whose code it is. */
type Owner = Pick<User, 'id' | 'username' | 'displayName'>

/** Reads the account's valid code. A failure stands in the store. */
export const loadCode = (env: Env, user: Owner): Promise<void> =>
  inTurn(env, 'code', async () => {
    try {
      await putCode(env, user, await env.api(codesApi.current, {}))
    } catch (error) {
      codeStore.setState({ status: 'ready', failure: failureWords(error) })
    }
  })

/** Makes a new code, which replaces the one before at once. Throws ApiError, CryptoFailure. */
export async function generateCode(env: Env, user: Owner): Promise<void> {
  codeStore.setState({ isGenerating: true })
  try {
    await inTurn(env, 'code', async () => putCode(env, user, await env.api(codesApi.generate, {})))
  } catch (error) {
    codeStore.setState({ status: 'ready', failure: failureWords(error) })
    throw error
  } finally {
    codeStore.setState({ isGenerating: false })
  }
}

async function putCode(env: Env, user: Owner, { qrToken, expiresAt, usageCount, maxUsage }: ContactCode): Promise<void> {
  if (qrToken === null || expiresAt === null) return codeStore.setState({ status: 'ready', failure: null, code: null })
  const { identityKey } = await env.crypto.ownStanding()
  const secret = await env.crypto.codeSecret({ qrToken })
  const content = contentOf({ user, onionAddress: onionAddress(fromBase64(identityKey)) }, qrToken, secret)
  const code = { qrToken, expiresAt: new Date(expiresAt), usageCount, maxUsage, content }
  codeStore.setState({ status: 'ready', failure: null, code })
}

/**
 * Adds the owner of a token that somebody typed or pasted, which verifies nobody. Returns the owner's own name with it. Throws ApiError.
 */
export async function redeemToken(env: Env, text: string): Promise<Added> {
  const pasted = readContent(text)
  const qrToken = typeof pasted === 'string' ? text.trim() : pasted.qrToken
  const { displayName, contact } = await env.api(codesApi.redeem, { qrToken })
  await keepRooms(env, [contact])
  return { displayName, contact }
}

/**
 * Adds the owner of a scanned code, whose key counts as compared from then on [Note: I2]. Returns the owner's own name. Throws
 * ApiError, or CryptoFailure: 'code_mismatch' if the server names somebody else for the code, or what `proveScan` throws. Nobody
 * is added then.
 */
export async function redeemScan(env: Env, own: Pick<User, 'username'>, { qrToken, code }: Scan): Promise<Added> {
  if (!code) return await redeemToken(env, qrToken)
  const { userId, identityKey, username } = code
  const proof = await env.crypto.proveScan({ code, username: own.username })
  await env.crypto.wantAddress({ identityKey })
  const { displayName, contact } = await env.api(codesApi.redeem, { qrToken, proof })
  const shown = contact.contactUser
  if (contact.contactUserId !== userId || shown.identityKey !== identityKey || shown.username.toLowerCase() !== username) {
    await env.api(contactsApi.remove, { contactId: contact.id })
    throw new CryptoFailure(
      'code_mismatch',
      `The code is @${username}’s, and the server answers with somebody else’s key or name. Nobody was added`,
    )
  }
  await env.crypto.pinScanned({ userId, identityKey, username, at: env.clock().toISOString() })
  await keepRooms(env, [contact])
  await shareMarks(env)
  return { displayName, contact }
}

/** Reads who has used the account's codes, and checks their proofs. */
export const loadUses = (env: Env): Promise<void> =>
  inTurn(env, 'code uses', async () => {
    const uses = await env.api(codesApi.uses, {})
    usesStore.setState({ uses: await Promise.all(uses.map(async (use) => ({ ...use, proven: await isProven(env, use) }))) })
  })

async function isProven(env: Env, { proof, identityKey, ...use }: Omit<ShownUse, 'proven'>): Promise<boolean | null> {
  if (proof === null) return null
  return identityKey !== null && (await env.crypto.isScanProven({ ...use, proof, identityKey }))
}

/** The person has confirmed who stands before them: accepts the request and verifies the key [Note: I2]. Throws ApiError, CryptoFailure. */
export async function confirmUse(env: Env, use: ShownUse): Promise<void> {
  const { userId, username, identityKey, contactId } = use
  if (use.proven !== true || identityKey === null) throw new CryptoFailure('code_mismatch', 'This use of your code is not proven')
  await env.crypto.pinScanned({ userId, identityKey, username, at: env.clock().toISOString() })
  if (contactId !== null) await keepRooms(env, [await env.api(contactsApi.accept, { contactId })])
  await answerUse(env, use)
  await shareMarks(env)
}

/** Asks no more about this use. The person's request stays in the list. Throws ApiError. */
export async function answerUse(env: Env, { id }: Pick<ShownUse, 'id'>): Promise<void> {
  await env.api(codesApi.answerUse, { useId: id })
  usesStore.setState(({ uses }) => ({ uses: uses.filter((use) => use.id !== id) }))
}
