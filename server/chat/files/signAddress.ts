import { createHmac, timingSafeEqual } from 'node:crypto'
import type { z } from 'zod'
import type { filesApi } from '../../../contract/chat/files.ts'
import { objectPath } from '../../../contract/chat/objects.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { Refusal } from '../../refuse.ts'

interface Target {
  objectId: string
  uploadId?: string | undefined
  partNumber?: number | undefined
}

/** `expires` is in seconds since 1970. */
export function signedAddress(env: Env, userId: string, target: Target): { url: string; expires: number } {
  const expires = Math.floor(env.clock().getTime() / 1000) + LIMITS.uploadSeconds
  const part = target.uploadId === undefined ? '' : `uploadId=${target.uploadId}&partNumber=${target.partNumber}&`
  const signature = signatureOf(env, userId, target, expires).toString('base64url')
  return { url: `${objectPath(target.objectId)}?${part}expires=${expires}&signature=${signature}`, expires }
}

/** Throws Refusal unless the address is this account's and still holds. */
export function requireSigned(env: Env, userId: string, input: z.output<typeof filesApi.put.input>): void {
  const { expires = 0, signature = '', ...target } = input
  const [given, right] = [Buffer.from(signature, 'base64url'), signatureOf(env, userId, target, expires)]
  if (given.length !== right.length || !timingSafeEqual(given, right)) throw new Refusal('invalid_signature')
  if (env.clock().getTime() > expires * 1000) throw new Refusal('upload_expired')
}

function signatureOf({ uploadKey }: Env, userId: string, { objectId, uploadId, partNumber }: Target, expires: number): Buffer {
  const text = [userId, objectId.toLowerCase(), uploadId?.toLowerCase() ?? '', partNumber ?? '', expires].join(' ')
  return createHmac('sha256', uploadKey).update(text).digest()
}
