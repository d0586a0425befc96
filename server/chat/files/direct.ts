import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { paddedBytes } from '../../../contract/chat/objects.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { comesByOnion } from '../../ground/http/listener.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import type { DirectBucket } from './bucket.ts'
import { requireSpace } from './requireSpace.ts'
import * as store from './store.ts'

/** Returns no bucket for onion callers. */
export const directFor = (env: Env, caller: Pick<Caller, 'ingress' | 'headers'>): DirectBucket | undefined =>
  comesByOnion(caller) ? undefined : env.bucket.direct

/** Counts the announced size and answers the bucket's address. Throws Refusal. */
export async function announceDirect(
  env: Env,
  user: SignedInUser,
  direct: DirectBucket,
  { id, sizeBytes }: { id: string; sizeBytes: number },
): Promise<string> {
  if (sizeBytes !== paddedBytes(sizeBytes)) throw new Refusal('not_padded')
  await env.db.transaction(async (tx) => {
    if (!(await store.move(tx, id, ['awaited', 'awaited'], { sizeBytes }))) throw new Refusal('not_found')
    await requireSpace(env, tx, user, sizeBytes)
  })
  return await direct.putAddress(id, sizeBytes)
}

/** Checks and hashes the sent bytes. Answers the same when sent again. Throws Refusal. */
export async function finishDirect(env: Env, user: SignedInUser, objectId: string): Promise<Record<string, never>> {
  const object = await store.findObject(env.db, objectId)
  if (object?.ownerId !== user.id || object.kind !== 'file' || object.state === 'dropped') throw new Refusal('not_found')
  const { direct } = env.bucket
  if (object.state === 'stored' || object.state === 'used') return {}
  if (!direct || object.sizeBytes === null || object.uploadId !== null) throw new Refusal('incomplete_upload')
  // Nothing may be copied over a checked file.
  if (!(await store.move(env.db, objectId, ['awaited', 'arriving']))) throw new Refusal('already_uploaded')
  try {
    const found = (await direct.accept(objectId)) ? await env.bucket.get(objectId) : undefined
    const received = found && (await readWhole(found))
    await env.fault?.('file:accepted')
    if (received?.sizeBytes !== object.sizeBytes) throw new Refusal('incomplete_upload')
    if (!(await store.move(env.db, objectId, ['arriving', 'stored'], received))) throw new Refusal('not_found')
  } catch (error) {
    await env.bucket.remove(objectId)
    await store.move(env.db, objectId, ['arriving', 'awaited'])
    throw error
  }
  await direct.forget(objectId)
  return {}
}

async function readWhole(bytes: Readable): Promise<store.Received> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    hash.update(chunk)
    sizeBytes += chunk.length
  }
  return { sizeBytes, hash: hash.digest(), mediaType: null }
}

/** Deletes bytes that came after their file was finished or dropped. */
export async function deleteLate(env: Env): Promise<boolean> {
  const { direct } = env.bucket
  if (!direct) return false
  const names = await direct.waiting()
  const wanted = await store.findAwaited(env.db, names)
  for (const name of names) if (!wanted.has(name)) await direct.forget(name)
  return false
}
