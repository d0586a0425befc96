import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { filesApi, uploaderApi } from '../../../contract/chat/files.ts'
import { paddedBytes } from '../../../contract/chat/objects.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { announceDirect, directFor } from './direct.ts'
import { keep } from './keepFile.ts'
import { takePart } from './parts.ts'
import { begin, beginSealed, requireSpace } from './requireSpace.ts'
import { requireSigned, signedAddress } from './signAddress.ts'
import * as store from './store.ts'

export async function beginPhoto(env: Env, user: SignedInUser): Promise<{ uploadURL: string }> {
  const id = await begin(env, user, 'photo', LIMITS.uploadsWaitingMax)
  return { uploadURL: signedAddress(env, user.id, { objectId: id }).url }
}

/**
 * Answers the bucket's address for an announced size if browsers may ask the bucket, otherwise this server's. Throws Refusal.
 */
export async function beginFile(
  env: Env,
  user: SignedInUser,
  { size: sizeBytes }: z.output<typeof uploaderApi.params.input>,
  caller: Caller,
): Promise<z.input<typeof uploaderApi.params.output>> {
  const id = await beginSealed(env, user)
  const { url } = signedAddress(env, user.id, { objectId: id })
  const plain = { method: 'PUT' as const, fields: {}, headers: {}, key: id }
  const direct = directFor(env, caller)
  if (!direct || sizeBytes === undefined) return { ...plain, url }
  return { ...plain, url: await announceDirect(env, user, direct, { id, sizeBytes }), otherwise: url }
}

/** Stores bytes for good; repeated bytes are compared. Throws Refusal. */
export async function takeUpload(
  env: Env,
  user: SignedInUser,
  input: z.output<typeof filesApi.put.input>,
  caller: Caller<'stream'>,
): Promise<Record<string, never>> {
  const object = await store.findObject(env.db, input.objectId)
  if (object?.ownerId !== user.id || object.state === 'dropped') throw new Refusal('not_found')
  requireSigned(env, user.id, input)
  const sizeBytes = Number(caller.headers['content-length'] ?? 0)
  if (sizeBytes === 0) throw new Refusal('empty_upload')
  if (input.uploadId !== undefined) return await takePart(env, user, { ...input, sizeBytes }, caller)
  if (object.state === 'stored' && (await hashOf(caller.body)) === object.hash?.toString('hex')) return {}
  if (object.state !== 'awaited') throw new Refusal('already_uploaded')
  if (object.kind === 'photo' && sizeBytes > LIMITS.photoBytes) throw new Refusal('too_large')
  if (object.kind === 'file' && sizeBytes !== paddedBytes(sizeBytes)) throw new Refusal('not_padded')
  // Accounts cost nothing.
  if (object.kind === 'photo') await env.limits.take('photosOfAddress', caller.addressKey(), Math.ceil(sizeBytes / 1024))
  // Only one of two requests for a file goes on.
  await env.db.transaction(async (tx) => {
    if (!(await store.move(tx, object.id, ['awaited', 'arriving'], { sizeBytes }))) throw new Refusal('already_uploaded')
    if (object.kind === 'file') await requireSpace(env, tx, user, sizeBytes)
  })
  const { hash } = await keep(env, object, caller.body, sizeBytes)
  await env.fault?.('file:stored')
  caller.setEtag(hash.toString('hex'))
  return {}
}

/** Returns the SHA-256, hex. */
async function hashOf(bytes: Readable): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of bytes as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest('hex')
}
