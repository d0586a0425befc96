import { manifestShape } from '../../../contract/account/documents.ts'
import type { CommitEntry } from '../../../contract/chat/rooms.ts'
import { decodeFields, encodeFields, fromBase64, fromUtf8, sameBytes, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { HASH_BYTES, manifestHash } from '../lists/hashes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import type { NamedList } from '../vault/storedRoom.ts'
import { inspectCommit } from './commits.ts'
import { everyAccount, type MemberAccounts } from './members.ts'

const MANIFESTS = 'conclave/manifests/v2'

/** The committer's unverified claim. */
export interface CommitNames extends NamedList {
  /** Commits of older builds carry the list. */
  signed?: Signed
}

/** Authenticated data of a commit: the newest known lists, and `more` to compare [Note: D2]. */
export const namesOfAccounts = (accounts: MemberAccounts, more: NamedList[] = []): Uint8Array =>
  encodeFields(
    MANIFESTS,
    ...[
      ...everyAccount(accounts).map(({ userId, version, signed }) => ({ userId, version, hash: manifestHash(signed) })),
      ...more,
    ].map(({ userId, version, hash }) => encodeFields(userId, String(version), fromBase64(hash))),
  )

/** Throws 'commit' for damaged data. */
export function namesIn(authData: Uint8Array): CommitNames[] {
  try {
    const [first, ...rest] = decodeFields(authData)
    if (!first) return []
    return sameBytes(first, utf8(MANIFESTS)) ? rest.map(named) : [first, ...rest].map(carried)
  } catch (error) {
    // A committer may write anything: a parse error is no bug.
    if (error instanceof CryptoFailure) throw error
    throw new CryptoFailure('commit', 'A change of this chat carries damaged device lists', { cause: error })
  }
}

/** Empty if damaged: a device outside the room cannot check more. */
export function namesOf({ commit }: CommitEntry): CommitNames[] {
  try {
    return namesIn(inspectCommit(fromBase64(commit)).authData)
  } catch (error) {
    if (error instanceof CryptoFailure) return []
    throw error
  }
}

function named(bytes: Uint8Array): CommitNames {
  const [userId, version, hash] = decodeFields(bytes)
  if (!userId || !version || hash?.length !== HASH_BYTES || !/^\d{1,9}$/.test(fromUtf8(version)))
    throw new CryptoFailure('commit', 'A change of this chat names no device list')
  return { userId: fromUtf8(userId), version: Number(fromUtf8(version)), hash: toBase64(hash) }
}

const versionShape = manifestShape.pick({ version: true })

/** The form of older builds. */
function carried(bytes: Uint8Array): CommitNames {
  const [userId, content, signature] = decodeFields(bytes).map(fromUtf8)
  if (!userId || !content || !signature) throw new CryptoFailure('commit', 'A change of this chat carries no device list')
  const signed = { content, signature }
  return { userId, version: versionShape.parse(JSON.parse(content)).version, hash: manifestHash(signed), signed }
}
