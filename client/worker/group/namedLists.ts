import { manifestShape } from '../../../contract/account/documents.ts'
import type { CommitEntry } from '../../../contract/chat/rooms.ts'
import { decodeFields, encodeFields, fromBase64, fromUtf8, sameBytes, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { readManifest } from '../keys/identity.ts'
import { HASH_BYTES, manifestHash } from '../lists/hashes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import type { NamedList } from '../vault/storedRoom.ts'
import { inspectCommit } from './commits.ts'
import { everyAccount, type MemberAccounts } from './members.ts'

const MANIFESTS = 'conclave/manifests/v2'

/** The committer's unverified claim. */
export interface CommitNames extends NamedList {
  /** Older builds carry each list. */
  signed?: Signed
}

/** A proof leaves room for the keys of a commit. */
const PROOF_CHARS = 100 * 1024

/** Returns the signed list if it fits. */
export function provable(accounts: MemberAccounts, { userId, hash }: NamedList): Signed | undefined {
  const signed = everyAccount(accounts).find((account) => account.userId === userId)?.signed
  return signed && signed.content.length <= PROOF_CHARS && manifestHash(signed) === hash ? signed : undefined
}

/** Authenticated data of a commit: the newest known lists, and `more` to compare, signed while they fit [Note: D2]. */
export function namesOfAccounts(accounts: MemberAccounts, more: NamedList[] = []): Uint8Array {
  let chars = 0
  const proofOf = (list: NamedList): string[] => {
    const signed = provable(accounts, list)
    if (!signed || chars + signed.content.length > PROOF_CHARS) return []
    chars += signed.content.length
    return [signed.content, signed.signature]
  }
  const field = ({ userId, version, hash }: NamedList, proof: string[] = []) =>
    encodeFields(userId, String(version), fromBase64(hash), ...proof)
  return encodeFields(
    MANIFESTS,
    ...everyAccount(accounts).map(({ userId, version, signed }) => field({ userId, version, hash: manifestHash(signed) })),
    ...more.map((list) => field(list, proofOf(list))),
  )
}

/** `by` is the commit's author. */
export const listsOf = (accounts: MemberAccounts, names: CommitNames[], by?: string): NamedList[] =>
  names.map(({ signed, ...name }) => ({
    ...name,
    ...(by !== undefined && { by }),
    ...(signed && isProof(accounts, name, signed) && { isSigned: true }),
  }))

function isProof(accounts: MemberAccounts, { userId, version, hash }: NamedList, signed: Signed): boolean {
  const account = everyAccount(accounts).find((one) => one.userId === userId)
  if (!account || manifestHash(signed) !== hash) return false
  try {
    return readManifest(signed, account.identityKey).version === version
  } catch (error) {
    if (error instanceof CryptoFailure) return false
    throw error
  }
}

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
  const [userId, version, hash, content, signature] = decodeFields(bytes)
  if (!userId || !version || hash?.length !== HASH_BYTES || !/^\d{1,9}$/.test(fromUtf8(version)))
    throw new CryptoFailure('commit', 'A change of this chat names no device list')
  const name = { userId: fromUtf8(userId), version: Number(fromUtf8(version)), hash: toBase64(hash) }
  return content && signature ? { ...name, signed: { content: fromUtf8(content), signature: fromUtf8(signature) } } : name
}

const versionShape = manifestShape.pick({ version: true })

/** The form of older builds. */
function carried(bytes: Uint8Array): CommitNames {
  const [userId, content, signature] = decodeFields(bytes).map(fromUtf8)
  if (!userId || !content || !signature) throw new CryptoFailure('commit', 'A change of this chat carries no device list')
  const signed = { content, signature }
  return { userId, version: versionShape.parse(JSON.parse(content)).version, hash: manifestHash(signed), signed }
}
