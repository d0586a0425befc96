import { ApiError } from '../../net/api.ts'
import { failureWords } from '../../ui/failure.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import type { Opener, Ways } from './keys.ts'
import { passkeysWork } from './passkeysWork.ts'

export type WayKind = Exclude<Opener['kind'], 'fresh'>

/** Lists the easiest first. */
export function waysHere({ password, kit, passkeys }: Ways, canAsk: boolean = passkeysWork()): WayKind[] {
  const isThere: Record<WayKind, boolean> = { password, passkey: passkeys.length > 0 && canAsk, kit: kit !== null }
  return (['password', 'passkey', 'kit'] as const).filter((kind) => isThere[kind])
}

const WRONG: Record<WayKind, string> = {
  password: 'Wrong password',
  kit: 'These words are not the recovery kit of this account',
  passkey: 'This passkey does not open this account',
}

export function openingWords(kind: WayKind, error: unknown): string {
  if (error instanceof CryptoFailure && error.code === 'way') return WRONG[kind]
  if (error instanceof ApiError && error.code === 'invalid_credentials') return WRONG.password
  return failureWords(error)
}
