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

/** A device list that a commit names: an unverified claim of the committer. */
export interface CommitNames extends NamedList {
  /** The list itself, if a commit of an older build carries it. */
  signed?: Signed
}

/**
 * The newest device lists known of all members, and the `more` ones that are to be compared, as a commit's authenticated data names
 * them [Note: D2].
 */
export const namesOfAccounts = (accounts: MemberAccounts, more: NamedList[] = []): Uint8Array =>
  encodeFields(
    MANIFESTS,
    ...[
      ...everyAccount(accounts).map(({ userId, version, signed }) => ({ userId, version, hash: manifestHash(signed) })),
      ...more,
    ].map(({ userId, version, hash }) => encodeFields(userId, String(version), fromBase64(hash))),
  )

/** The device lists in a commit's authenticated data. Throws CryptoFailure('commit') if they cannot be parsed. */
export function namesIn(authData: Uint8Array): CommitNames[] {
  try {
    const [first, ...rest] = decodeFields(authData)
    if (!first) return []
    return sameBytes(first, utf8(MANIFESTS)) ? rest.map(named) : [first, ...rest].map(carried)
  } catch (error) {
    // A committer may put anything there, so a parse error is a CryptoFailure, not a bug.
    if (error instanceof CryptoFailure) throw error
    throw new CryptoFailure('commit', 'A change of this chat carries damaged device lists', { cause: error })
  }
}

/**
 * The device lists that a commit in the log names; none if it is damaged, because a device outside the room cannot check more.
 */
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

/** Parses the form of older builds: user id, content and signature. */
function carried(bytes: Uint8Array): CommitNames {
  const [userId, content, signature] = decodeFields(bytes).map(fromUtf8)
  if (!userId || !content || !signature) throw new CryptoFailure('commit', 'A change of this chat carries no device list')
  const signed = { content, signature }
  return { userId, version: versionShape.parse(JSON.parse(content)).version, hash: manifestHash(signed), signed }
}
