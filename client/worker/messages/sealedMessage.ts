import { type ReadStatement, readStatement, type Statement } from '../../../contract/chat/content.ts'
import { type Envelope, writeEnvelope } from '../../../contract/chat/envelope.ts'
import {
  type Bytes,
  concat,
  decodeFields,
  encodeFields,
  fromBase64,
  fromUtf8,
  sameBytes,
  toBase64,
  utf8,
} from '../../../contract/ground/bytes.ts'
import { epochOf, exportSecret, type Group, groupIdOf, openFromGroup, sealToGroup } from '../group/mls.ts'
import { credentialHolds, readCredential } from '../keys/identity.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { remembering } from '../primitives/memo.ts'
import { hkdf, lockedKey, openWith, pad, randomBytes, sealWith, sha256, signSoon, unpad, verifySoon } from '../primitives/seal.ts'

const COMMITMENT_BYTES = 32

export interface Author {
  leafSeed: Uint8Array
  leafKey: Uint8Array
  credential: Uint8Array
}

export interface Opened {
  statement: ReadStatement
  /** `isWhole`: this build knows every field. */
  text: string
  isWhole: boolean
  accountKey: Uint8Array
  deviceId: string
}

/** Returns 32 bytes for the group's current epoch [Note: H1]. */
export const archiveKeyOf = (group: Group): Promise<Uint8Array> =>
  exportSecret(group, 'conclave/archive/v1', groupIdOf(group), 32)

// A WeakMap: the cipher goes when the epoch's secrets go.
const archiveCiphers = new WeakMap<Group['keySchedule'], Promise<CryptoKey>>()

function archiveCipherOf(group: Group): Promise<CryptoKey> {
  const cipher = archiveCiphers.get(group.keySchedule) ?? archiveKeyOf(group).then(lockedKey)
  archiveCiphers.set(group.keySchedule, cipher)
  return cipher
}

/**
 * Seals a statement [Note: M1]. A commitment ties the body's key to MLS and archive. Store the new state before the envelope
 * leaves.
 */
export async function sealMessage(
  group: Group,
  author: Author,
  statement: Statement,
  leastBytes = 0,
): Promise<{ group: Group; content: string }> {
  const place = placeOf(groupIdOf(group), epochOf(group))
  const key = randomBytes(32)
  const commitment = sha256('conclave/commitment/v1', key)
  const signedBytes = utf8(JSON.stringify(statement))
  // The browser has several threads.
  const [signature, bodyKey] = await Promise.all([
    signSoon(author.leafSeed, 'conclave/message/v1', ...place, signedBytes),
    hkdf(key, 'conclave/body-key/v1'),
  ])
  const padded = pad(filled(encodeFields(signedBytes, author.credential, author.leafKey, signature), leastBytes))
  const body = concat(commitment, await sealWith(bodyKey, 'conclave/body/v1', padded, ...place, commitment))
  const bodyHash = bodyHashOf(body)
  const [sealed, archive] = await Promise.all([
    sealToGroup({ group, plaintext: key, authData: bodyHash }),
    archiveCipherOf(group).then((cipher) => sealWith(cipher, 'conclave/archive-message/v1', key, ...place, bodyHash)),
  ])
  const envelope: Envelope = {
    v: 1,
    groupId: toBase64(groupIdOf(group)),
    epoch: epochOf(group),
    mls: toBase64(sealed.message),
    archive: toBase64(archive),
    body: toBase64(body),
  }
  return { group: sealed.group, content: writeEnvelope(envelope) }
}

/** Readers ignore the zeros [Note: M4]. */
function filled(fields: Bytes, leastBytes: number): Bytes {
  // Two lengths [Note: C6].
  const zeros = leastBytes - 8 - fields.length
  return zeros > 0 ? concat(fields, encodeFields(new Uint8Array(zeros))) : fields
}

/**
 * Opens an envelope once only: store state and text together. `isArchived`: the archive part opens too. Throws CryptoFailure.
 */
export async function openByGroup(
  group: Group,
  envelope: Envelope,
): Promise<{ group: Group; opened: Opened; isArchived: boolean }> {
  if (envelope.epoch !== epochOf(group) || !sameBytes(fromBase64(envelope.groupId), groupIdOf(group)))
    throw new CryptoFailure('epoch', 'It was sealed for another state of this chat')
  const body = fromBase64(envelope.body)
  const bodyHash = bodyHashOf(body)
  const [{ group: next, plaintext, authData, sender }, archived] = await Promise.all([
    openFromGroup({ group, message: fromBase64(envelope.mls) }),
    archiveCipherOf(group).then((cipher) => whatIsArchived(cipher, envelope, bodyHash)),
  ])
  if (!sameBytes(authData, bodyHash)) throw new CryptoFailure('body_swapped', 'The text belongs to another message')
  const { opened, leafKey } = await openBody(plaintext, envelope, body)
  const isSender =
    sameBytes(sender.accountKey, opened.accountKey) && sender.deviceId === opened.deviceId && sameBytes(sender.leafKey, leafKey)
  if (!isSender) throw new CryptoFailure('sender', 'The signature is of another device than the one that sent it')
  return { group: next, opened, isArchived: archived !== undefined && sameBytes(archived, plaintext) }
}

/** undefined for garbage, which only marks the message. */
const whatIsArchived = (cipher: CryptoKey, envelope: Envelope, bodyHash: Uint8Array): Promise<Uint8Array | undefined> =>
  archivedKey(cipher, envelope, bodyHash).catch((error: unknown) => {
    if (error instanceof CryptoFailure) return undefined
    throw error
  })

/** Opens an envelope by archive key [Note: H1]. Throws 'archive_key' for a wrong key. */
export async function openByArchive(archiveKey: Uint8Array, envelope: Envelope): Promise<Opened> {
  const body = fromBase64(envelope.body)
  const key = await archivedKey(archiveKey, envelope, bodyHashOf(body)).catch((cause: unknown) => {
    throw new CryptoFailure('archive_key', 'The key of this message does not open it', { cause })
  })
  return (await openBody(key, envelope, body)).opened
}

/** Throws 'seal' for another key or body. */
const archivedKey = (
  archiveKey: Uint8Array | CryptoKey,
  { groupId, epoch, archive }: Envelope,
  bodyHash: Uint8Array,
): Promise<Uint8Array> =>
  openWith(archiveKey, 'conclave/archive-message/v1', fromBase64(archive), ...placeOf(fromBase64(groupId), epoch), bodyHash)

const bodyHashOf = (body: Uint8Array): Uint8Array => sha256('conclave/body-hash/v1', body)

// A device's messages share a credential.
const certified = remembering<true>(256)
const isCertified = (credential: Uint8Array, leafKey: Uint8Array): boolean =>
  certified(`${toBase64(credential)} ${toBase64(leafKey)}`, () => credentialHolds(credential, leafKey) || undefined) === true

async function openBody(key: Uint8Array, envelope: Envelope, body: Uint8Array): Promise<{ opened: Opened; leafKey: Uint8Array }> {
  const place = placeOf(fromBase64(envelope.groupId), envelope.epoch)
  const commitment = body.subarray(0, COMMITMENT_BYTES)
  if (!sameBytes(commitment, sha256('conclave/commitment/v1', key)))
    throw new CryptoFailure('commitment', 'The key does not belong to this text')
  const bodyKey = await hkdf(key, 'conclave/body-key/v1')
  const padded = await openWith(bodyKey, 'conclave/body/v1', body.subarray(COMMITMENT_BYTES), ...place, commitment)
  const [signedBytes, credential, leafKey, signature] = decoded(() => decodeFields(unpad(padded)))
  if (!signedBytes || !credential || !leafKey || !signature) throw new CryptoFailure('body', 'The message is incomplete')
  const author = readCredential(credential)
  if (!author || !isCertified(credential, leafKey)) throw new CryptoFailure('credential', 'The sender’s device is not certified')
  if (!(await verifySoon(leafKey, signature, 'conclave/message/v1', ...place, signedBytes)))
    throw new CryptoFailure('signature', 'The signature does not match')
  const text = decoded(() => fromUtf8(signedBytes))
  const read = readStatement(decoded(() => JSON.parse(text)))
  if (!read) throw new CryptoFailure('content', 'The message is not as it must be')
  return { opened: { ...read, text, ...author }, leafKey }
}

/** A sender may seal anything: a parse error is no bug. */
function decoded<T>(decode: () => T): T {
  try {
    return decode()
  } catch (error) {
    if (error instanceof CryptoFailure) throw error
    throw new CryptoFailure('body', 'The message is damaged', { cause: error })
  }
}

const placeOf = (groupId: Uint8Array, epoch: number): [Uint8Array, string] => [groupId, String(epoch)]
