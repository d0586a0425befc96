import { randomBytes, randomUUID } from 'node:crypto'
import { codesApi } from '../../contract/chat/contactcodes.ts'
import { contactsApi } from '../../contract/chat/contacts.ts'
import { PERIODS } from '../../contract/ground/limits.ts'
import { ApiError } from '../net/api.ts'
import { headOf } from './accounts.ts'
import { addIn, contactRow } from './contacts.ts'
import type { ServerState, Verb } from './state.ts'

interface Code {
  ownerId: string
  qrToken: string
  expiresAt: string
  usageCount: number
}

interface Use {
  id: string
  ownerId: string
  userId: string
  qrToken: string
  usedAt: string
  proof: string | null
}

/** The endpoints of contact codes, according to the contract. */
export function codeVerbs(state: ServerState): Verb[] {
  const codes = new Map<string, Code>()
  let uses: Use[] = []

  const shown = (code: Code | undefined) => ({
    qrToken: code?.qrToken ?? null,
    expiresAt: code?.expiresAt ?? null,
    serverTime: new Date().toISOString(),
    usageCount: code?.usageCount ?? 0,
    maxUsage: null,
  })

  function generate(ownerId: string) {
    const expiresAt = new Date(Date.now() + PERIODS.contactCodeMs).toISOString()
    codes.set(ownerId, { ownerId, qrToken: randomBytes(16).toString('base64url'), expiresAt, usageCount: 0 })
    return shown(codes.get(ownerId))
  }

  function redeem({ qrToken, proof }: { qrToken: string; proof?: string }, userId: string) {
    const code = [...codes.values()].find((each) => each.qrToken === qrToken)
    if (!code) throw new ApiError(404, 'unknown_code', 'This is not a valid contact code')
    addIn(state, userId, code.ownerId)
    code.usageCount += 1
    const use = { id: randomUUID(), ownerId: code.ownerId, userId, qrToken, usedAt: new Date().toISOString() }
    uses = [{ ...use, proof: proof ?? null }, ...uses.filter((each) => each.userId !== userId || each.ownerId !== code.ownerId)]
    const contact = contactRow(state, userId, code.ownerId)
    return { displayName: contact.contactUser.displayName, contact }
  }

  const usesOf = (ownerId: string) =>
    uses
      .filter((use) => use.ownerId === ownerId)
      .map(({ ownerId, ...use }) => {
        const account = state.accounts.get(use.userId)
        const { id: contactId } = contactRow(state, ownerId, use.userId)
        const identityKey = account ? headOf(account.keys.manifest).identityKey : null
        return { ...use, contactId, username: account?.username ?? '', displayName: 'The other side', identityKey }
      })

  function answer(useId: string, ownerId: string) {
    const left = uses.filter(({ id, ...use }) => id !== useId || use.ownerId !== ownerId)
    if (left.length === uses.length) throw new ApiError(404, 'not_found', 'Not found')
    uses = left
    return {}
  }

  function remove(contactId: string, userId: string) {
    const [key] = [...state.contacts].find(([key, { id }]) => id === contactId && key.startsWith(`${userId} `)) ?? []
    if (!key) throw new ApiError(404, 'not_found', 'Not found')
    state.contacts.delete(key)
    return {}
  }

  return [
    [codesApi.current, (_, userId) => shown(codes.get(userId))],
    [codesApi.generate, (_, userId) => generate(userId)],
    [codesApi.redeem, redeem],
    [codesApi.uses, (_, userId) => usesOf(userId)],
    [codesApi.answerUse, ({ useId }: { useId: string }, userId) => answer(useId, userId)],
    [contactsApi.remove, ({ contactId }: { contactId: string }, userId) => remove(contactId, userId)],
  ]
}
