import { fromBase64 } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { erase } from '../primitives/seal.ts'
import { stretchChatPassword, verifierOf } from './chatkeys.ts'

interface OpenLock {
  lockSecret: Uint8Array
  /** Newest first. */
  seeds: Uint8Array[]
}

/** The typed password waits for the server's half. */
interface Held {
  root?: Uint8Array | undefined
  salt?: string | undefined
  typings?: number | undefined
  open?: OpenLock | undefined
  /** The server has not taken this one yet. */
  next?: (OpenLock & { publicKey: string; sealed: string }) | undefined
}

const memory = new WeakMap<Live, Map<string, Held>>()

export function heldOf(live: Live, chatRoomId: string): Held {
  const rooms = memory.get(live) ?? new Map<string, Held>()
  memory.set(live, rooms)
  const held = rooms.get(chatRoomId) ?? {}
  rooms.set(chatRoomId, held)
  return held
}

/** Returns seeds, the newest first. Throws 'room_locked'. */
export function seedsOf(live: Live, chatRoomId: string): Uint8Array[] {
  return openOf(live, chatRoomId).seeds
}

function openOf(live: Live, chatRoomId: string): OpenLock {
  const { open } = heldOf(live, chatRoomId)
  if (!open) throw new CryptoFailure('room_locked', 'This chat is locked. Enter its password')
  return open
}

export interface Typed {
  chatRoomId: string
  password: string
}

export async function holdTyped(live: Live, { chatRoomId, password }: Typed, salt: string): Promise<{ verifier: string }> {
  const held = heldOf(live, chatRoomId)
  if (held.root) erase(held.root)
  const root = await stretchChatPassword(password, fromBase64(salt))
  Object.assign(held, { root, salt })
  return { verifier: await verifierOf(root) }
}

export function forgetTyped(held: Held): void {
  if (held.root) erase(held.root)
  held.root = undefined
  held.salt = undefined
  held.typings = undefined
}

export function forgetHeld(live: Live, chatRoomId: string): void {
  const held = heldOf(live, chatRoomId)
  for (const each of [held.open, held.next]) if (each) erase(each.lockSecret, ...each.seeds)
  forgetTyped(held)
  memory.get(live)?.delete(chatRoomId)
}
