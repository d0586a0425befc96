import { z } from 'zod'
import type { User } from '../../../contract/account/account.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { signedName, userId } from '../../../contract/ground/shapes.ts'
import { publicKeyOfOnion } from '../../../contract/people/onion.ts'
import type { ScannedCode } from '../../worker/crypto.ts'

const token = z.string().trim().min(1).max(100)

/** The content of a contact code by the product's specification. A code of another program may have the first two fields alone. */
const sharedShape = z.object({ type: z.literal('contact_share'), token })
const provingShape = sharedShape.extend({
  username: signedName,
  onionAddress: z.string().max(62),
  userId,
  secret: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
})

/** A scanned code. Without `code` it names a token alone, which proves nothing about anybody. */
export interface Scan {
  qrToken: string
  displayName: string | null
  code: ScannedCode | null
}

interface Owner {
  user: Pick<User, 'id' | 'username' | 'displayName'>
  onionAddress: string
}

/** The text of the account's own code [Note: I2]. */
export const contentOf = ({ user, onionAddress }: Owner, qrToken: string, secret: string): string =>
  JSON.stringify({
    ...{ type: 'contact_share', token: qrToken, username: user.username.toLowerCase(), displayName: user.displayName },
    ...{ onionAddress, userId: user.id, secret },
  })

/** Reads the text of a scanned code. 'unreadable' if it is no JSON, 'other' if it is the code of something else. */
export function readContent(text: string): Scan | 'unreadable' | 'other' {
  const json = jsonOf(text)
  if (json === undefined) return 'unreadable'
  const shared = sharedShape.safeParse(json)
  if (!shared.success) return 'other'
  const displayName = z.object({ displayName: z.string().max(LIMITS.displayNameMax) }).safeParse(json).data?.displayName ?? null
  const proving = provingShape.safeParse(json)
  const key = proving.success ? publicKeyOfOnion(proving.data.onionAddress) : undefined
  // A code that says who it is of, and says it wrongly, must not pass as one that says nothing.
  if (!proving.success || !key) return namesSomebody(json) ? 'other' : { qrToken: shared.data.token, displayName, code: null }
  const { userId, username, secret } = proving.data
  const code = { qrToken: shared.data.token, userId, username, secret, identityKey: toBase64(key) }
  return { qrToken: code.qrToken, displayName, code }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const namesSomebody = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && ['onionAddress', 'userId', 'secret'].some((field) => field in json)
